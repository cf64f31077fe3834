"""The bench: words to move above, what the encoder makes of both orders below."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from app import service, state
from app.figures.lab_order import OrderTexts, Row, order_figure
from app.figures.labels import format_number
from app.widgets.chart import current_look, show_chart
from app.widgets.lab import kit
from app.widgets.lab.kit import Field
from app.widgets.lab.order.words import movable_words
from app.words import say
from core.lab.inputs import choice
from core.lab.permutation import MOST, VARIANTS, Permuted, permutation, reversed_order

SEEN = ("output", "weights")


def show() -> None:
    """Draw the bench."""
    trace = service.on_screen()
    ids, words = trace["source/ids"][0][:MOST], trace.source_tokens[:MOST]
    order = _order(len(ids))
    kit.head("order")
    movable_words(words, order, partial(_take, len(ids)))
    compute = partial(_compute, ids, order)
    cut = say("lab_order.cut", most=MOST) if len(trace.source_tokens) > MOST else ""
    fields = _fields(trace.config.positions)
    answer = kit.worked("order", fields, compute, note=lambda _found, _edited: cut)
    _draw(answer.result, words, str(answer.typed["seen"]))


def _compute(ids: Any, order: Sequence[int], variant: Any, seen: Any) -> tuple[Permuted, ...]:
    choice("seen", seen, SEEN)
    model = service.model_on_screen().transformer
    return permutation(model, ids, order, ("none", variant))


def _order(count: int) -> tuple[int, ...]:
    """The order of this sentence; last word first until the reader moves one."""
    order = state.get_state().words
    if order and len(order) != count:
        state.drop("words")
        st.rerun()
    return order or reversed_order(count)


def _take(count: int, order: Sequence[int]) -> None:
    if sorted(order) == list(range(count)):
        chosen = tuple(order)
        state.update(words=() if chosen == reversed_order(count) else chosen)


def _draw(found: Sequence[Permuted], words: Sequence[str], seen: str) -> None:
    look = current_look()
    rows = [_row(each, seen) for each in found]
    names = ("still", "moved", "apart")
    texts = OrderTexts(
        [say(f"lab_order.{name}_{seen}") for name in names],
        say("lab_order.hover"),
        say("lab_order.feature", at="{at}") if seen == "output" else "",
    )
    figure = order_figure(rows, words, found[0].order, texts, look)
    with st.container(key="lab_chart"):
        show_chart(figure, "lab_order_chart", say("lab_order.alt"), fill=True)


def _row(each: Permuted, seen: str) -> Row:
    still, moved, apart, error = (
        (each.still.output, each.moved.output, each.output_apart, each.output_error)
        if seen == "output"
        else (
            _of_head(each.still.weights),
            _of_head(each.moved.weights),
            _of_head(each.weights_apart),
            each.weights_error,
        )
    )
    arrays: list[np.ndarray] = [part.numpy() for part in (still, moved, apart)]
    return Row(_verdict(each, error), each.equivariant, *arrays)


def _verdict(each: Permuted, error: float) -> str:
    name = say(f"lab_order.with_{each.variant}")
    how = "same" if each.equivariant else "other"
    key = how if each.is_moved else "unmoved"
    value = format_number(error, current_look().precision)
    return say(f"lab_order.verdict_{key}", name=name, error=value)


def _of_head(weights: Any) -> Any:
    """The layer and head in focus, or the mean of its heads: (L, H, S, S) -> (S, S)."""
    now = state.get_state()
    layer = weights[min(now.layer, len(weights) - 1)]
    return layer.mean(dim=0) if now.head is None else layer[min(now.head, len(layer) - 1)]


def _fields(own: str) -> list[Field]:
    variants: dict[str, str] = {
        each: say(f"lab_order.choice_{each}") for each in VARIANTS if each not in ("none", own)
    }
    seen = {each: say(f"lab_order.seen_{each}") for each in SEEN}
    return [
        Field("variant", say("lab_order.variant"), "own", "choice", options=variants),
        Field("seen", say("lab_order.seen"), "output", "choice", "weights", options=seen),
    ]
