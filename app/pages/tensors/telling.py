"""A few telling tensors in reading order, as small pictures; a click shows one in full."""

from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glassformer.app.pages.tensors.controls import pick_tensor
from glassformer.app.panels.address_words import place, short_shape
from glassformer.app.panels.attention.focus import AttentionFocus, first_head
from glassformer.app.plots.colours import diverging_scale, sequential
from glassformer.app.plots.labels import format_percent, visible
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.session import store
from glassformer.app.ui.component import CELLS, component, pack_numbers
from glassformer.app.ui.layout import box
from glassformer.app.ui.text import on_top
from glassformer.app.words import say
from glassformer.core.analysis.attention_views import attention_at, head_map, pool_by_maximum
from glassformer.core.analysis.choices import blanks, probabilities
from glassformer.core.analysis.logit_lens import read_by_generator
from glassformer.core.trace.graph import stack_end
from glassformer.core.trace.tables import as_numpy
from glassformer.core.trace.trace import Trace

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
    found = {each.address: each for each in tensors_in_order(trace, look)}
    top = "tensors.telling_top" if trace.config.has_both else "tensors.telling_top_alone"
    on_top(escape(say(top, count=len(found))))
    data = {"cards": [_card(trace, each, look) for each in found.values()]}

    def take(sent: dict[str, str]) -> None:
        if chosen := found.get(sent["address"]):
            store.update(**chosen.focus)
            pick_tensor(chosen.address)

    with box("fill tall grows", "tensors_telling", gap=None):
        _telling("telling", data, height="stretch", pick=take)


def tensors_in_order(trace: Trace, look: FigureStyle) -> list[Telling]:
    """From the words to the next word's probabilities, in the order in which they are computed."""
    config = trace.config
    side, stack = ("source", "encoder") if config.encoder_layers else ("target", "decoder")
    last = read_by_generator(config)
    rows = {"embedding": f"{side}/embedding"}
    if config.adds_positions:
        learned = "learned" if config.positions == "learned" else "positions"
        rows[learned] = f"{side}/positions"
    elif config.positions == "rotary":
        rows["turned"] = f"{stack}/0/self_attention/q_rotated"
    elif config.positions == "relative":
        rows["distances"] = f"{stack}/0/self_attention/position_bias"
    stream = "stream" if config.has_both else "stream_alone"
    rows |= {"memory": "memory", stream: stack_end(config, last)}
    found = [
        Telling(name, address, _rows(trace, address))
        for name, address in rows.items()
        if address in trace
    ]
    head = _head(trace, look)
    at = sum(
        each.name not in ("memory", "stream", "stream_alone") for each in found
    )  # places of the source
    if head.focus["kind"] != "encoder" and config.has_both:
        at = len(found) - 1
    if not config.has_generator:
        return [*found[:at], head, *found[at:]]
    row = trace.given if trace.given < len(trace.output_tokens) else 0  # the first one chosen
    row = next(iter(blanks(trace)), row)
    word, share = visible(trace.output_tokens[row]), format_percent(probabilities(trace)[row])
    address, said = "output/probabilities", {"word": word, "percent": share, "place": str(row + 1)}
    whole = Telling(
        "probabilities" if config.has_both else "chances", address, _rows(trace, address), said
    )
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
    while tensor.dim() > 2:  # the batch's only text, the first head
        tensor = tensor[0]
    return as_numpy(tensor)


def cell_levels(values: np.ndarray) -> NDArray[np.uint8]:
    """A byte a cell: 0–254 from 0 to the largest value, or about `EVEN` for signed ones."""
    shown = np.nan_to_num(values.astype(np.float64), posinf=0.0, neginf=0.0)
    if shown.min(initial=0) >= 0:
        small = pool_by_maximum(shown, MOST).astype(np.float64)
        return np.rint(small / (float(small.max(initial=0)) or 1.0) * 2 * EVEN).astype(np.uint8)
    shown = shown[:, :: -(-shown.shape[1] // MOST)]
    reach = float(np.abs(shown).max(initial=0)) or 1.0
    return np.rint(EVEN + EVEN * shown / reach).astype(np.uint8)


def _card(trace: Trace, each: Telling, look: FigureStyle) -> dict[str, Any]:
    cells = cell_levels(each.values)
    signed = bool(np.nan_to_num(each.values).min(initial=0) < 0)
    role = trace.site(each.address).role
    where = " · ".join(filter(None, (place(each.address), short_shape(trace[each.address].shape))))
    return {
        "address": each.address,
        "title": say(f"tensors.telling_{each.name}"),
        "about": say(f"tensors.telling_{each.name}_about", **each.said),
        "where": where,
        "levels": pack_numbers(cells),
        "sides": cells.shape,
        "scale": diverging_scale(look.dark) if signed else sequential(role, look.dark),
        "signed": signed,
    }
