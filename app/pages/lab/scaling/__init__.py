"""Why the scores are divided by √d_k."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__,
    title="lab_scaling.name",
    top="lab_scaling.title",
    group="lab.group_weights",
    fullest={"inputs": "scaling:d_k,'16,scores,('1,−2,'3)"},
)
