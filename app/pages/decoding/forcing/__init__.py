"""Teacher forcing: the right words are read, not the own ones."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(__name__, title="forcing.name", top="forcing.top", fullest={"moment": "2"})
