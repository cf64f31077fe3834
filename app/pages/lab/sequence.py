"""The benches on word order and distance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

import streamlit as st

from app.pages.lab import kit
from app.pages.lab.figures.order import OrderMaps, OrderTexts, order_figure
from app.pages.lab.figures.why import WhyTexts, table_html, time_figure, travel_figure
from app.pages.lab.inputs import Field
from app.pages.lab.words import movable_words
from app.plots.labels import format_number
from app.runs import on_screen
from app.session import store
from app.ui.chart import current_look, show_chart
from app.ui.layout import box
from app.words import say
from core.lab.inputs import choice
from core.lab.permutation import MOST, VARIANTS, Permuted, permutation, reversed_order
from core.lab.why_attention import (
    KINDS,
    LENGTHS,
    Bound,
    Race,
    Route,
    race,
    routes,
    table_one,
)

SEEN = ("output", "weights")
VIEWS = ("travel", "time")
WHY = (
    Field("view", "", "travel", "choice", "weights", options=VIEWS),
    Field("length", "n", 24, "slider", low=2, high=32, step=1),
    Field("width", "d", 16, "slider", low=4, high=16, step=4),
    Field("kernel", "k", 3, "slider", low=2, high=9, step=1),
)
WINDOW = 8  # r of restricted attention
RACED = (*LENGTHS, 1024)  # words
RACE_WIDTH, RACE_KERNEL, RACE_SECONDS = 64, 3, 3


def show_order() -> None:
    """The words of the sentence in another order, with positions and without."""
    trace = on_screen.trace()
    ids, words = trace["source/ids"][0][:MOST], trace.source_tokens[:MOST]
    order = _order(len(ids))
    kit.head("order")
    movable_words(words, order, partial(_take, len(ids)))
    variants = tuple(each for each in VARIANTS if each not in ("none", trace.config.positions))
    fields = (
        Field("variant", "", "own", "choice", options=variants),
        Field("seen", "", "output", "choice", "weights", options=SEEN),
    )
    compute = partial(_permuted, ids, order)
    cut = say("lab_order.cut", most=MOST) if len(trace.source_tokens) > MOST else ""
    answer = kit.worked("order", fields, compute, note=lambda _found, _edited: cut)
    seen = str(answer.typed["seen"])
    texts = OrderTexts(
        [say(f"lab_order.{name}_{seen}") for name in ("still", "moved", "apart")],
        say("lab_order.hover"),
        say("lab_order.feature", at="{at}") if seen == "output" else "",
    )
    maps = [_maps(each, seen) for each in answer.result]
    kit.chart("order", order_figure(maps, words, order, texts, current_look()))


def _permuted(ids: Any, order: Sequence[int], variant: Any, seen: Any) -> tuple[Permuted, ...]:
    choice("seen", seen, SEEN)
    model = on_screen.model_on_screen().transformer
    return permutation(model, ids, order, ("none", variant))


def _order(count: int) -> tuple[int, ...]:
    """The order of this sentence; last word first until the reader moves one."""
    order = store.get_state().words
    if order and len(order) != count:
        store.drop("words")
        st.rerun()
    return order or reversed_order(count)


def _take(count: int, order: Sequence[int]) -> None:
    if sorted(order) == list(range(count)):
        chosen = tuple(order)
        store.update(words=() if chosen == reversed_order(count) else chosen)


def _maps(each: Permuted, seen: str) -> OrderMaps:
    """What one kind of positions makes of both orders, and what is left over."""
    if seen == "output":
        found, error = (each.still.output, each.moved.output, each.output_apart), each.output_error
    else:
        all_heads = (each.still.weights, each.moved.weights, each.weights_apart)
        found, error = tuple(map(_of_head, all_heads)), each.weights_error
    key = "lab_order.verdict_same" if each.equivariant else "lab_order.verdict_other"
    verdict = say(
        key if each.is_moved else "lab_order.verdict_unmoved",
        name=say(f"lab_order.with_{each.variant}"),
        error=format_number(error, current_look().precision),
    )
    return OrderMaps(verdict, each.equivariant, *(part.numpy() for part in found))


def _of_head(weights: Any) -> Any:
    """The layer and head in focus, or the mean of its heads: (L, H, S, S) -> (S, S)."""
    now = store.get_state()
    layer = weights[min(now.layer, len(weights) - 1)]
    return layer.mean(dim=0) if now.head is None else layer[min(now.head, len(layer) - 1)]


class WhyAsked(NamedTuple):
    """What was measured on one sequence, the paper's bounds for it, and what is looked at."""

    routes: tuple[Route, ...]
    bounds: tuple[Bound, ...]
    view: str


def show_why() -> None:
    """An RNN, convolutions and attention on the same words, beside the paper's Table 1."""
    kit.head("why")
    answer = kit.worked("why", WHY, _why)
    found, look = answer.result, current_look()
    names = ("gradient", "path", "word", "hover", "length", "time", "time_hover", "waiting")
    kinds: dict[str, str] = {kind: say(f"lab_why.kind_{kind}") for kind in KINDS}
    texts = WhyTexts(kinds=kinds, **{name: say(f"lab_why.{name}") for name in names})
    with box("fill", "lab_chart", horizontal=True, gap="medium"):
        with box("fill", "lab_why_picture", gap="xsmall"):
            if found.view == "travel":
                figure = travel_figure(found.routes, texts, look)
            else:
                figure = time_figure(_race(), texts, look)
            alt = say(f"lab_why.alt_{found.view}")
            show_chart(figure, f"lab_why_{found.view}", alt, fill=True)
        with st.container(key="lab_why_table", gap=None):
            _table(found, answer.typed)


@lru_cache(maxsize=32)
def _why(length: Any, width: Any, kernel: Any, view: Any) -> WhyAsked:
    found = routes(length, width, kernel)
    return WhyAsked(found, table_one(length, width, kernel, WINDOW), choice("view", view, VIEWS))


def _race() -> Race | None:
    """The button and the last race of this session."""
    found = store.memory().lab_race
    button, line = st.columns([1, 2.2], gap="small", vertical_alignment="center")
    said = line.empty()
    if button.button(say("lab_why.measure"), key="lab_why_measure", width="stretch"):
        bar = said.progress(0.0)

        def told(share: float) -> None:
            bar.progress(share)

        found = race(RACED, RACE_WIDTH, RACE_KERNEL, limit=RACE_SECONDS, report=told)
        store.memory().lab_race = found
    said.markdown(f":small[{_verdict(found)}]")
    return found


def _verdict(found: Race | None) -> str:
    values = {"width": RACE_WIDTH, "kernel": RACE_KERNEL, "limit": RACE_SECONDS}
    if found is None:
        return say("lab_why.race_waiting", longest=max(RACED), **values)
    if found.overtaken is None:
        return say("lab_why.race_never", **values)
    return say("lab_why.race_from", length=found.overtaken, **values)


def _table(found: WhyAsked, typed: Mapping[str, Any]) -> None:
    """The bounds of Table 1, and beside them what was measured."""
    kinds = {each.layer: say(f"lab_why.layer_{each.layer}") for each in found.bounds}
    heads = [say(f"lab_why.head_{name}") for name in ("cost", "sequential", "path")]
    sizes = say("lab_why.sizes", window=WINDOW, **{name: typed[name] for name in SIZES})
    st.markdown(f"**{say('lab_why.table')}** :small[{sizes}]")
    here = say("lab_why.here")
    st.html(table_html(found.bounds, found.routes, heads, kinds, here, current_look()))
    layers = {each.kind: each.layers for each in found.routes}
    said = say("lab_why.layers", stacked=layers["convolution"], spaced=layers["dilated"])
    st.markdown(f":small[{said}]")


SIZES = ("length", "width", "kernel")
BENCHES = {"order": show_order, "why": show_why}


def show(bench: str) -> None:
    """Draw one of them."""
    BENCHES[bench]()
