"""A model to build, every convention a switch."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__,
    title="lab_model.name",
    top="lab_model.title",
    group="lab.group_model",
    fullest={"inputs": "model:n_heads,'4,d_model,'64,ids,sentence;model_view:view,counts"},
)
