"""The words of the sentence in another order, with positions and without."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

from glassformer.app.pages.lab import kit, whose
from glassformer.app.pages.lab.inputs import Field
from glassformer.app.pages.lab.order.figures import OrderMaps, order_figure
from glassformer.app.plots.labels import format_number, visible
from glassformer.app.session import store
from glassformer.app.ui.chart import current_look
from glassformer.app.ui.component import component
from glassformer.app.words import say
from glassformer.core.lab.inputs import read_choice
from glassformer.core.lab.permutation import MOST, VARIANTS, Permuted, permutation, reversed_order

_words = component(__file__, "words")  # to drag, or to move with the arrow keys
SEEN = ("output", "weights")


def show() -> None:
    """Draw the inputs and what comes of them."""
    trace = whose.bench_trace()
    ids, words = trace["source/ids"][0][:MOST], trace.source_tokens[:MOST]
    order = _order(len(ids))
    texts = kit.draw_bench_head("order")
    whose.tell_stand_in()
    drag = {
        "words": [visible(word) for word in words],
        "order": order,
        "texts": {name: texts[name] for name in ("drag", "press", "reverse", "shuffle", "restore")},
    }
    _words("lab_order_words", drag, order=partial(_take, len(ids)))
    variants = tuple(each for each in VARIANTS if each not in ("none", trace.config.positions))
    fields = (
        Field("variant", "", "own", "choice", options=variants),
        Field("seen", "", "output", "choice", "weights", options=SEEN),
    )
    compute = partial(_permuted, ids, order)
    cut = say("lab_order.cut", most=MOST) if len(trace.source_tokens) > MOST else ""
    answer = kit.compute_from_inputs("order", fields, compute, note=lambda _found, _edited: cut)
    seen = str(answer.typed["seen"])
    maps = [_maps(each, seen) for each in answer.result]
    kit.draw_chart("order", order_figure(maps, words, order, seen, texts, current_look()))


def _permuted(ids: Any, order: Sequence[int], variant: Any, seen: Any) -> tuple[Permuted, ...]:
    read_choice("seen", seen, SEEN)
    model = whose.transformer()
    return permutation(model, ids, order, ("none", variant))


def _order(count: int) -> tuple[int, ...]:
    """The order of this sentence; last word first until the reader moves one."""
    order = store.get_state().words
    if order and len(order) != count:
        store.drop("words")
        st.rerun()
    return order or reversed_order(count)


def _take(count: int, order: Any) -> None:
    """What the browser sends: a new order of so many words."""
    if (
        isinstance(order, list)
        and all(isinstance(each, int) for each in order)
        and sorted(order) == list(range(count))
    ):
        chosen = tuple(order)
        store.update(words=() if chosen == reversed_order(count) else chosen)


def _maps(each: Permuted, seen: str) -> OrderMaps:
    """What one kind of positions makes of both orders, and what is left over."""
    found = each.output if seen == "output" else each.weights
    maps = [found.still, found.moved, found.apart]
    if seen == "weights":
        maps = list(map(_of_head, maps))
    key = "lab_order.verdict_same" if each.equivariant else "lab_order.verdict_other"
    verdict = say(
        key if each.is_moved else "lab_order.verdict_unmoved",
        name=say(f"lab_order.with_{each.variant}"),
        error=format_number(found.error, current_look().precision),
    )
    return OrderMaps(verdict, each.equivariant, *(part.numpy() for part in maps))


def _of_head(weights: Any) -> Any:
    """The layer and head in focus, or the mean of its heads: (L, H, S, S) -> (S, S)."""
    now = store.get_state()
    layer = weights[min(now.layer, len(weights) - 1)]
    return layer.mean(dim=0) if now.head is None else layer[min(now.head, len(layer) - 1)]
