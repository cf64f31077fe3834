"""The tree of what was recorded, the picked tensor, its numbers, its files."""
