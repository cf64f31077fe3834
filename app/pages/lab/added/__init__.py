"""A position added, the same as one product, and a position concatenated."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__,
    title="lab_added.name",
    top="lab_added.title",
    group="lab.group_sequence",
    fullest={"inputs": "added:positions,('1,'2)"},
)
