"""The norm before or after a sub-layer, and the residual cut, followed through the layers."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__,
    title="lab_depth.name",
    top="lab_depth.title",
    group="lab.group_layers",
    fullest={"inputs": "depth:layers,'3,seed,'7"},
)
