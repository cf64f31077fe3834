"""How far the change ran: every vector on its way down, and where it began."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from app import service, state
from app.figures.labels import escape, format_number, visible
from app.figures.ripple_map import Marks, Stack, ripple_figure
from app.service import Pair
from app.widgets.bridge import Click, plotly_clicks
from app.widgets.chart import current_look, show_chart
from app.words import say
from core.edits.ripple import Moved
from core.effect import STACKS, Rung, first_changed, passed
from core.text.vocabulary import END
from core.trace.trace import Trace

CHART = "effect_ripple"
HEIGHT = 560  # pixels of the picture, about; they decide how words are written
KINDS = {"self_attention": "decoder", "cross_attention": "cross"}  # of the decoder's attentions
Found = tuple[tuple[Rung, Moved], ...]


def show(pair: Pair, forced: Trace) -> None:
    """Draw the heat map; `forced` is the second run on the first one's words."""
    look, found = current_look(), passed(pair.first, forced)
    began = first_changed(pair.first, forced)
    with st.container(key="effect_began"):
        st.markdown(say("effect.began", address=f"`{began}`") if began else say("effect.still"))
    figure = ripple_figure(stacks(found, forced), marks(found, began), look, HEIGHT)
    show_chart(figure, CHART, say("effect.ripple_alt"), fill=True)
    other = len(pair.first.source_tokens) != len(forced.source_tokens)
    st.caption(say("effect.ripple_cut") if other else say("effect.ripple_note"))

    def clicked(click: Click) -> None:
        rows = by_stack(found)
        if click.curve < len(STACKS) and 0 <= click.y < len(rows[click.curve]):
            pick(rows[click.curve][int(click.y)][0], int(click.x))

    plotly_clicks([CHART], clicked, key="effect")


def by_stack(found: Found) -> list[Found]:
    """The rungs of the encoder, and those of the decoder."""
    return [tuple(each for each in found if each[0].stack == stack) for stack in STACKS]


def stacks(found: Found, forced: Trace) -> list[Stack]:
    """What the figure draws: a column is a source word, or a step of the decoder."""
    tokens = {
        "encoder": (forced.source_tokens, forced.source_pieces),
        "decoder": (forced.output_tokens, forced.output_pieces),
    }
    return [
        Stack(
            name=say(f"effect.{stack}"),
            rows=[row_name(rung) for rung, _ in rows],
            tokens=_words(*tokens[stack])[: len(rows[0][1].by_position)],
            moved=np.stack([each.by_position.numpy() for _, each in rows]),
            hovers=[_hovers(rung, each, forced) for rung, each in rows],
        )
        for stack, rows in zip(STACKS, by_stack(found), strict=True)
    ]


def marks(found: Found, began: str) -> Marks:
    """The first row that moved, and the row of the tensor in focus."""
    rows = by_stack(found)
    places = [(at, row, each) for at, some in enumerate(rows) for row, each in enumerate(some)]
    address = state.get_state().address
    moved = ((at, row) for at, row, (_, each) in places if not each.still)
    focus = ((at, row) for at, row, (rung, _) in places if rung.address == address)
    return Marks(next(moved, None) if began else None, next(focus, None))


def row_name(rung: Rung) -> str:
    """What stands beside a row."""
    if rung.what == "probabilities":
        return say("effect.row_output")
    if rung.layer is None:
        return say("effect.row_input" if rung.part == "input" else "effect.row_final_norm")
    part = say(f"effect.parts.{rung.part}", layer=rung.layer + 1)
    return say("effect.row_weights" if rung.what == "weights" else "effect.row_stream", part=part)


def pick(rung: Rung, place: int) -> None:
    """Bring a tensor and a word of it into focus."""
    changes: dict[str, object] = {"address": rung.address}
    if rung.layer is not None:
        changes["layer"] = rung.layer
    side = "source" if rung.stack == "encoder" else "target"
    trace = service.on_screen()  # it may have written fewer words
    tokens = trace.source_tokens if side == "source" else trace.target_tokens
    there = place < len(tokens)
    if rung.what == "weights":
        kind = "encoder" if side == "source" else KINDS[rung.part]
        changes |= {"kind": kind, "stage": "weights", "query": place if there else None}
    state.update(**changes, token=(side, place) if there else None)


def _words(tokens: Sequence[str], pieces: Sequence[str]) -> list[str]:
    """What stands above a column; the end is no word."""
    both = zip(tokens, pieces, strict=True)
    return [END if piece == END else visible(token) for token, piece in both]


def _hovers(rung: Rung, found: Moved, forced: Trace) -> Sequence[str]:
    words = [_word(rung, place, forced) for place in range(len(found.by_position))]
    return [
        f"{escape(_told(word, float(number)))}<br>{escape(rung.address)}"
        for word, number in zip(words, found.by_position, strict=True)
    ]


def _word(rung: Rung, place: int, forced: Trace) -> str:
    if rung.stack == "encoder":
        return visible(forced.source_tokens[place])
    reads, writes = forced.target_tokens[place], forced.output_tokens[place]
    return say("effect.reads", word=visible(reads), next=visible(writes))


def _told(word: str, number: float) -> str:
    if number == 0:
        return say("effect.cell_still", word=word)
    if np.isnan(number):
        return say("effect.cell_lost", word=word)
    return say("effect.cell", word=word, number=format_number(number, 7))
