"""What the sentence becomes, step by step."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(__name__, title="training_translation.name", fullest={"step": "400"})
