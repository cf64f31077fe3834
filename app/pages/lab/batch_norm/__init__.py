"""Layer norm beside batch norm."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__,
    title="lab_batch_norm.name",
    top="lab_batch_norm.title",
    group="lab.group_layers",
    fullest={"inputs": "batch_norm:lengths,('2,'2)"},
)
