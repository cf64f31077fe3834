"""How alike the positions are, alone and with the words."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(__name__, title="training_positions.name", fullest={"step": "400"})
