"""How positions are written into the words' vectors."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__,
    title="positions.name",
    fullest={
        "positions": "rotation",
        "formula": "notes",
        "span": "64",
        "offset": "9",
        "stack": "decoder",
    },
    tensors=("{side}/positions", "{side}/embedding"),
    of_a_stack=True,
)
