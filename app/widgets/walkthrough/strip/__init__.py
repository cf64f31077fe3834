"""All steps of a run as dots: where we are, and a click to anywhere."""

from app.widgets.walkthrough.strip.strip import show, strip_data

__all__ = ["show", "strip_data"]
