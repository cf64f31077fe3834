"""Which words of the source and of the target a written word came from, by seven methods."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__,
    title="which_word.name",
    top="which_word.top",
    fullest={"token": "target:3"},
    tensors=("source/scaled", "target/scaled", "output/logits"),
)
