"""Every step of the decoder: what it read, chose and looked at."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(__name__, title="timeline.name", fullest={"forced": "1:30", "moment": "2"})
