"""The benches inside a layer."""

from functools import lru_cache
from typing import Any

import streamlit as st
import torch

from glassformer.app.pages.lab import kit, whose
from glassformer.app.pages.lab.depth.figures import depth_figure, depth_legend
from glassformer.app.pages.lab.figures.norms import (
    formula_latex,
    formula_tables,
    moved_table,
    norm_tables,
    shapes_table,
    spreads_figure,
    stretched_tables,
)
from glassformer.app.pages.lab.inputs import Field
from glassformer.app.pages.lab.norm_axes.figures import axes_html
from glassformer.app.pages.lab.one_matrix.figures import one_matrix_drawing
from glassformer.app.pages.lab.split.figures import LANES, split_drawing
from glassformer.app.session import store
from glassformer.app.ui import pick
from glassformer.app.ui.chart import current_look, show_chart
from glassformer.app.ui.component import component
from glassformer.app.ui.layout import box
from glassformer.app.words import say
from glassformer.core.errors import GlassformerError
from glassformer.core.lab.depth import measure_depth
from glassformer.core.lab.head_split import HeadSplit, head_split
from glassformer.core.lab.inputs import read_choice
from glassformer.core.lab.norm_axes import EPSILON, NORMS, X, norm_axes
from glassformer.core.lab.norms import LayerNorms, beside_batch_norm, layer_norms
from glassformer.core.lab.one_matrix import OneMatrix, both_ways, one_matrix

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

PADDED = (
    ((1.0, 2.0, 3.0, 4.0), (2.0, 0.0, 5.0, 1.0), (4.0, 1.0, 0.0, 3.0)),
    ((6.0, 7.0, 5.0, 9.0), (0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0)),
)
FULL = (PADDED[0], (PADDED[1][0], (8.0, 5.0, 7.0, 4.0), (5.0, 9.0, 6.0, 6.0)))
BATCHES: dict[str, dict[str, Any]] = {
    "padded": {"x": PADDED, "lengths": (3, 1)},
    "full": {"x": FULL, "lengths": (3, 3)},
    "alone": {"x": PADDED[:1], "lengths": (3,)},
    "word": {"x": (PADDED[0][:1],), "lengths": (1,)},
}
BATCH_NORM = (
    Field("x", "x", PADDED, "block"),
    Field("lengths", "", (3, 1), "row", "norm"),
    Field("epsilon", "ε", 1e-6, role="norm"),
)

NORM_AXES = (
    Field("x", "x", X, "block"),
    Field("reading", "", "image", "choice", "norm", options=("image", "words")),
    Field("at", "", 6, "slider", "norm", low=1, high=torch.tensor(X).numel(), step=1),
    Field("epsilon", "ε", EPSILON, role="norm"),
)

DEPTH = (
    Field("layers", "N", 8, "slider", low=1, high=12, step=1),
    Field("width", "d_model", 32, "slider", low=8, high=64, step=4),
    Field("seed", "", 0, low=0, step=1),
)

SPLIT = (
    Field("way", "", "split", "choice", options=tuple(LANES)),
    Field("sentences", "B", 1, low=1, high=2, step=1),
    Field("words", "S", 4, "slider", low=1, high=6, step=1),
    Field("width", "D", 8, "slider", low=2, high=16, step=1),
    Field("heads", "H", 2, "slider", "query", low=1, high=4, step=1),
)
ONE_MATRIX = (
    Field("words", "S", 3, "slider", low=1, high=4, step=1),
    Field("width", "D", 4, "slider", low=2, high=12, step=1),
    Field("heads", "H", 2, "slider", "query", low=1, high=4, step=1),
    Field("seed", "", 0, low=0, step=1),
)
_blocks = component(__file__, "blocks")


def show_layer_norm() -> None:
    """Layer norm's formulas, and how its parts are stretched over the batch."""
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


def show_batch_norm() -> None:
    """Layer norm beside batch norm."""
    look, texts = current_look(), kit.draw_bench_head("batch_norm")
    kit.draw_presets("batch_norm", BATCHES)
    found = kit.compute_from_inputs("batch_norm", BATCH_NORM, beside_batch_norm).result
    st.html(norm_tables(found, texts, look))
    st.markdown(f"**{texts['moved']}**")
    st.html(moved_table(found, texts, look))


def show_norm_axes() -> None:
    """Over which axes five norms take their mean."""
    look, texts = current_look(), kit.draw_bench_head("norm_axes")
    answer = kit.compute_from_inputs("norm_axes", NORM_AXES, norm_axes)
    reading = answer.typed["reading"]
    told = {
        key: (say(f"lab_norm_axes.over_{key}_{reading}"), say(f"lab_norm_axes.use_{key}"))
        for key in NORMS
    }
    st.html(axes_html(answer.result, told, texts, look))


def show_depth() -> None:
    """The norm before or after a sub-layer, and the residual cut, followed through the layers."""
    look, texts = current_look(), kit.draw_bench_head("depth")
    inputs, legend = st.columns([1, 1.25], gap="medium")
    with inputs:
        stacks = kit.compute_from_inputs("depth", DEPTH, _depth).result
    legend.html(depth_legend(stacks, texts, look))
    kit.draw_chart("depth", depth_figure(stacks, texts, look))


# The same inputs come again with every change of language, theme or type size.
_depth = lru_cache(maxsize=32)(measure_depth)


def show_split() -> None:
    """Sizes above, the regrouping into heads below."""
    texts = kit.draw_bench_head("split")
    answer = kit.compute_from_inputs("split", SPLIT, _split)
    found, way = answer.result, answer.typed["way"]
    wrong = found.steps["wrong_view" if way == "split" else "wrong_concat"].misplaced
    counts = {"wrong": int(wrong.sum()), "cells": wrong.numel()}
    texts[f"wrong_{way}"] = say(f"lab_split.wrong_{way}", **counts)
    drawing = split_drawing(found, way, texts, current_look())
    with box("fill tallest", "lab_split_fill", gap=None):
        _blocks("lab_split_blocks", drawing | {"alt": texts["alt"], "hint": texts["hint"]})


def show_one_matrix() -> None:
    """The heads' own small matrices, and the one large matrix that stands for them."""
    look, texts = current_look(), kit.draw_bench_head("one_matrix")
    whose.tell_stand_in()
    found = kit.compute_from_inputs("one_matrix", ONE_MATRIX, one_matrix, note=_rounding).result
    heads, width, inside = found.small.shape
    small = f"{heads} × {width} × {inside} = {found.small.numel()}"
    texts["small"] = say("lab_one_matrix.small", heads=heads, count=small)
    texts["large"] = say("lab_one_matrix.large", count=f"{width} × {width} = {width * width}")
    drawing = one_matrix_drawing(found, texts, look)
    with box("fill tall", "lab_one_matrix_fill", gap=None):
        _blocks("lab_one_matrix_blocks", drawing | {"alt": texts["alt"], "hint": texts["hint"]})


def _rounding(found: OneMatrix, _edited: bool) -> str:
    """How far the two are apart, here and in the model on screen with its sentence."""
    look = current_look()
    here = say("lab_one_matrix.equal", difference=look.number(found.difference))
    try:
        model = whose.transformer()
    except GlassformerError:
        return here
    attention: Any = model.encoder.layers[0].self_attention
    trace = whose.bench_trace()
    with torch.no_grad():
        ids = torch.as_tensor(trace["source/ids"][:1], device=model.generator.weight.device)
        x = model.source_embedding(ids)[0]
    real = both_ways(attention, x)
    width, inside = real.large.size(0), real.small.size(-1)
    sizes = {"heads": len(real.small), "width": width, "inside": inside, "words": len(x)}
    said = say("lab_one_matrix.model", difference=look.number(real.difference), **sizes)
    return say("language.gap").join([here, said])


@lru_cache(maxsize=64)
def _split(way: Any, **sizes: Any) -> HeadSplit:
    read_choice("way", way, LANES)
    return head_split(**sizes)
