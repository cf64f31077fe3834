"""Masks of the whole model: causal, padding, and how a forbidden score is written."""

from __future__ import annotations

import streamlit as st

from app import experiments, state
from app.widgets.pick import segments
from app.widgets.switch import mask_paint
from app.widgets.switch.mask_focus import MaskFocus
from app.words import say
from core.edits.masks import DECODER_SELF, Causal, PaddingOff
from core.edits.switch import Switch

FILLS = ("large_negative", "minus_infinity", "additive")
# The switch that makes the causal mask of a kind other than it is by itself.
CAUSAL = {
    "decoder": Causal(DECODER_SELF, on=False),
    "encoder": Causal("encoder/*/self_attention", on=True),
    "cross": Causal("decoder/*/cross_attention", on=True),
}


def show(focus: MaskFocus) -> None:
    """Three masks on or off, and the fill."""
    switches: dict[str, Switch] = {
        "causal": CAUSAL[focus.kind],
        "padding_source": PaddingOff("source"),
        "padding_target": PaddingOff("target"),
    }
    on = [name for name, switch in switches.items() if _acts(switch)]
    labels = {name: say(f"masks.{name}") for name in switches}

    def take() -> None:
        after = state.widget_value("mask_quick")
        for name in set(on).symmetric_difference(after):
            experiments.toggle(switches[name])

    about = [say(f"masks.causal_{focus.kind}_help")]
    about += [say(f"masks.{name}_help") for name in ("padding_source", "padding_target")]
    with st.container(key="mask_quick", horizontal=True, gap="small"):
        st.markdown(say("masks.quick"), help="\n\n".join(about), width="content")
        st.segmented_control(
            say("masks.quick"),
            list(switches),
            selection_mode="multi",
            key=state.bind("mask_quick", on),
            format_func=labels.__getitem__,
            label_visibility="collapsed",
            width="content",
            on_change=take,
        )
    _fill(focus)


def _acts(switch: Switch) -> bool:
    """Whether the mask is there that a switch takes away, or gives."""
    given = isinstance(switch, Causal) and switch.on
    return given == (switch in experiments.now())


def _fill(focus: MaskFocus) -> None:
    labels = {fill: say(f"masks.fill_{fill}") for fill in FILLS}

    with st.container(key="mask_fill", horizontal=True, gap="small"):
        st.markdown(say("masks.fill"), help=say("masks.fill_help"), width="content")
        fill = focus.trace.config.mask_fill
        segments("mask_fill_is", say("masks.fill"), labels, fill, mask_paint.fill_with)
