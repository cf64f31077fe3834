"""Attention as a dictionary that answers with a mixture."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__,
    title="lab_dictionary.name",
    top="lab_dictionary.title",
    group="lab.group_weights",
    fullest={"inputs": "dictionary:query,('0,'1),temperature,'0.5"},
)
