"""Where words lie in a plane, and how they came there."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(__name__, title="training_words.name", fullest={"step": "400"})
