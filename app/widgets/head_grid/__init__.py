"""All heads of one kind of attention as thumbnails."""

from app.widgets.head_grid.head_grid import GridTexts, Thumbnail, head_grid

__all__ = ["GridTexts", "Thumbnail", "head_grid"]
