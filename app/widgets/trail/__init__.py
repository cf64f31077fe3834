"""The number trail: a drawer on every page that unfolds one number backwards."""

from app.widgets.trail.opening import open_button, open_trail, redraw
from app.widgets.trail.panel import show

__all__ = ["open_button", "open_trail", "redraw", "show"]
