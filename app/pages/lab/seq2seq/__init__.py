"""An LSTM's gates word by word, and what its last state and attention still know."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__,
    title="lab_seq2seq.name",
    top="lab_seq2seq.title",
    group="lab.group_sequence",
    fullest={"inputs": "seq2seq:forget,'3,step,'8"},
)
