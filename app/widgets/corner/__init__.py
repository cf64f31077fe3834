"""Language and theme, at the right end of the navigation."""

from app.widgets.corner.corner import show_switches

__all__ = ["show_switches"]
