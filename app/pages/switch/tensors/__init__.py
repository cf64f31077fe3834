"""Any recorded tensor, changed by hand."""

from glassformer.app.panels.panel import Panel

PANEL = Panel(
    __name__,
    title="tensor_edit.name",
    fullest={
        "second": "I like the cat because it was big",
        "result": "by_layer",
        "draft": "form:act,noise,spread,'0.5,at_query,(1,2)",
    },
)
