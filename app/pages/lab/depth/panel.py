"""The norm before or after a sub-layer, and the residual cut, followed through the layers."""

from functools import lru_cache
from typing import Any

import streamlit as st

from glassformer.app.pages.lab import kit
from glassformer.app.pages.lab.depth.figures import depth_figure, depth_legend
from glassformer.app.pages.lab.inputs import Field
from glassformer.app.ui.chart import current_look
from glassformer.core.lab.depth import measure_depth

DEPTH = (
    Field("layers", "N", 8, "slider", low=1, high=12, step=1),
    Field("width", "d_model", 32, "slider", low=8, high=64, step=4),
    Field("span", "k", 0, "slider", "norm", low=0, high=12, step=1),
    Field("seed", "", 0, low=0, step=1),
)


def show() -> None:
    """Draw the inputs and what comes of them."""
    look, texts = current_look(), kit.draw_bench_head("depth")
    inputs, legend = st.columns([1, 1.25], gap="medium")
    with inputs:
        answer = kit.compute_from_inputs("depth", DEPTH, _depth)
    legend.html(depth_legend(answer.result, texts, look))

    def draw(answer: kit.Answer[Any]) -> None:
        kit.draw_chart("depth", depth_figure(answer.result, texts, look))

    kit.draw_with_foresight(answer, draw)


# The same inputs come again with every change of language, theme or type size.
_depth = lru_cache(maxsize=32)(measure_depth)
