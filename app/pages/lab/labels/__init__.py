"""Softmax for one label against a sigmoid for each of several."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__,
    title="lab_labels.name",
    top="lab_labels.title",
    group="lab.group_weights",
    fullest={"inputs": "labels:logits,('1,'3,−1,'0)"},
)
