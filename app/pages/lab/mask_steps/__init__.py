"""What the decoder sees of the target at each step, and what the model on screen writes."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__,
    title="lab_mask_steps.name",
    top="lab_mask_steps.title",
    group="lab.group_masks",
    fullest={"inputs": "mask_steps:source,我喜欢你,target,I+like+you;mask_steps_at:step,'2"},
)
