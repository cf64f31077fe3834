"""The residual stream with a way around every sub-layer, and each one's share in it."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__,
    title="lab_skips.name",
    top="lab_skips.title",
    group="lab.group_stack",
    fullest={"inputs": "skips:place,pre"},
)
