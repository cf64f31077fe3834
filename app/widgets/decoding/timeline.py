"""Step by step: the strip of all steps, what one of them chose between, where it looked."""

from __future__ import annotations

import math
from html import escape

import streamlit as st

from app import state
from app.figures.labels import visible
from app.figures.next_words import next_words
from app.figures.theme import Look
from app.widgets.bridge import Click, plotly_clicks
from app.widgets.chart import current_look, show_chart
from app.widgets.decoding import looks, says
from app.widgets.decoding.columns import draw_strip
from app.widgets.decoding.run import Decoding, refusal, release, take, take_back, word_of
from app.widgets.style import put_sheet
from app.widgets.training.player import player
from app.words import say
from core.text.vocabulary import END, RESERVED, TAGS

CHART = "next_words"
HEIGHT = 340
SIGNS = (END, *(f"<{tag}>" for tag in TAGS))  # pieces that are no words


def show() -> None:
    """Draw the strip, both sentences, and the step in focus."""
    put_sheet(__file__, "timeline.css")
    look = current_look()
    st.html(f"<style>:root {{ --changed: {look.colour('changed')}; }}</style>")
    decoding, now = Decoding.current(), state.get_state()
    place = decoding.place(now)
    _top(decoding, place, look)
    sentences(decoding)
    with st.container(key="timeline_main"):
        left, middle, right = st.columns([5, 3.1, 4.6], gap="medium")
        with left, st.container(key="timeline_words", gap=None):
            _distribution(decoding, place, look)
        with middle, st.container(key="timeline_says", gap="xsmall"):
            says.show(decoding, place, look)
        with right, st.container(key="timeline_looks", gap="xsmall"):
            looks.show(decoding.run, place, look)


def _top(decoding: Decoding, place: int, look: Look) -> None:
    moments = decoding.run.moments
    with st.container(key="timeline_top", horizontal=True, gap="small", wrap=False):
        with st.container(key="timeline_strip"):
            draw_strip(decoding.run, place, look, take_back, "decoding_strip")
        with st.container(key="timeline_player", gap="xsmall"):
            st.markdown(f"**{say('timeline.step_of', step=place + 1, last=len(moments))}**")
            texts = {name: say(f"timeline.go_{name}") for name in ("back", "play", "stop", "on")}
            player(len(moments), place, texts, look.colour("data"), _go)
            asked = state.get_state().moment
            beyond = asked is not None and asked != place
            st.caption(say("timeline.beyond" if beyond else "timeline.keys", step=(asked or 0) + 1))


def _go(place: int) -> None:
    state.update(moment=place)


def sentences(decoding: Decoding) -> None:
    """The model's own sentence and the reader's, or how to take over."""
    with st.container(
        key="timeline_sentences", horizontal=True, gap="small", vertical_alignment="center",
        wrap=False,
    ):  # fmt: skip
        st.html(sentences_html(decoding))
        st.button(
            say("timeline.release"),
            key="timeline_release",
            icon=":material/undo:",
            help=say("timeline.release_help"),
            disabled=not decoding.asked,
            on_click=release,
            width="content",
        )


def sentences_html(decoding: Decoding) -> str:
    """Two lines: the own translation; the one with given words, these marked, or a hint."""
    own = _words_html(decoding, given=False)
    lines = [(say("timeline.own"), own, "")]
    if decoding.problem is not None:
        why = refusal(decoding.problem).replace("\\", "")  # no markdown here
        lines.append((say("timeline.yours"), escape(why), "timeline-problem"))
    elif decoding.given is None:
        lines.append((say("timeline.yours"), escape(say("timeline.take_over")), "timeline-hint"))
    else:
        said = _words_html(decoding, given=True)
        if decoding.unreached:
            steps = ", ".join(str(place + 1) for place in decoding.unreached)
            note = escape(say("timeline.unreached", steps=steps))
            said += f' <em class="timeline-problem">{note}</em>'
        lines.append((say("timeline.yours"), said, ""))
    rows = (
        f'<p class="{kind}"><span>{escape(name)}</span><bdi>{said}</bdi></p>'
        for name, said, kind in lines
    )
    return f'<div class="timeline-sentences">{"".join(rows)}</div>'


def _words_html(decoding: Decoding, given: bool) -> str:
    run = decoding.given if given and decoding.given else decoding.own
    words = []
    for place, token in enumerate(run.trace.output_tokens):
        if run.trace.output_pieces[place] == END:
            word = f"<i>{escape(say('timeline.strip_end'))}</i>"
        else:
            word = escape(visible(token))
        words.append(f"<mark>{word}</mark>" if place in run.forced else word)
    return " ".join(words)


def _distribution(decoding: Decoding, place: int, look: Look) -> None:
    run = decoding.run
    step, trace = run.moments[place].step, run.trace
    known = [each for each in step.candidates if not math.isnan(each[1])]
    ids, shares = [index for index, _ in known], [share for _, share in known]
    if step.chosen not in ids:
        ids, shares = [*ids, step.chosen], [*shares, step.probability]
    pieces = [trace.vocabulary[index] for index in ids]
    others = len(trace.vocabulary) - len(ids)
    rest = (say("timeline.rest", count=f"{others:,}"), step.rest)
    st.markdown(f"**{say('timeline.words_title', step=place + 1)}**", help=say("timeline.click"))
    chosen = ids.index(step.chosen)
    words = [word_of(trace, index) for index in ids]
    words[chosen] = trace.output_tokens[place]  # as the sentence has it
    figure = next_words(
        words,
        shares,
        chosen,
        look,
        height=look.px(HEIGHT),
        forced=place in run.forced,
        signs={
            at: say(f"translate.sign_{piece.strip('<>')}")
            for at, piece in enumerate(pieces)
            if piece in SIGNS
        },
        remarks=remarks(decoding, place, ids),
        rest=rest if len(ids) == len(step.candidates) else None,
    )
    show_chart(figure, CHART, say("timeline.words_alt"), fill=True)

    def clicked(click: Click) -> None:
        at = round(click.y)
        if at < len(ids) and ids[at] != step.chosen:
            take(place, ids[at])

    plotly_clicks([CHART], clicked, key="next_words")


def remarks(decoding: Decoding, place: int, ids: list[int]) -> dict[int, str]:
    """Why some of these words may not be written at a step, by their place in the list."""
    moment, task = decoding.run.moments[place], decoding.task
    circles: frozenset[int] = frozenset()
    if task.guard is not None and moment.step.guarded is not None:
        circles = task.guard.forbids(moment.written)
    found = {}
    for at, index in enumerate(ids):
        if index == moment.step.chosen:
            continue
        if index in circles:
            found[at] = say("timeline.barred_circle")
        elif index in task.forbidden:
            sign = decoding.trace.vocabulary[index] in RESERVED
            found[at] = say("timeline.barred_sign" if sign else "timeline.barred_language")
    return found
