"""Opening a file in the frame of every page, and what is said while one is on screen."""

from app.widgets.opening.opening import show_button

__all__ = ["show_button"]
