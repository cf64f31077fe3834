"""Bench: layer norm's formulas, and how its parts are stretched over the batch."""

from __future__ import annotations

import streamlit as st

from app import state
from app.figures.lab_layer_norm import (
    formula_latex,
    formula_tables,
    shapes_table,
    spreads_figure,
    stretched_tables,
)
from app.widgets.chart import current_look, show_chart
from app.widgets.lab import kit
from app.widgets.lab.kit import Field
from app.widgets.pick import into, segments
from app.words import say
from core.lab.layer_norms import LayerNorms, layer_norms

# The first word of the second sentence is that of the first × 10, the second one hardly varies.
X = (
    ((1.0, 2.0, 3.0, 4.0), (-2.0, 0.0, 5.0, 1.0)),
    ((10.0, 20.0, 30.0, 40.0), (0.001, 0.002, 0.003, 0.004)),
)
VIEWS = ("formulas", "stretched")
NAMES = ("population_inside", "population_outside", "sample_inside", "sample_outside")
TEXTS = (
    *NAMES, "output", "std_population", "std_sample", "left", "curves", "axis", "one", "mean",
    "gamma", "bare", "axes", "fits", "refused", "silent",
)  # fmt: skip


def show() -> None:
    """Draw the bench."""
    view = state.get_state().norms
    kit.headed(say(f"lab_layer_norm.title_{view}"), say(f"lab_layer_norm.about_{view}"))
    with st.container(key="lab_layer_norm_view"):
        labels = {name: say(f"lab_layer_norm.view_{name}") for name in VIEWS}
        segments("lab_layer_norm_view", say("lab_layer_norm.view"), labels, view, into("norms"))
    found = kit.worked("layer_norm", _fields(), layer_norms, [_width()]).result
    texts = {name: say(f"lab_layer_norm.{name}") for name in TEXTS}
    if view == "formulas":
        _formulas(found, texts)
    else:
        _stretched(found, texts)


def _formulas(found: LayerNorms, texts: dict[str, str]) -> None:
    look = current_look()
    with st.container(key="lab_layer_norm_all", horizontal=True, gap="medium"):
        with st.container(key="lab_layer_norm_four", gap="small"):
            for each in found.formulas:
                name = f"{each.deviation}_{each.place}"
                badge = f":green-badge[{say(f'lab_layer_norm.of_{name}')}]" if each.of_model else ""
                with st.container(key=f"lab_layer_norm_{name}", gap=None):
                    st.markdown(f"**{texts[name]}** &ensp; ${formula_latex(each, look)}$ {badge}")
                    st.html(formula_tables(each, found, texts, look))
        with st.container(key="lab_layer_norm_curves", gap=None):
            figure = spreads_figure(found, texts, look)
            show_chart(figure, "lab_layer_norm_chart", say("lab_layer_norm.alt"), fill=True)


def _stretched(found: LayerNorms, texts: dict[str, str]) -> None:
    look = current_look()
    st.html(shapes_table(found, texts, look))
    st.markdown(f"**{say('lab_layer_norm.copies')}**")
    st.html(stretched_tables(found, look))


def _width() -> list[tuple[str, str]]:
    return [("x", "columns"), ("gamma", "columns"), ("beta", "columns")]


def _fields() -> list[Field]:
    return [
        Field("x", "x", X, "block", about=say("lab_layer_norm.about_x"),
              grow=("columns",), least=2, most=5),
        Field("gamma", "γ", [1] * 4, "row", "feed_forward"),
        Field("beta", "β", [0] * 4, "row", "feed_forward"),
        Field("epsilon", "ε", 1e-6, about=say("lab_layer_norm.about_epsilon")),
    ]  # fmt: skip
