"""Over which axes five norms take their mean."""

import streamlit as st
import torch

from glassformer.app.pages.lab import kit
from glassformer.app.pages.lab.inputs import Field
from glassformer.app.pages.lab.norm_axes.figures import axes_html
from glassformer.app.ui.chart import current_look
from glassformer.app.words import say
from glassformer.core.lab.norm_axes import EPSILON, GROUPS, NORMS, X, norm_axes

NORM_AXES = (
    Field("x", "x", X, "block"),
    Field("reading", "", "image", "choice", "norm", options=("image", "words")),
    Field("at", "", 6, "slider", "norm", low=1, high=torch.tensor(X).numel(), step=1),
    Field("groups", "G", "2", "choice", "norm", options=[str(each) for each in GROUPS]),
    Field("epsilon", "ε", EPSILON, role="norm"),
)


def show() -> None:
    """Draw the inputs and what comes of them."""
    look, texts = current_look(), kit.draw_bench_head("norm_axes")
    answer = kit.compute_from_inputs("norm_axes", NORM_AXES, norm_axes)
    reading = answer.typed["reading"]
    told = {
        key: (
            say(f"lab_norm_axes.over_{key}_{reading}", groups=answer.typed["groups"]),
            say(f"lab_norm_axes.use_{key}"),
        )
        for key in NORMS
    }
    st.html(axes_html(answer.result, told, texts, look))
