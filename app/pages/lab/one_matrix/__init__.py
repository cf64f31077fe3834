"""The heads' own small matrices, and the one large matrix that stands for them."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__,
    title="lab_one_matrix.name",
    top="lab_one_matrix.title",
    group="lab.group_layers",
    fullest={"inputs": "one_matrix:heads,'4"},
)
