"""Heads of an attention: which is in focus, all of them small, one of them large."""
