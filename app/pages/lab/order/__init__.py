"""The words of the sentence in another order, with positions and without."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__,
    title="lab_order.name",
    top="lab_order.title",
    group="lab.group_sequence",
    fullest={"text": "I like you", "words": "2,1,3,4", "inputs": "order:seen,weights"},
)
