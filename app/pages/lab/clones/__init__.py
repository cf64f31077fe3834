"""One layer used N times, copies of it, and layers drawn apart, after some training steps."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__,
    title="lab_clones.name",
    top="lab_clones.title",
    group="lab.group_stack",
    fullest={"inputs": "clones:steps,'5"},
)
