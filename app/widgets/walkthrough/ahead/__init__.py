"""What is drawn of the steps around the reader, sent before they are asked for."""

from app.widgets.walkthrough.ahead.ahead import ahead_data, show

__all__ = ["ahead_data", "show"]
