"""Which words of the source and of the target the word of a step came from, by seven methods."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(__name__, title="which_word.name", top="which_word.top", fullest={"moment": "2"})
