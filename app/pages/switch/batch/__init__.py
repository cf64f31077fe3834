"""Sentences padded to one length."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(__name__, title="batch.name", fullest={"row": "2"}, fills=True)
