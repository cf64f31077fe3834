"""Counts of the grammar's word sequences beside the translator, on the same sentences."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__,
    title="lab_ngrams.name",
    top="lab_ngrams.title",
    group="lab.group_sequence",
    fullest={"inputs": "ngrams:smoothing,add"},
)
