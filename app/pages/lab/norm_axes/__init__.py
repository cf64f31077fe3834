"""Over which axes five norms take their mean."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__,
    title="lab_norm_axes.name",
    top="lab_norm_axes.title",
    group="lab.group_layers",
    fullest={"inputs": "norm_axes:at,'11,reading,words"},
)
