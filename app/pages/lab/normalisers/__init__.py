"""Softmax against ReLU, sigmoid and L2 norm."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__,
    title="lab_normalisers.name",
    top="lab_normalisers.title",
    group="lab.group_weights",
    fullest={"inputs": "normalisers:shift,'3"},
)
