"""Middle: the panel in view before, after, and their difference."""

from typing import cast

import streamlit as st
import torch

from glassformer.app.panels.address_words import place
from glassformer.app.panels.compare import pickers, triple
from glassformer.app.panels.compare.figures.triple_layout import TripleLayout
from glassformer.app.panels.compare.triple import Matrix
from glassformer.app.runs import on_screen
from glassformer.app.runs.traces import get_trace
from glassformer.app.session import store
from glassformer.app.session.memory import Pair
from glassformer.app.session.state import STAGES
from glassformer.app.ui.pick import menu
from glassformer.app.words import say
from glassformer.core.analysis.attention_views import Kind, attention_at
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions.effect import first_changed
from glassformer.core.trace.address import Address
from glassformer.core.trace.graph import Stack, layer_count
from glassformer.core.trace.sites import site_at
from glassformer.core.trace.trace import Trace

# What the column has at 1440 × 900; at other sizes the shares stay, only labels do not grow.
WIDTH, HEIGHT = 580, 450
WHOLE = 1000  # the same of the whole page, where the pictures stand in a row
LEAST = 352  # the least height of the pictures in `panel.css`, which grows with the type
ATTENTION = "attention"
KEY = "beside_switch"


def show() -> None:
    """Draw the pickers and the three pictures; with nothing switched, the plain one."""
    found, trace = plain_and_switched(), on_screen.trace_on_screen()
    chosen = in_view(trace)
    asked, title = matrix_and_title(chosen)
    with pickers.picker_row("switch_what"):
        _what(trace, chosen)
        first = first_change(found, asked.address)
        if first:
            st.button(
                say("beside.to_first"),
                key="beside_to_first",
                type="tertiary",
                icon=":material/near_me:",
                help=say("beside.to_first_help"),
                on_click=to_first_change,
                args=(first,),
            )
    with pickers.picker_row("switch_where"):
        if chosen == ATTENTION:
            pickers.pick_attention(trace, "beside_switch")
        else:  # where it is, and which head of it
            st.markdown(place(chosen) or "\u00a0", width="content")
            if any(axis.name == "head" for axis in trace.axes(chosen)):
                pickers.one_head(trace.config.of(chosen).n_heads, "beside_switch_tensor")
    shown = found or triple.plain_pair(trace)
    height = max(HEIGHT, LEAST * store.get_state().size // 100)
    in_a_row = store.get_state().switches == "masks"
    layout = TripleLayout(WHOLE if in_a_row else WIDTH, height, in_a_row)
    triple.show(shown, asked, KEY, title, layout, found is None)


def plain_and_switched() -> Pair | None:
    """The plain run and the switched one, also where two sentences stand beside each other."""
    found = on_screen.pair_on_screen()
    if found is None or found.kind == "experiment" or not on_screen.experiment_on_screen():
        return found
    now = store.get_state()
    try:
        plain = get_trace(now.own_text, now.direction, now.model, now.version)
    except GlassformerError:  # the stage bar says it; the last good runs stay
        return found
    return Pair("experiment", plain, found.first)


def in_view(trace: Trace) -> str:
    """`ATTENTION`, or the address of another tensor."""
    address = store.get_state().address
    if address not in trace:
        return ATTENTION
    site = site_at(address)
    is_map = site.group == "attention" and site.name in STAGES
    return ATTENTION if is_map else address


def matrix_and_title(chosen: str) -> tuple[Matrix, str]:
    """What the panel shows, and its title."""
    now = store.get_state()
    if chosen != ATTENTION:
        return Matrix(chosen, pins={"head": now.head or 0}), say(site_at(chosen).text_key)
    address = f"{attention_at(cast(Kind, now.kind), now.layer)}/{now.stage}"
    asked = Matrix(address, pins={"head": now.head or 0}, mean=now.head is None)
    return asked, say(f"attention.title_{now.kind}")


def matrices_offered(trace: Trace, chosen: str) -> dict[str, str]:
    """What can be put in view: in the layer and the stack in focus."""
    now = store.get_state()
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


def first_change(found: Pair | None, address: str) -> str:
    """The first tensor that differs, where the one in view does not; "" where none does.

    On the first run's words, if the second wrote others.
    """
    if found is None or not (address in found.first and address in found.second):
        return ""
    if not torch.equal(found.first[address], found.second[address]):
        return ""
    after = on_screen.forced_run() if found is on_screen.pair_on_screen() else None
    return first_changed(found.first, after or found.second)


def to_first_change(address: str) -> None:
    """Bring it into view; kind and layer, of a map its stage, into the focus of all pages."""
    at = Address.of(address)
    layer = {} if at.layer is None else {"kind": at.kind, "layer": at.layer}
    stage = {"stage": at.name} if at.name in STAGES else {}
    store.update(address=address, **layer, **stage)


def _what(trace: Trace, chosen: str) -> None:
    labels = matrices_offered(trace, chosen)

    def take(value: str) -> None:
        store.update(address="" if value == ATTENTION else value)

    width = (150 if chosen == ATTENTION else 340) * store.get_state().size // 100
    menu("beside_what", say("beside.what"), labels, chosen, take, width=width)
    if chosen == ATTENTION:
        pickers.pick_stage(on_screen.trace_on_screen(), "beside_switch")
