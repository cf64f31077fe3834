"""Experiments to start from."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(__name__, title="switch_examples.name")
