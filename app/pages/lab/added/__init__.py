"""A position added, the same as one product, and a position concatenated."""
