"""Five ways to choose the next word."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__,
    title="strategies.name",
    top="strategies.top",
    fullest={"forced": "1:30", "beams": "6", "alpha": "1.5", "rule": "transformers"},
)
