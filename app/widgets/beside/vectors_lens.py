"""The logit lens of two runs: the best words of every state of the decoder."""

from __future__ import annotations

import math
from html import escape

import streamlit as st

from app import service, state
from app.figures.labels import format_percent, visible
from app.figures.theme import Look
from app.service import Pair
from app.widgets.beside.triple import anchor
from app.widgets.beside.wording import titles
from app.widgets.pick import segments
from app.widgets.text import literal
from app.widgets.vectors.focus import Focus, state_name
from app.words import say
from core.model.transformer import Transformer
from core.reading.alignment import paired
from core.reading.logit_lens import Lens, best_words, lens
from core.trace.trace import Trace

BEST = 3  # words of a state


def show(pair: Pair) -> None:
    """Draw the states of the row in focus and of its partner, beside each other."""
    focus = Focus.current("decoder")
    runs, own = (pair.first, pair.second), anchor(pair)
    rows = partner_rows(pair, own, focus.position)
    seen = [
        lens(trace, model, BEST, sublayers=True)
        for trace, model in zip(runs, models(pair), strict=True)
    ]
    st.markdown(f"**{say('beside.lens_title')}**")
    _rows_picker(focus)
    with st.container(key="vectors_main"):
        st.html(lens_table(runs, seen, rows, titles(pair), focus.look))
    st.caption(say("beside.lens_note"))


def _rows_picker(focus: Focus) -> None:
    """Which row of the decoder: what it reads and what it writes."""
    labels = dict(enumerate(literal(visible(each)) for each in focus.words.labels))

    def take(row: int) -> None:
        state.update(token=("target", row))

    label = say("beside.lens_pick")
    segments("beside_lens_row", label, labels, focus.position, take, bare=False)


def models(pair: Pair) -> tuple[Transformer, Transformer]:
    """The transformers that made the two runs."""
    mine = service.model_on_screen().transformer  # of the switched run where there are two
    if pair.kind == "sentences":
        return mine, mine
    return service.plain_model().transformer, mine


def partner_rows(pair: Pair, own: int, row: int) -> tuple[int | None, int | None]:
    """The row in focus in both runs."""
    by_place = pair.kind == "experiment"
    for places in paired(pair.first.target_tokens, pair.second.target_tokens, by_place):
        if places[own] == row:
            return places
    return (row, None) if own == 0 else (None, row)


def lens_table(
    runs: tuple[Trace, Trace],
    seen: list[Lens],
    rows: tuple[int | None, int | None],
    names: tuple[str, str],
    look: Look,
) -> str:
    """A row a state: three words and the rank of the written one, of either run; text escaped."""
    heads = [f"<th>{escape(say('beside.lens_state'))}</th>"]
    for run, row in enumerate(rows):
        written = visible(seen[run].written[row]) if row is not None else "–"
        said = say("beside.lens_row", row="–" if row is None else row + 1)
        heads.append(
            f"<th class='split'>{escape(names[run])} · {escape(said)} "
            f"<b>{escape(written)}</b></th><th class='rank'>{escape(say('beside.lens_rank'))}</th>"
        )
    count = min(len(each.states) for each in seen)
    body = "".join(_state(runs, seen, rows, at, look) for at in range(count))
    return f"<table class='beside-lens'><tr>{''.join(heads)}</tr>{body}</table>"


def _state(
    runs: tuple[Trace, Trace],
    seen: list[Lens],
    rows: tuple[int | None, int | None],
    at: int,
    look: Look,
) -> str:
    cells = [f"<td>{escape(state_name(seen[1].states[at].state))}</td>"]
    first = ""
    for run, row in enumerate(rows):
        if row is None:
            cells.append("<td class='split'>–</td><td></td>")
            continue
        best = [
            word
            for word in best_words(runs[run], seen[run], at, row)
            if not math.isnan(word.probability)
        ]
        top = best[0].token if best else ""
        first = top if run == 0 else first
        other = run == 1 and rows[0] is not None and top != first
        colour = look.colour("changed" if other else "text")
        words = "".join(
            f"<span><b style='color:{colour if not place else look.colour('text')}'>"
            f"{escape(visible(each.token))}</b> <em>{escape(format_percent(each.probability))}</em>"
            "</span>"
            for place, each in enumerate(best)
        )
        rank = int(seen[run].rank[at, row])
        told = words or "NaN"
        cells.append(f"<td class='split'>{told}</td><td class='rank'>{rank or '–'}</td>")
    return f"<tr>{''.join(cells)}</tr>"
