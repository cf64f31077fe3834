"""The Plotly click bridge."""

from app.widgets.bridge.bridge import Click, plotly_clicks

__all__ = ["Click", "plotly_clicks"]
