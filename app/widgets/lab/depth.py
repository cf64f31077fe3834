"""The norm before or after a sub-layer, and the residual cut, followed through the layers."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import streamlit as st

from app.figures.lab_depth import NUMBERS, Panel, depth_figure, depth_legend
from app.widgets.chart import current_look, show_chart
from app.widgets.lab import kit
from app.widgets.lab.kit import Field
from app.widgets.style import put_sheet
from app.words import say
from core.lab.depth import Depth, Stack, depth

SIGNALS = ("lengths", "gradients", "likeness")


def show() -> None:
    """Draw the bench."""
    put_sheet(__file__, "measured.css")
    kit.head("depth")
    inputs, legend = st.columns([1, 1.25], gap="medium")
    with inputs:
        found = kit.worked("depth", _fields(), _measured).result
    look = current_look()
    names = [_name(stack) for stack in found.stacks]
    heads = [say(f"lab_depth.top_{number}") for number in NUMBERS]
    legend.html(depth_legend(found.stacks, names, heads, look))
    panels = [
        Panel(say(f"lab_depth.{signal}"), _curves(found, signal), signal == "gradients")
        for signal in SIGNALS
    ]
    figure = depth_figure(panels, found.stacks, names, say("lab_depth.layer"), look)
    with st.container(key="lab_chart"):
        show_chart(figure, "lab_depth_chart", say("lab_depth.alt"), fill=True)


# The same inputs come again with every change of language, theme or type size.
_measured = lru_cache(maxsize=32)(depth)


def _curves(found: Depth, signal: str) -> list[np.ndarray]:
    return [getattr(stack, signal).numpy() for stack in found.stacks]


def _name(stack: Stack) -> str:
    return say(f"lab_depth.{stack.place}_{'whole' if stack.residual else 'cut'}")


def _fields() -> list[Field]:
    layers, width = say("lab_depth.input_layers"), say("lab_depth.input_width")
    return [
        Field("layers", "N", 8, "slider", about=layers, low=1, high=12, step=1),
        Field("width", "d_model", 32, "slider", about=width, low=8, high=64, step=4),
        Field("seed", say("lab_depth.seed"), 0, about=say("lab_depth.input_seed"), low=0, step=1),
    ]
