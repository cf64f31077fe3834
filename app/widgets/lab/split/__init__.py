"""How one vector becomes several heads, and a reshape that only looks alike."""

from app.widgets.lab.split.bench import show

__all__ = ["show"]
