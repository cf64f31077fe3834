"""The logit lens: what every state would write."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__,
    title="lens.name",
    fullest={"token": "target:3", "address": "decoder/0/feed_forward_norm/output"},
    tensors=("output/probabilities",),
)
