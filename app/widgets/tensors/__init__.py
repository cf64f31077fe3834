"""The tensors page: the tree of what was recorded, the picked tensor, its numbers, its files."""

from app.widgets.tensors.page import show

__all__ = ["show"]
