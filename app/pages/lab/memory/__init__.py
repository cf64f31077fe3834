"""Shapes and strides of the run's own heads, and the view that torch refuses."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__,
    title="lab_memory.name",
    top="lab_memory.title",
    group="lab.group_layers",
    fullest={"inputs": "memory:way,split"},
)
