"""How alike two words are in the model's table, and their nearest words."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__,
    title="lab_nearest_words.name",
    top="lab_nearest_words.title",
    group="lab.group_model",
    fullest={"inputs": "nearest_words:origin,mean"},
)
