"""Layer norm's formulas, and how its parts are stretched over the batch."""

import streamlit as st

from glassformer.app.pages.lab import kit
from glassformer.app.pages.lab.figures.norms import (
    formula_latex,
    formula_tables,
    shapes_table,
    spreads_figure,
    stretched_tables,
)
from glassformer.app.pages.lab.inputs import Field
from glassformer.app.session import store
from glassformer.app.ui import pick
from glassformer.app.ui.chart import current_look, show_chart
from glassformer.app.ui.layout import box
from glassformer.app.words import say
from glassformer.core.lab.norms import LayerNorms, layer_norms

# The first word of the second sentence is that of the first × 10, the second one hardly varies.
NORMED = (
    ((1.0, 2.0, 3.0, 4.0), (-2.0, 0.0, 5.0, 1.0)),
    ((10.0, 20.0, 30.0, 40.0), (0.001, 0.002, 0.003, 0.004)),
)
LAYER_NORM = (
    Field("x", "x", NORMED, "block", grow=("columns",), least=2, most=5),
    Field("gamma", "γ", [1] * 4, "row", "feed_forward"),
    Field("beta", "β", [0] * 4, "row", "feed_forward"),
    Field("epsilon", "ε", 1e-6),
)
VIEWS = ("formulas", "stretched")


def show() -> None:
    """Draw the inputs and what comes of them."""
    view = store.get_state().norms
    kit.draw_heading(say(f"lab_layer_norm.title_{view}"), say(f"lab_layer_norm.about_{view}"))
    texts = kit.bench_texts("layer_norm")
    with st.container(key="lab_layer_norm_view"):
        pick.draw_choice(
            "lab_layer_norm_view", "lab_layer_norm.view", VIEWS, view, pick.set_field("norms")
        )
    ties = [[("x", "columns"), ("gamma", "columns"), ("beta", "columns")]]
    found = kit.compute_from_inputs("layer_norm", LAYER_NORM, layer_norms, ties).result
    if view == "formulas":
        _formulas(found, texts)
        return
    st.html(shapes_table(found, texts, current_look()))
    st.markdown(f"**{texts['copies']}**")
    st.html(stretched_tables(found, current_look()))


def _formulas(found: LayerNorms, texts: dict[str, str]) -> None:
    look = current_look()
    with box("fill", "lab_layer_norm_all", horizontal=True, gap="medium"):
        with box("wide", "lab_layer_norm_four", gap="small"):
            for each in found.formulas.values():
                name = f"{each.deviation}_{each.place}"
                whose = (
                    say(f"lab_layer_norm.of_{each.deviation}_{each.place}") if each.of_model else ""
                )
                badge = f":green-badge[{whose}]" if whose else ""
                with st.container(key=f"lab_layer_norm_{name}", gap=None):
                    st.markdown(f"**{texts[name]}** &ensp; ${formula_latex(each, look)}$ {badge}")
                    st.html(formula_tables(each, found, texts, look))
        with box("fill", "lab_layer_norm_curves", gap=None):
            figure = spreads_figure(found, texts, look)
            show_chart(figure, "lab_layer_norm_chart", texts["alt"], fill=True)
