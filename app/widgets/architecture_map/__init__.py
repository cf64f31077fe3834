"""The clickable map of the whole Transformer."""

from app.widgets.architecture_map.architecture_map import architecture_map

__all__ = ["architecture_map"]
