"""Layer norm's formulas, and how its parts are stretched over the batch."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__,
    title="lab_layer_norm.name",
    top="lab_layer_norm.ask",
    group="lab.group_layers",
    fullest={"norms": "stretched", "inputs": "layer_norm:epsilon,'0.5"},
)
