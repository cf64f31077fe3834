"""Where the heads look at a step."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(__name__, title="training_attention.name", fullest={"step": "400", "curves": "all"})
