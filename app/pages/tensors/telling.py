"""A few telling tensors in reading order, as small pictures; a click shows one in full."""

from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.pages.tensors.controls import pick
from app.panels.address_words import place, short_shape
from app.panels.attention.focus import AttentionFocus, first_head
from app.plots.colours import diverging, sequential
from app.plots.labels import format_percent, visible
from app.plots.theme import FigureStyle
from app.session import store
from app.ui.component import CELLS, component, packed
from app.ui.layout import box
from app.ui.text import on_top
from app.words import say
from core.analysis.attention_views import attention_at, head_map, pooled
from core.analysis.choices import probabilities
from core.trace.graph import stack_end
from core.trace.tables import as_numpy
from core.trace.trace import Trace

MOST = 128  # columns of a picture
EVEN = 127  # the level of 0 where values have signs; 254 is the largest

_telling = component(__file__, "telling", scripts=(CELLS,))


@dataclass(frozen=True)
class Telling:
    """One of the tensors: what it is called in `tensors.telling_<name>`, and its numbers (R, C)."""

    name: str
    address: str
    values: np.ndarray
    said: dict[str, str] = field(default_factory=dict)  # what its line says of this run
    focus: dict[str, Any] = field(default_factory=dict)  # of the state: the head that is meant


def show(trace: Trace, look: FigureStyle) -> None:
    """Draw the sentence on top and the cards."""
    found = {each.address: each for each in telling(trace, look)}
    on_top(escape(say("tensors.telling_top", count=len(found))))
    data = {"cards": [_card(trace, each, look) for each in found.values()]}

    def take(sent: dict[str, str]) -> None:
        if chosen := found.get(sent["address"]):
            store.update(**chosen.focus)
            pick(chosen.address)

    with box("fill tall grows", "tensors_telling", gap=None):
        _telling("telling", data, height="stretch", pick=take)


def telling(trace: Trace, look: FigureStyle) -> list[Telling]:
    """From the words to the next word's probabilities, in the order in which they are computed."""
    rows = {
        "embedding": "source/embedding",
        "positions": "source/positions",
        "memory": "memory",
        "stream": stack_end(trace.config, "decoder"),
    }
    found = [
        Telling(name, address, _rows(trace, address))
        for name, address in rows.items()
        if address in trace
    ]
    head = _head(trace, look)
    at = sum(each.name not in ("memory", "stream") for each in found)  # places of the source
    if head.focus["kind"] != "encoder":
        at = len(found) - 1
    word, share = visible(trace.output_tokens[0]), format_percent(probabilities(trace)[0])
    address, said = "output/probabilities", {"word": word, "percent": share}
    whole = Telling("probabilities", address, _rows(trace, address), said)
    return [*found[:at], head, *found[at:], whole]


def _head(trace: Trace, look: FigureStyle) -> Telling:
    """The head that shows most of the sentence, or the mean of its layer."""
    kind, layer, head = first_head(trace)
    place = {"kind": kind, "layer": layer, "head": head}
    focus = AttentionFocus(store.get_state().changed(**place, query=None, key=None), trace, look)
    weights = head_map(trace, kind, layer, head, "weights").weights
    (query, key), (row, word) = focus.cell, focus.words
    said = {"row": row, "word": word, "percent": format_percent(float(weights[query, key]))}
    return Telling("weights", f"{attention_at(kind, layer)}/weights", weights, said, place)


def _rows(trace: Trace, address: str) -> np.ndarray:
    tensor = trace[address]
    return as_numpy(tensor[0] if tensor.dim() == 3 else tensor)


def levels(values: np.ndarray) -> NDArray[np.uint8]:
    """A byte a cell: 0–254 from 0 to the largest value, or about `EVEN` for signed ones."""
    shown = np.nan_to_num(values.astype(np.float64), posinf=0.0, neginf=0.0)
    if shown.min(initial=0) >= 0:
        small = pooled(shown, MOST).astype(np.float64)
        return np.rint(small / (float(small.max(initial=0)) or 1.0) * 2 * EVEN).astype(np.uint8)
    shown = shown[:, :: -(-shown.shape[1] // MOST)]
    reach = float(np.abs(shown).max(initial=0)) or 1.0
    return np.rint(EVEN + EVEN * shown / reach).astype(np.uint8)


def _card(trace: Trace, each: Telling, look: FigureStyle) -> dict[str, Any]:
    cells = levels(each.values)
    signed = bool(np.nan_to_num(each.values).min(initial=0) < 0)
    role = trace.site(each.address).role
    where = " · ".join(filter(None, (place(each.address), short_shape(trace[each.address].shape))))
    return {
        "address": each.address,
        "title": say(f"tensors.telling_{each.name}"),
        "about": say(f"tensors.telling_{each.name}_about", **each.said),
        "where": where,
        "levels": packed(cells),
        "sides": cells.shape,
        "scale": diverging(look.dark) if signed else sequential(role, look.dark),
        "signed": signed,
    }
