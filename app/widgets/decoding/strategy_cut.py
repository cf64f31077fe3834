"""What the word in focus was drawn from: the cut through the distribution, and the lot."""

from __future__ import annotations

import streamlit as st

from app import state
from app.figures.candidates import candidates
from app.figures.labels import format_number, format_percent, visible
from app.figures.next_cut import next_cut
from app.figures.theme import Look
from app.widgets.chart import show_chart
from app.widgets.decoding.tried import Tried, Written
from app.widgets.text import literal
from app.words import say
from core.decoding.cut_rows import CutRow, cut_rows, lot
from core.decoding.sampling import SampledStep, drawn

BEFORE = 6  # words before it that are written out
SHOWN = 9


def show(tried: Tried, now: state.State, written: Written, step: int, look: Look) -> None:
    """Draw the distribution of one step of the strategy in focus."""
    word = literal(visible(tried.token(written.words[step])))
    key = "cut_title" if written.sampled else "own_title"
    name = say(f"strategies.name_{now.strategy}")
    st.markdown(f"**{say(f'strategies.{key}', name=name, step=step + 1, word=word)}**")
    st.caption(_after(tried, written, step))
    with st.container(key="strategies_cut_place"):
        if written.sampled:
            _cut(tried, now, written.sampled[step], look)
        else:
            _own(tried, written, step, look)
    with st.container(key="strategies_said"):
        st.markdown(_said(tried, now, written, step, look))


def _after(tried: Tried, written: Written, step: int) -> str:
    if not step:
        return say("strategies.after_nothing")
    words = [visible(tried.token(id)) for id in written.words[:step]]
    cut = ["…", *words[-BEFORE:]] if len(words) > BEFORE else words
    return say("strategies.after", words=literal(" ".join(cut)))


def _cut(tried: Tried, now: state.State, sampled: SampledStep, look: Look) -> None:
    rows = cut_rows(sampled.cut, sampled.step.chosen, SHOWN)
    fell = lot(sampled.cut)
    hot = f"{now.temperature:g}"
    texts = {
        "own": say("strategies.cut_own"),
        "tempered": say("strategies.cut_tempered", temperature=hot),
        "sum": say("strategies.cut_sum", temperature=hot),
        "lot": say("strategies.cut_lot", lot=format_number(fell, look.precision)),
        "limit": say("strategies.cut_limit", p=f"{now.top_p:g}"),
        "stay": say("strategies.cut_stay"),
        "away": say("strategies.cut_away"),
    }
    limit = now.top_p if now.strategy == "top_p" and now.top_p < 1 else None
    names = [_name(tried, row) for row in rows]
    show_chart(
        next_cut(rows, names, fell, look, texts, limit),
        key="strategies_cut",
        alt=say("strategies.alt_cut", kept=sampled.cut.kept),
        fill=True,
    )


def _name(tried: Tried, row: CutRow) -> str:
    if row.id is not None:
        return visible(tried.token(row.id))
    if row.count is None:
        return say("strategies.others")
    return say("strategies.several", count=row.count)


def _own(tried: Tried, written: Written, step: int, look: Look) -> None:
    best = written.steps[step].candidates
    ids = [id for id, _ in best]
    shares = [share for _, share in best]
    taken = written.words[step]
    if taken not in ids:
        ids, shares = [taken, *ids[:-1]], [written.steps[step].probability, *shares[:-1]]
    show_chart(
        candidates(
            [tried.token(id) for id in ids], shares, look, ids.index(taken), height=look.px(300)
        ),
        key="strategies_own",
        alt=say("strategies.alt_own"),
    )


def _said(tried: Tried, now: state.State, written: Written, step: int, look: Look) -> str:
    """In a sentence, what decided."""
    taken, digits = written.steps[step], look.precision
    if step in dict(now.forced):
        return say("strategies.said_given")
    if not written.sampled:
        return say("strategies.said_own", entropy=format_number(taken.entropy, digits))
    cut = written.sampled[step].cut
    fell = drawn(cut)
    word = literal(visible(tried.token(taken.chosen if fell is None else fell)))
    at = format_number(lot(cut), digits)
    if taken.guarded is not None:
        return say("strategies.said_guarded", word=word)
    if 1 - cut.mass < 1e-9:
        return say("strategies.said_all", lot=at, word=word)
    return say(
        "strategies.said_cut",
        kept=cut.kept,
        mass=format_percent(cut.mass),
        draw=format_number(cut.draw, digits),
        lot=at,
        word=word,
    )
