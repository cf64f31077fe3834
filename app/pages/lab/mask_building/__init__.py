"""A mask line by line, and its copies over sentences and heads."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__,
    title="lab_mask_building.name",
    top="lab_mask_building.title",
    group="lab.group_masks",
    fullest={"inputs": "mask_building:hidden,'0,recipe,full"},
)
