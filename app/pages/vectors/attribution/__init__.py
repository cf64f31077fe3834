"""Direct logit attribution: what every part wrote for a word."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__,
    title="attribution.name",
    top="attribution.top",
    fullest={
        "token": "target:3",
        "against": "second",
        "address": "decoder/1/cross_attention/output",
    },
    tensors=("output/logits",),
)
