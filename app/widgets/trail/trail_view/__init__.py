"""The component of the trail: a list of numbers to go to."""

from app.widgets.trail.trail_view.view import trail_view

__all__ = ["trail_view"]
