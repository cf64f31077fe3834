"""Sizes above, the regrouping into heads below."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__,
    title="lab_split.name",
    top="lab_split.title",
    group="lab.group_layers",
    fullest={"inputs": "split:heads,'4,way,concat"},
)
