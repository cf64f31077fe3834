"""One head as a film strip: a map a step."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(__name__, title="training_film.name", fullest={"step": "400"})
