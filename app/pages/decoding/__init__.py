"""Decoding: how the words are written, one after the other."""
