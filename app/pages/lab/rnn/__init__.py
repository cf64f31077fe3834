"""A recurrent encoder and decoder that learn to write, with attention and without."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__,
    title="lab_rnn.name",
    top="lab_rnn.title",
    group="lab.group_sequence",
    fullest={"inputs": "rnn:letters,BADGEBADGEHEAD"},
)
