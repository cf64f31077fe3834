"""How long the vectors are, and how the weights have grown."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(__name__, title="training_lengths.name", fullest={"step": "400"})
