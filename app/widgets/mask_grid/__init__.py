"""A mask as a grid of cells that one paints with the mouse, a finger or the keyboard."""

from app.widgets.mask_grid.mask_grid import MaskGrid, Stroke, mask_grid

__all__ = ["MaskGrid", "Stroke", "mask_grid"]
