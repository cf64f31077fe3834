"""Activation patching: which vectors carry a difference."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(__name__, title="patching.name", fullest={"watch": "1"}, fills=True)
