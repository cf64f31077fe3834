"""Step by step: the strip of all steps, what one of them chose between, where it looked."""

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from html import escape

import numpy as np
import streamlit as st

from glassformer.app.pages.decoding.figures.next_words import next_words
from glassformer.app.pages.decoding.run import (
    DecodedRun,
    Decoding,
    go_to_step,
    refusal_text,
    release_words,
    take_back,
    take_word,
    word_of,
)
from glassformer.app.pages.decoding.strip import draw_strip, lines_html, word_in_prose, word_of_step
from glassformer.app.panels import answers
from glassformer.app.panels.answers import Answers, Move
from glassformer.app.panels.words.words_panel import (
    attention_in_focus,
    cross_pickers,
    sentence_signs,
    why_never,
)
from glassformer.app.plots.labels import format_percent, visible
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.session import store
from glassformer.app.session.state import State
from glassformer.app.ui.chart import Click, current_look, show_chart
from glassformer.app.ui.components.player import draw_player
from glassformer.app.ui.layout import box, side_by_side
from glassformer.app.ui.text import with_arrows
from glassformer.app.words import say
from glassformer.core.analysis.attention_views import Kind, attention_sides, head_map
from glassformer.core.decoding.step import Step
from glassformer.core.errors import GlassformerError

HEIGHT = 340
STAGED = 6  # words in front of a hall; the others are counted together
NEARLY_ONE = 1.005  # "as between 1.00 words" says nothing


def top_line() -> str:
    """Of the step in view, what it read and wrote."""
    try:
        decoding = Decoding.current()
    except GlassformerError:  # a file's run without its model: the panel says so
        return ""
    run, place = decoding.run, decoding.place(store.get_state())
    words = {"reads": visible(run.trace.target_tokens[place]), "writes": word_of_step(run, place)}
    words["writes"] = words["writes"] or say("timeline.strip_end")
    return say(
        "timeline.said_step",
        step=run.number(place),
        percent=format_percent(run.moments[place].step.probability),
        **{name: f"<b>{escape(word)}</b>" for name, word in words.items()},
    )


def show() -> None:
    """Draw the strip, both sentences, and the step in focus."""
    look = current_look()
    decoding, now = Decoding.current(), store.get_state()
    place = decoding.place(now)
    _top(decoding, place, look)
    draw_sentences(decoding)
    with box("fill", "timeline_main"):
        left, middle, right = st.columns([5, 3.1, 4.6], gap="medium")
        with left, box("fill", "timeline_words", gap=None):
            _distribution(decoding, place, look)
        with middle, box("fill scroll", "timeline_says", gap="xsmall"):
            _says(decoding, place, look)
        with right, box("fill scroll", "timeline_looks", gap="xsmall"):
            _looks(decoding.run, place)
    answers.show(timeline_answers)


def _top(decoding: Decoding, place: int, look: FigureStyle) -> None:
    run, number = decoding.run, decoding.run.number(place)
    with st.container(key="timeline_top", horizontal=True, gap="small", wrap=False):
        with box("rest", "timeline_strip"):
            draw_strip(decoding.run, place, take_back, "decoding_strip")
        with st.container(key="timeline_player", gap="xsmall"):
            st.markdown(f"**{say('timeline.step_of', step=number, last=run.count)}**")
            names = ("back", "play", "stop", "on")
            texts = {name: with_arrows(say(f"timeline.go_{name}")) for name in names}
            to = partial(_go_behind, run.first)
            draw_player(run.count, place - run.first, texts, look.colour("data"), to)
            asked = store.get_state().moment
            beyond = asked is not None and asked != place
            step = run.number(asked or 0)
            told = say("timeline.beyond", step=step) if beyond else _how_steps_go_on()
            st.caption(with_arrows(told), unsafe_allow_html=True)


def _how_steps_go_on() -> str:
    keys = f'<span class="keys-only">{say("timeline.keys")}</span>'
    return say("language.gap").join((keys, say("timeline.reads")))


def _go_behind(first: int, at: int) -> None:
    """Put a step in focus that counts from the end of the given text."""
    go_to_step(first + at)


def draw_sentences(decoding: Decoding) -> None:
    """The model's own sentence and the reader's, or how to take over."""
    with side_by_side("timeline_sentences", gap="small", wrap=False):
        st.html(sentences_html(decoding))
        st.button(
            say("timeline.release"), key="timeline_release", icon=":material/undo:",
            help=say("timeline.release_help"), disabled=not decoding.asked, on_click=release_words,
            width="content",
        )  # fmt: skip


def sentences_html(decoding: Decoding) -> str:
    """Two lines: the own translation; the one with given words, these marked, or a hint."""
    kind = ""
    if decoding.problem is not None:
        said = escape(refusal_text(decoding.problem).replace("\\", ""))  # no markdown here
        kind = "timeline-problem"
    elif decoding.given is None:
        said, kind = escape(say("timeline.take_over")), "timeline-hint"
    else:
        said = _words_html(decoding.given)
        if decoding.unreached:
            steps = ", ".join(str(decoding.own.number(each)) for each in decoding.unreached)
            note = escape(say("timeline.unreached", steps=steps))
            said += f' <em class="timeline-problem">{note}</em>'
    own = (say("timeline.own"), _words_html(decoding.own), "")
    return lines_html("timeline-sentences", [own, (say("timeline.yours"), said, kind)])


def _words_html(run: DecodedRun) -> str:
    words = []
    if run.first:
        prompt = " ".join(map(visible, run.trace.target_tokens[: run.first + 1]))
        words.append(f'<span class="timeline-hint">{escape(prompt)}</span>')
    for place in range(run.first, len(run.trace.output_tokens)):
        word = escape(word_of_step(run, place)) or f"<i>{escape(say('timeline.strip_end'))}</i>"
        words.append(f"<mark>{word}</mark>" if place in run.forced else word)
    return " ".join(words)


def timeline_answers() -> Answers:
    """The steps beside the one in view, the nearest first."""
    decoding, now = Decoding.current(), store.get_state()
    run, place = decoding.run, decoding.place(now)
    steps = tuple(range(run.first, len(run.moments)))
    near = sorted(steps, key=lambda at: (abs(at - place), at < place))
    moves = [Move(key, "moment", "go", "to", steps) for key in ("decoding_strip", "player")]

    def draw(there: State) -> None:
        draw_words(decoding, decoding.place(there), current_look())

    of = (id(run), current_look())
    return Answers(replace(now, moment=place), of, moves, [{"moment": at} for at in near], draw)


def _distribution(decoding: Decoding, place: int, look: FigureStyle) -> None:
    st.markdown(
        f"**{say('timeline.words_title', step=decoding.run.number(place))}**",
        help=say("timeline.click"),
    )
    draw_words(decoding, place, look)


def draw_words(decoding: Decoding, place: int, look: FigureStyle) -> None:
    """Draw what a step chose between, alone."""
    run = decoding.run
    step, trace = run.moments[place].step, run.trace
    known = {index: share for index, share in step.candidates if not math.isnan(share)}
    known.setdefault(step.chosen, step.probability)
    ids = [*known][: STAGED if store.memory().presented else None]
    if step.chosen not in ids:
        ids[-1] = step.chosen
    chosen, cut = ids.index(step.chosen), [known[each] for each in known if each not in ids]
    words = [word_of(trace, index) for index in ids]
    words[chosen] = trace.output_tokens[place]  # as the sentence has it
    others = say("timeline.rest", count=f"{len(trace.vocabulary) - len(ids):,}")
    figure = next_words(
        words, [known[each] for each in ids], chosen, look,
        height=look.px(HEIGHT), forced=place in run.forced,
        signs=sentence_signs([trace.vocabulary[at] for at in ids]),
        remarks=word_remarks(decoding, place, ids),
        rest=(others, step.rest + sum(cut)) if len(known) == len(step.candidates) else None,
    )  # fmt: skip

    def clicked(click: Click) -> None:
        at = round(click.y)
        if at < len(ids) and ids[at] != step.chosen:
            take_word(place, ids[at])

    show_chart(figure, "next_words", say("timeline.words_alt"), fill=True, clicked=clicked)


def word_remarks(decoding: Decoding, place: int, ids: list[int]) -> dict[int, str]:
    """Why some of these words may not be written at a step, by their place in the list."""
    moment, task = decoding.run.moments[place], decoding.task
    guard = task.guard if moment.step.guarded is not None else None
    circles = guard.forbids(moment.written) if guard else frozenset[int]()
    found = {}
    for at, index in enumerate(ids):
        if index == moment.step.chosen:
            continue
        if index in circles:
            found[at] = say("timeline.barred_circle")
        elif index in task.forbidden:
            found[at] = why_never(decoding.trace.vocabulary[index])
    return found


def _says(decoding: Decoding, place: int, look: FigureStyle) -> None:
    """One step in words: how unsure it was, what stood in its way."""
    run, step = decoding.run, decoding.run.moments[place].step
    st.markdown(_entropy(step, look))
    if place in run.forced:
        st.markdown(say("timeline.said_forced", own=word_in_prose(decoding, run.own[place])))
    if step.guarded is not None:
        st.markdown(say("timeline.said_guarded", word=word_in_prose(decoding, step.guarded)))
    best = step.candidates[0][0]
    if best in decoding.task.forbidden and best != step.chosen:
        st.markdown(say("timeline.said_barred", word=word_in_prose(decoding, best)))
    notes = [say("timeline.note_edits")] * bool(decoding.edits)
    notes += [say("timeline.note_dropout")] * decoding.dropout
    if notes:
        st.caption("  \n".join(notes))


def _entropy(step: Step, look: FigureStyle) -> str:
    if math.isnan(step.probability):
        return say("timeline.said_nan")
    key = "timeline.said_sure" if step.alike < NEARLY_ONE else "timeline.said_entropy"
    return say(key, entropy=look.number(step.entropy), alike=look.number(step.alike))


def _looks(run: DecodedRun, place: int) -> None:
    """Where a step looked, in the source and in what was written so far: words by their weight."""
    layer, head = attention_in_focus(store.get_state(), run.trace)
    with box("dense inline", "timeline_pickers", horizontal=True, gap="small"):
        cross_pickers("timeline", run.trace, layer, head)
    kinds: tuple[Kind, ...] = ("cross", "decoder")
    for kind in kinds if run.trace.config.has_both else kinds[1:]:
        view = head_map(run.trace, kind, layer, head, "weights")
        columns = attention_sides(run.trace, kind)[1]
        may = view.allowed[place]  # (S,) or (T,); without a causal mask also what comes later
        ahead = kind == "decoder" and bool(np.any(may[place + 1 :]))
        seen = [at for at, allowed in enumerate(may) if allowed or kind == "cross"]
        words = [columns.tokens[at] for at in seen]
        sinks = {at for at, column in enumerate(seen) if column in columns.sinks}
        title = "ahead" if ahead else kind
        st.markdown(f"**{say(f'timeline.looks_{title}')}**")
        st.html(words_html(words, view.weights[place, seen], sinks))


def words_html(words: Sequence[str], weights: np.ndarray, sinks: Collection[int]) -> str:
    """Each word over its weight, the stronger the darker; the exact weight on hover."""
    parts = []
    for at, (word, weight) in enumerate(zip(words, weights.tolist(), strict=True)):
        shown, said, exact, tint = escape(visible(word)), "NaN", "NaN", "0%"
        if 0 <= weight <= 1:
            said, exact, tint = f"{weight:.2f}", f"{weight:.6g}", f"{100 * weight:.1f}%"
        parts.append(
            f'<span class="{"sink" if at in sinks else ""}" style="--w:{tint}" '
            f'title="{shown}: {exact}"><b>{shown}</b><i>{said}</i><u></u></span>'
        )
    return f'<div class="decoding-looks" style="--role:var(--weights)">{"".join(parts)}</div>'
