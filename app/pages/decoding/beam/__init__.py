"""Beam search as a tree."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__, title="beam.name", top="beam.top", fullest={"beams": "3", "rule": "transformers"}
)
