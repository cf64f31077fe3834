"""The dot product against the distance."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__,
    title="lab_similarity.name",
    top="lab_similarity.title",
    group="lab.group_weights",
    fullest={"inputs": "similarity:measure,squared,query,('1,'1)"},
)
