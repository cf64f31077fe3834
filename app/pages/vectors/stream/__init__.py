"""The residual stream along depth."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__,
    title="stream.name",
    top="stream.top",
    fullest={
        "stack": "decoder",
        "token": "target:3",
        "address": "decoder/0/cross_attention_norm/output",
    },
    tensors=("{side}/positions", "{side}/embedding"),
    of_a_stack=True,
)
