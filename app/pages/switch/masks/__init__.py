"""Who may look at whom."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__,
    title="masks.name",
    fullest={"kind": "decoder", "brush": "row", "stroke": "show", "ones": "hidden"},
)
