"""The symbols of a step and the code that ran, both of them ways to other steps."""

from app.widgets.walkthrough.code.code import own, shared, show

__all__ = ["own", "shared", "show"]
