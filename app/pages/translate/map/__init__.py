"""The clickable map of the whole Transformer."""
