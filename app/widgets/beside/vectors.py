"""The Vectors page for two runs: the same questions, answered for both."""

from __future__ import annotations

from typing import cast

from app import service, state
from app.figures.triple_layout import TripleLayout
from app.service import Pair
from app.widgets.beside import pickers, triple, vectors_lens, vectors_stream
from app.widgets.beside.triple import Asked
from app.widgets.style import put_sheet
from app.widgets.vectors import page
from app.words import say
from core.reading.blocks import Stack, layer_count
from core.reading.vectors import side_of

LAYOUT = TripleLayout(width=1380, height=560)
KEY = "beside_vectors"


def show(pair: Pair) -> None:
    """Draw the question of the state for both runs, under the page's own pickers."""
    put_sheet(__file__, "vectors.css")
    answers = {
        "positions": _positions,
        "stream": vectors_stream.show,
        "lens": vectors_lens.show,
        "neurons": _neurons,
    }
    page.show(lambda question: answers[question](pair))


def _stack() -> Stack:
    return cast(Stack, state.get_state().stack)


def _positions(pair: Pair) -> None:
    address = f"{side_of(_stack())}/positions"
    triple.show(pair, Asked(address), KEY, say("beside.positions_title"), LAYOUT)


def _neurons(pair: Pair) -> None:
    trace, now = service.on_screen(), state.get_state()
    count = layer_count(trace.config, _stack())
    layer = min(now.layer, count - 1)
    with pickers.row("neurons"):
        pickers.layers(count, layer, _take_layer, KEY)
    address = f"{_stack()}/{layer}/feed_forward/activation"
    title = say("beside.neurons_title", layer=layer + 1)
    triple.show(pair, Asked(address), KEY, title, LAYOUT)


def _take_layer(layer: int) -> None:
    state.update(layer=layer)
