"""The tree of everything a run recorded."""

from app.widgets.address_tree.address_tree import Line, address_tree

__all__ = ["Line", "address_tree"]
