"""Charts that are updated in place."""

from app.widgets.chart.chart import current_look, show_chart

__all__ = ["current_look", "show_chart"]
