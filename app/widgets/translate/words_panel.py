"""Source and output joined by cross-attention, as lines or as a matrix."""

from __future__ import annotations

import numpy as np
import streamlit as st

from app import state
from app.figures.colours import head_colour
from app.figures.cross_attention import cross_attention, numbered
from app.figures.theme import Look
from app.widgets.attention.taught import SIGN, taught_note, with_mark
from app.widgets.bridge import Click, plotly_clicks
from app.widgets.chart import current_look, show_chart
from app.widgets.pick import into, segments
from app.widgets.text import literal
from app.widgets.translate.cross_pickers import cross_pickers
from app.widgets.translate.focus import attention_in_focus, pinned, step_in_focus
from app.widgets.word_lines import NO_STEP, Chip, Pin, output_chips, source_chips, word_lines
from app.widgets.word_lines.chips import greyed
from app.words import say
from core.reading.attention_views import attention_at, head_map
from core.text import vocabulary
from core.trace.trace import Trace

MATRIX = "cross_matrix"


def show(trace: Trace, candidates: bool = True) -> None:
    """Draw the pickers and, in a panel of one height, lines or matrix.

    candidates: whether those of a word stand elsewhere on the page; it is marked here then.
    """
    now = state.get_state()
    layer, head = attention_in_focus(now, trace)
    weights = head_map(trace, "cross", layer, head, "weights").weights
    _title(trace, layer, head)
    _pickers(trace, now, layer, head)
    with st.container(key="words_panel", height="stretch", gap=None):
        if now.links == "lines":
            step = step_in_focus(now, trace) if candidates else NO_STEP
            _lines(trace, weights, head, now, step)
        else:
            _matrix(trace, weights, now)


def take_pin(pin: Pin | None) -> None:
    """Keep the clicked word in the state; None releases it."""
    state.update(token=(pin.side, pin.place) if pin else None)


def _title(trace: Trace, layer: int, head: int | None) -> None:
    address = f"{attention_at('cross', layer)}/weights"
    shape = " × ".join(map(str, trace[address].shape))
    note = taught_note("cross", layer, head)
    about = say("translate.title_help", address=address, shape=shape)
    st.markdown(
        with_mark(f"**{say('translate.title')}**", note),
        help=f"{SIGN} {note}\n\n{about}" if note else about,
    )


def _pickers(trace: Trace, now: state.State, layer: int, head: int | None) -> None:
    labels = {view: say(f"translate.view_{view}") for view in ("lines", "matrix")}
    with st.container(horizontal=True, gap="xsmall", key="words_pickers"):
        segments("links", say("translate.view"), labels, now.links, into("links"))
        cross_pickers("cross", trace, layer, head)


def _lines(
    trace: Trace, weights: np.ndarray, head: int | None, now: state.State, step: int
) -> None:
    look = current_look()
    word_lines(
        source_chips(trace),
        output_chips(trace),
        weights,
        pinned(now),
        step,
        take_pin,
        colours=_colours(look, head),
        texts=line_texts(),
        key="word_lines",
    )


def line_texts() -> dict[str, str]:
    """The words around the lines."""
    return {
        "source": say("translate.source"),
        "output": say("translate.output"),
        "end": vocabulary.END,
        "end_help": say("translate.end_help"),
        "slot": say("translate.slot"),
        "slot_listed": say("translate.slot_listed"),
        "guarded": say("translate.guarded"),
        "unseen": say("translate.unseen"),
        "mark_unknown": say("translate.mark_unknown"),
        "mark_unsure": say("translate.mark_unsure"),
        "mark_unseen": say("translate.mark_unseen"),
        "mark_guarded": say("translate.mark_guarded"),
        "chance": say("translate.chance"),
        "legend": say("translate.legend"),
    }


def _colours(look: Look, head: int | None) -> dict[str, str]:
    return {
        "line": look.colour("weights") if head is None else head_colour(head, look.dark),
        "probability": look.colour("data"),
        "unsure": look.colour("key"),
        "grey": look.colour("faint"),
    }


def _matrix(trace: Trace, weights: np.ndarray, now: state.State) -> None:
    sources, outputs, look = source_chips(trace), output_chips(trace), current_look()
    side, place = now.token or ("", None)
    words = _labels(sources), _labels(outputs)
    figure = cross_attention(
        weights,
        *words,
        look,
        titles=(say("translate.source"), say("translate.output_axis"), ""),
        greyed=(greyed(sources), greyed(outputs)),
        framed=(place if side == "source" else None, place if side == "target" else None),
    )
    show_chart(figure, key=MATRIX, alt=say("translate.matrix_alt"), fill=True)
    plotly_clicks([MATRIX], _take_cell, key="cross")
    _list_of_words(*words, look)


def _list_of_words(sources: list[str], outputs: list[str], look: Look) -> None:
    """The words behind the numbers on the axes, where there was no room for words."""
    columns, rows = numbered(sources, outputs, look)
    lists = [(say("translate.source"), sources)] if columns else []
    lists += [(say("translate.output_axis"), outputs)] if rows else []
    if not lists:
        return
    with st.container(key="words_list", height=look.px(58), border=False, gap=None):
        for title, words in lists:
            listed = " · ".join(
                f"{at}\N{NO-BREAK SPACE}**{literal(word)}**" for at, word in enumerate(words, 1)
            )
            st.caption(f"{title}: {listed}")


def _take_cell(click: Click) -> None:
    take_pin(Pin("target", int(click.y)))


def _labels(chips: list[Chip]) -> list[str]:
    return [vocabulary.END if chip.end else chip.text for chip in chips]
