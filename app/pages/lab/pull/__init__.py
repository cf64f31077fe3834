"""What values do to a word: arrows, as long as their weights make them, set tip to tail."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__,
    title="lab_pull.name",
    top="lab_pull.title",
    group="lab.group_weights",
    fullest={"inputs": "pull:scores,('-1,'-2,'3)"},
)
