"""Tokenizers, read from the folders of their models: text to ids, ids to text, readable pieces."""
