"""Weights times values of the run on screen, summed number by number."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__,
    title="lab_weighted_values.name",
    top="lab_weighted_values.title",
    group="lab.group_weights",
    fullest={"inputs": "weighted_values:taken,typed"},
)
