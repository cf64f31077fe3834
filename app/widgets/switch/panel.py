"""Middle: the panel in view before, after, and their difference."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import streamlit as st
import torch

from app import service, state
from app.figures.triple_layout import TripleLayout
from app.service import Pair
from app.widgets.attention.focus import head_name
from app.widgets.beside import pickers, triple
from app.widgets.beside.triple import Asked
from app.widgets.beside.wording import place_words
from app.words import say
from core.effect import first_changed
from core.errors import GlassformerError
from core.reading.attention_views import Kind, attention_at
from core.reading.blocks import Stack, layer_count
from core.trace.sites import site_at
from core.trace.trace import Trace

# What the column has at 1440 × 900; at other sizes the shares stay, only labels do not grow.
LAYOUT = TripleLayout(width=580, height=450, arrangement="corner")
ATTENTION = "attention"
KEY = "beside_switch"


def show() -> None:
    """Draw the pickers and the three pictures; with nothing switched, the plain one."""
    st.html(Path(__file__).with_name("panel.css"))
    found, trace = pair(), service.on_screen()
    chosen = in_view(trace)
    asked, title = what(chosen)
    with pickers.row("switch_what"):
        _what(trace, chosen)
        if found is not None and untouched(found, asked.address):
            st.button(
                say("beside.to_first"),
                key="beside_to_first",
                type="tertiary",
                icon=":material/near_me:",
                help=say("beside.to_first_help"),
                on_click=to_first_change,
                args=(found,),
            )
    with pickers.row("switch_where"):
        if chosen == ATTENTION:
            pickers.focused(trace, "beside_switch")
    triple.show(found or triple.plain_pair(trace), asked, KEY, title, LAYOUT, plain=found is None)


def pair() -> Pair | None:
    """The plain run and the switched one, also where two sentences stand beside each other."""
    found = service.pair()
    if found is None or found.kind == "experiment" or not service.experiment():
        return found
    now = state.get_state()
    try:
        plain = service.get_trace(now.text, now.direction, now.model, now.step)
    except GlassformerError:  # the stage bar says it; the last good runs stay
        return found
    return Pair("experiment", plain, found.first)


def in_view(trace: Trace) -> str:
    """`ATTENTION`, or the address of another tensor."""
    address = state.get_state().address
    if address not in trace:
        return ATTENTION
    site = site_at(address)
    is_map = site.group == "attention" and site.name in state.STAGES
    return ATTENTION if is_map else address


def what(chosen: str) -> tuple[Asked, str]:
    """What the panel shows, and its title."""
    now = state.get_state()
    if chosen != ATTENTION:
        words = say(site_at(chosen).text_key)
        return Asked(chosen, pins={"head": now.head or 0}), f"{words} · {place_words(chosen)}"
    address = f"{attention_at(cast(Kind, now.kind), now.layer)}/{now.stage}"
    title = f"{head_name(now.layer, now.head)} · {say(f'attention.title_{now.kind}')}"
    return Asked(address, pins={"head": now.head or 0}, mean=now.head is None), title


def offered(trace: Trace, chosen: str) -> dict[str, str]:
    """What can be put in view: in the layer and the stack in focus."""
    now = state.get_state()
    stack: Stack = "encoder" if now.kind == "encoder" else "decoder"
    layer = min(now.layer, layer_count(trace.config, stack) - 1)
    end = "norm/output" if trace.config.norm_place == "post" else "residual/summed"
    attended = f"{attention_at(cast(Kind, now.kind), layer)}/output"
    found = {
        ATTENTION: say("beside.what_attention"),
        attended: say("beside.what_attended"),
        f"{stack}/{layer}/feed_forward_{end}": say("beside.what_stream"),
        f"{stack}/{layer}/feed_forward/activation": say("beside.what_activation"),
        "output/probabilities": say("beside.what_probabilities"),
    }
    found.setdefault(chosen, say("beside.what_other", address=chosen))
    return found


def untouched(found: Pair, address: str) -> bool:
    """Whether both runs have the tensor and not one of its numbers differs."""
    there = address in found.first and address in found.second
    return there and torch.equal(found.first[address], found.second[address])


def to_first_change(found: Pair) -> None:
    """Bring the first tensor that differs into view; on the first run's words, if they parted."""
    address = first_changed(found.first, service.forced() or found.second)
    if not address:
        return
    state.update(address=address, **_focus(address))


def _focus(address: str) -> dict[str, object]:
    """Where an address is, for the focus of all pages: kind and layer, of a map its stage."""
    parts, site = address.split("/"), site_at(address)
    if len(parts) < 3:
        return {}
    kind = "encoder" if parts[0] == "encoder" else "decoder"
    found: dict[str, object] = {
        "kind": "cross" if "cross_attention" in parts[2] else kind,
        "layer": int(parts[1]),
    }
    return found | ({"stage": site.name} if site.name in state.STAGES else {})


def _what(trace: Trace, chosen: str) -> None:
    labels = offered(trace, chosen)

    def take() -> None:
        value = state.widget_value("beside_what")
        state.update(address="" if value == ATTENTION else value)

    st.selectbox(
        say("beside.what"),
        tuple(labels),
        key=state.bind("beside_what", chosen),
        format_func=labels.__getitem__,
        on_change=take,
        label_visibility="collapsed",
        width=150 if chosen == ATTENTION else 190,
    )
    if chosen == ATTENTION:
        pickers.stages("beside_switch")
