"""An RNN, convolutions and attention on the same words, beside the paper's Table 1."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__,
    title="lab_why.name",
    top="lab_why.title",
    group="lab.group_sequence",
    fullest={"inputs": "why:length,'9"},
)
