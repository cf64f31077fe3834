"""Teacher forcing beside decoding, and what one wrong word does to the rest."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

import streamlit as st

from app import state
from app.figures.exposure import ROLES, exposure_figure
from app.figures.labels import format_number, visible
from app.figures.theme import Look
from app.widgets.chart import current_look, show_chart
from app.widgets.decoding import wrong_choice
from app.widgets.decoding.columns import draw_strip, written
from app.widgets.decoding.run import Decoding
from app.widgets.decoding.wrong_choice import Chosen
from app.widgets.style import put_sheet
from app.words import say
from core.decoding.forced import EQUAL, Beside, beside
from core.decoding.rows import tapes
from core.decoding.step import Step
from core.decodings import read
from core.reading.training_views import agreeing

WIDTH, HEIGHT = 700, 260  # of the bars' axis in a window of 1440 × 900


def show() -> None:
    """Draw the strip to choose a step from, both ways beside each other, the wrong word."""
    put_sheet(__file__, "forcing.css")
    look = current_look()
    st.html(f"<style>:root {{ --changed: {look.colour('changed')}; }}</style>")
    decoding = Decoding.current()
    chosen = wrong_choice.chosen(decoding, state.get_state())
    with st.container(key="forcing_strip"):
        draw_strip(
            decoding.own,
            chosen.place,
            look,
            _pick,
            "forcing_steps",
            on_go=_pick,
            bars=False,
        )
    with st.container(key="forcing_main"):
        left, right = st.columns([4.4, 7], gap="medium")
        with left, st.container(key="forcing_beside", gap="xsmall"):
            _beside(decoding, look)
        with right, st.container(key="forcing_wrong", gap="xsmall"):
            _wrong(decoding, chosen, look)


def _pick(place: int) -> None:
    """Another step, with its likeliest wrong word as an example."""
    state.update(moment=place, forced=())


def rows(decoding: Decoding) -> tuple[Beside, ...]:
    """The model's own words in both ways, row by row; computed once for a trace."""
    trace, found = state.kept("beside", (None, ()))
    if trace is not decoding.trace:
        found = beside(decoding.model, decoding.task, decoding.own.words, tapes(decoding.edits))
        state.keep("beside", (decoding.trace, found))
    return tuple(found)


def _beside(decoding: Decoding, look: Look) -> None:
    found = rows(decoding)
    differences = [each.difference for each in found]
    worst = max(differences, key=lambda each: (math.isnan(each), each))
    st.markdown(f"**{say('forcing.beside_title')}**")
    same = "same" if worst <= EQUAL else "apart"
    st.caption(say(f"forcing.beside_{same}"))
    with st.container(key="forcing_table"):
        st.html(table_html(decoding, found))
    key = "forcing.equal" if worst <= EQUAL else "forcing.unequal"
    if math.isnan(worst):
        key = "timeline.said_nan"
    st.markdown(say(key, difference=format_number(worst, look.precision)))


def table_html(decoding: Decoding, found: tuple[Beside, ...]) -> str:
    """A row a step: what it reads, the right word, its probability in both ways."""
    heads = ("step", "reads", "right", "forced", "free", "difference")
    head = "".join(f"<th>{escape(say(f'forcing.head_{name}'))}</th>" for name in heads)
    body = []
    for row in found:
        reads = escape(visible(decoding.trace.target_tokens[row.position]))
        word = escape(written(decoding.own, row.position) or say("timeline.strip_end"))
        shares = "".join(f"<td>{share(each.probability)}</td>" for each in (row.forced, row.free))
        apart = format_number(row.difference, 2)
        body.append(
            f"<tr><td>{row.position + 1}</td><td>{reads}</td><td><b>{word}</b></td>{shares}"
            f"<td>{apart}</td></tr>"
        )
    return f'<table class="forcing-rows"><tr>{head}</tr>{"".join(body)}</table>'


def share(probability: float) -> str:
    """With five digits, so that "equal" can be seen."""
    return f"{probability:.5f}" if probability == probability else "NaN"


def _wrong(decoding: Decoding, chosen: Chosen, look: Look) -> None:
    wrong = chosen.wrong
    step = chosen.place + 1
    st.markdown(f"**{say('forcing.wrong_title', step=step)}**", help=say("forcing.wrong_help"))
    wrong_choice.pickers(decoding, chosen)
    if wrong is None:
        st.info(say("forcing.no_word"))
        return
    st.html(sentences_html(decoding, chosen))
    later = wrong.before[chosen.place + 1 :]
    if not later:
        st.info(say("forcing.nothing_follows"))
        return
    names = say("forcing.after_right"), say("forcing.after_wrong")
    st.html(bias_title(names, look))
    figure = exposure_figure(
        tokens_of(decoding, wrong.before)[chosen.place + 1 :],
        [step.probability for step in later],
        [step.probability for step in wrong.given[chosen.place + 1 :]],
        names,
        look,
        WIDTH,
        look.px(HEIGHT),
    )
    with st.container(key="forcing_bars"):
        show_chart(figure, "exposure", say("forcing.bias_alt"), fill=True)
    right, after = (format_number(each, look.precision) for each in wrong.mean_losses)
    st.markdown(say("forcing.losses", right=right, wrong=after))
    st.caption(say("forcing.exposure_bias"))


def bias_title(names: tuple[str, str], look: Look) -> str:
    """What the bars are, with the colours of both."""
    keys = (
        f'<i style="background:{look.colour(role)}"></i>{escape(name)}'
        for role, name in zip(ROLES, names, strict=True)
    )
    title, about = escape(say("forcing.bias_title")), escape(say("forcing.bias_help"))
    return f'<p class="forcing-bias" title="{about}"><b>{title}</b>{"".join(keys)}</p>'


def tokens_of(decoding: Decoding, steps: Sequence[Step]) -> list[str]:
    """The words of some steps as they are written; the end in the reader's language."""
    ids = [step.chosen for step in steps]
    shown = read(decoding.translator, decoding.trace, ids).tokens
    end = say("timeline.strip_end")
    return [
        end if index == decoding.task.end else visible(token)
        for index, token in zip(ids, shown, strict=True)
    ]


def sentences_html(decoding: Decoding, chosen: Chosen) -> str:
    """The sentence before and after, the wrong word in pink, what only one of them has dotted."""
    assert chosen.wrong is not None
    before = tokens_of(decoding, chosen.wrong.before)
    after = tokens_of(decoding, chosen.wrong.after)
    rows = (
        (say("forcing.without"), _marked(before, agreeing(before, after), None)),
        (say("forcing.with"), _marked(after, agreeing(after, before), chosen.place)),
    )
    lines = (f"<p><span>{escape(name)}</span><bdi>{words}</bdi></p>" for name, words in rows)
    return f'<div class="forcing-sentences">{"".join(lines)}</div>'


def _marked(words: Sequence[str], kept: Sequence[bool], wrong: int | None) -> str:
    tags = ["" if stays else "u" for stays in kept]
    if wrong is not None:
        tags[wrong] = "mark"
    return " ".join(
        f"<{tag}>{escape(word)}</{tag}>" if tag else escape(word)
        for word, tag in zip(words, tags, strict=True)
    )
