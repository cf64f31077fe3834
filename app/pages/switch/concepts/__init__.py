"""Steps and conventions of the paper, switched."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(__name__, title="switch_concepts.name", fullest={"result": "by_layer"})
