"""The strip of the page's steps, its words as HTML, and the line of the words given by hand."""

from collections.abc import Callable, Iterable
from html import escape
from typing import Any

import streamlit as st

from glassformer.app.pages.decoding.run import (
    DecodedRun,
    Decoding,
    go_to_step,
    release_words,
    word_of,
)
from glassformer.app.plots.labels import format_number, format_percent, visible
from glassformer.app.session import store
from glassformer.app.ui.component import component, go_to_place
from glassformer.app.ui.text import literal
from glassformer.app.words import say, say_each

TEXTS = {
    "label": "timeline.strip_label",
    "number": "timeline.strip_number",
    "reads": "timeline.strip_reads",
    "writes": "timeline.strip_writes",
    "percent": "timeline.strip_percent",
    "entropy": "timeline.strip_entropy",
    "end": "timeline.strip_end",
    "undo": "timeline.strip_undo",
    "slider": "timeline.strip_slider",
}
MOST = 2.0  # nats at which the bar of the entropy is full, unless a step has more

_strip = component(__file__, "decoding_strip")


def draw_strip(
    run: DecodedRun, now: int, on_undo: Callable[[int], None], key: str,
    on_go: Callable[[int], None] = go_to_step, bars: bool = True,
) -> None:  # fmt: skip
    """Draw a decoding as a column a step, the column `now` framed.

    on_go: for a click or the slider; on_undo: for the × of a word given by hand; both are called
    before the rerun. bars: with probability, entropy and the slider.
    """
    shown = range(run.first, len(run.moments))
    most = max([MOST, *(run.moments[place].step.entropy for place in shown)])
    columns = [_column(run, place, most) for place in shown]
    texts = say_each(TEXTS)
    data = {"columns": columns, "now": now - run.first, "texts": texts, "bars": bars}
    go_on, take_back = (
        go_to_place(len(columns), lambda at, act=act: act(at + run.first))  # type: ignore[misc]
        for act in (on_go, on_undo)
    )
    _strip(key, data, go=go_on, undo=take_back)


def _column(run: DecodedRun, place: int, most: float) -> dict[str, Any]:
    step, reads = run.moments[place].step, visible(run.trace.target_tokens[place])
    writes, percent = word_of_step(run, place), format_percent(step.probability)
    named = writes or say("timeline.strip_end")
    title = say(
        "timeline.column", step=run.number(place), reads=reads, writes=named, percent=percent
    )
    guarded = step.guarded is not None
    return {
        "reads": reads,
        "writes": writes,  # "" for the end, which is drawn as a flag
        "percent": percent,
        "share": _bounded(step.probability),
        "entropy": format_number(step.entropy, 2),
        "spread": _bounded(step.entropy / most),  # how long the bar of the entropy is
        "title": f"{title} · {say('timeline.guard_spoke')}" if guarded else title,
        "start": place == 0 and not run.first,  # what it reads is the sign of the begin
        "forced": place in run.forced,
        "guarded": guarded,
    }


def word_of_step(run: DecodedRun, place: int) -> str:
    """The word that a step wrote; "" for the end."""
    ended = run.trace.output_pieces[place] in run.ends
    return "" if ended else visible(run.trace.output_tokens[place])


def word_in_prose(decoding: Decoding, index: int) -> str:
    """A word of the vocabulary for prose, as markdown."""
    is_end = index in decoding.task.every_end
    return literal(say("timeline.strip_end") if is_end else visible(word_of(decoding.trace, index)))


def lines_html(kind: str, lines: Iterable[tuple[str, str, str]]) -> str:
    """Sentences below each other: what each one is, its words as HTML, and a class of its own.

    The words stand in their order from the left, as the steps do, whatever script they are in.
    """
    rows = (
        f'<p class="{its}"><span>{escape(name)}</span><bdi dir="ltr">{words}</bdi></p>'
        for name, words, its in lines
    )
    return f'<div class="sentence-lines {kind}">{"".join(rows)}</div>'


def table_html(kind: str, heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table of cells that are HTML below heads that are text."""
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f'<table class="plain {kind}"><tr>{head}</tr>{body}</table>'


def _bounded(share: float) -> float:
    return round(share, 4) if 0 <= share <= 1 else 0.0


def bind_field(prefix: str, name: str) -> dict[str, Any]:
    """Key, default and callback of a widget that has a field of the state."""
    widget = f"{prefix}_{name}"

    def take() -> None:
        picked = store.widget_value(widget)
        if picked is not None:
            store.update(**{name: picked})

    return {**store.bind(widget, getattr(store.get_state(), name)), "on_change": take}


def show_given(decoding: Decoding, key: str) -> None:
    """Say which words are given by hand, with a way out; nothing where none is."""
    if not decoding.asked:
        return
    size = len(decoding.trace.vocabulary)
    given = []
    for place, id in sorted(decoding.asked.items()):
        word = literal(visible(decoding.token(id) if id < size else f"#{id}"))
        given.append(say("beam.forced_word", step=decoding.own.number(place), word=word))
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.markdown(say("beam.forced", words=", ".join(given)), width="content")
        st.button(
            say("beam.release"), key=f"{key}_release", type="tertiary", on_click=release_words
        )
