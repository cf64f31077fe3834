"""One experiment over many texts."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(__name__, title="over_texts.name", fullest={"over": "heads"}, fills=True)
