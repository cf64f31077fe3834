"""The worked examples of the lecture notes."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__,
    title="lab_examples.name",
    top="lab_examples.ask",
    group="lab.group_notes",
    fullest={
        "example": "softmax-alternatives",
        "inputs": "example_softmax-alternatives:scores,('9,'1)",
    },
)
