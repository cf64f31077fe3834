"""Six ways to apply one mask."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__,
    title="lab_masks.name",
    top="lab_masks.title",
    group="lab.group_masks",
    fullest={"inputs": "masks:meaning,hidden,precision,float16"},
)
