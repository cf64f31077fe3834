"""The hidden units of the feed-forward networks."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__,
    title="neurons.name",
    top="neurons.top",
    fullest={"stack": "decoder", "token": "target:3", "terms": "dimension", "feature": "4"},
    tensors=("{side}/positions", "{side}/embedding"),
    of_a_stack=True,
)
