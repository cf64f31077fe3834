"""Teacher forcing beside decoding, and what one wrong word does to the rest."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import streamlit as st

from app.pages.decoding.figures.steps import ROLES, exposure_figure
from app.pages.decoding.run import Decoding, refusal
from app.pages.decoding.strip import draw_strip, lines_html, named, table_html, written
from app.plots.labels import format_number, visible
from app.plots.theme import Look
from app.session import store
from app.session.state import State
from app.ui.chart import current_look, show_chart
from app.ui.layout import box
from app.ui.text import literal, told
from app.words import say
from core.analysis.training_views import agreeing
from core.decoding.greedy import EQUAL, Beside, WrongWord, beside, most_harmful, wrong_word
from core.decoding.step import Step
from core.decodings import read
from core.errors import GlassformerError

WIDTH, HEIGHT = 700, 260  # of the bars' axis in a window of 1440 × 900
OFFERED = 6  # other words of a step


def show() -> None:
    """Draw the strip to choose a step from, both ways beside each other, the wrong word."""
    look = current_look()
    st.html(f"<style>:root {{ --changed: {look.colour('changed')}; }}</style>")
    decoding = Decoding.current()
    chosen = chosen_word(decoding, store.get_state())
    with st.container(key="forcing_strip"):
        draw_strip(decoding.own, chosen.place, _pick, "forcing_steps", on_go=_pick, bars=False)
    with st.container(key="forcing_main"):
        left, right = st.columns([4.4, 7], gap="medium")
        with left, st.container(key="forcing_beside", gap="xsmall"):
            _beside(decoding, look)
        with right, st.container(key="forcing_wrong", gap="xsmall"):
            _wrong(decoding, chosen, look)


def _pick(place: int) -> None:
    """Another step, with its likeliest wrong word as an example."""
    store.update(moment=place, forced=())


def rows(decoding: Decoding) -> tuple[Beside, ...]:
    """The model's own words in both ways, row by row; computed once for a trace."""
    model, task, words = decoding.model, decoding.task, decoding.own.words
    return store.once(lambda: beside(model, task, words, decoding.tape), decoding.trace)


def _beside(decoding: Decoding, look: Look) -> None:
    found = rows(decoding)
    differences = [each.difference for each in found]
    worst = max(differences, key=lambda each: (math.isnan(each), each))
    st.markdown(f"**{say('forcing.beside_title')}**")
    st.caption(say("forcing.beside_same" if worst <= EQUAL else "forcing.beside_apart"))
    with box("fill scroll", "forcing_table"):
        st.html(rows_html(decoding, found))
    key = "forcing.equal" if worst <= EQUAL else "forcing.unequal"
    if math.isnan(worst):
        key = "timeline.said_nan"
    st.markdown(say(key, difference=format_number(worst, look.precision)))


def rows_html(decoding: Decoding, found: tuple[Beside, ...]) -> str:
    """A row a step: what it reads, the right word, its probability in both ways."""
    names = ("step", "reads", "right", "forced", "free", "difference")
    heads = (say(f"forcing.head_{name}") for name in names)
    rows = (
        (
            str(row.position + 1),
            escape(visible(decoding.trace.target_tokens[row.position])),
            f"<b>{escape(written(decoding.own, row.position) or say('timeline.strip_end'))}</b>",
            share(row.forced.probability),
            share(row.free.probability),
            format_number(row.difference, 2),
        )
        for row in found
    )
    return table_html("forcing-rows", heads, rows)


def share(probability: float) -> str:
    """With five digits, so that "equal" can be seen."""
    return f"{probability:.5f}" if probability == probability else "NaN"


def _wrong(decoding: Decoding, chosen: ChosenWord, look: Look) -> None:
    wrong = chosen.wrong
    step = chosen.place + 1
    st.markdown(f"**{say('forcing.wrong_title', step=step)}**", help=say("forcing.wrong_help"))
    pickers(decoding, chosen)
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
    with box("fill", "forcing_bars"):
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


def sentences_html(decoding: Decoding, chosen: ChosenWord) -> str:
    """The sentence before and after, the wrong word in pink, what only one of them has dotted."""
    assert chosen.wrong is not None
    before = tokens_of(decoding, chosen.wrong.before)
    after = tokens_of(decoding, chosen.wrong.after)
    rows = (
        (say("forcing.without"), _marked(before, agreeing(before, after), None), ""),
        (say("forcing.with"), _marked(after, agreeing(after, before), chosen.place), ""),
    )
    return lines_html("forcing-sentences", rows)


def _marked(words: Sequence[str], kept: Sequence[bool], wrong: int | None) -> str:
    tags = ["" if stays else "u" for stays in kept]
    if wrong is not None:
        tags[wrong] = "mark"
    return " ".join(
        f"<{tag}>{escape(word)}</{tag}>" if tag else escape(word)
        for word, tag in zip(words, tags, strict=True)
    )


@dataclass(frozen=True)
class ChosenWord:
    """A step and a word for it.

    wrong: what follows, None where there is no such word. example: nobody chose it. problem: why
    the link's word cannot be; then an example stands for it.
    """

    place: int
    wrong: WrongWord | None
    example: bool
    problem: GlassformerError | None = None


def chosen_word(decoding: Decoding, now: State) -> ChosenWord:
    """The first word that is given, or else an example at the step in focus."""
    problem = None
    if now.forced:
        place, word = now.forced[0]
        try:
            return ChosenWord(place, _computed(decoding, place, word), example=False)
        except GlassformerError as error:
            problem = error
    place = min(decoding.place(now), len(decoding.own.moments) - 1)
    if now.moment is None and place and place == len(decoding.own.moments) - 1:
        place -= 1  # after the end nothing follows
    example = _example(decoding, place)
    wrong = None if example is None else _computed(decoding, place, example)
    return ChosenWord(place, wrong, example=True, problem=problem)


def offers(decoding: Decoding, place: int) -> list[int]:
    """The likeliest other words of a step, the end last, none that may not be written."""
    step = decoding.own.moments[place].step
    ids = [index for index, _ in step.candidates if index != step.chosen]
    allowed = [index for index in ids if index not in decoding.task.forbidden]
    ends = [index for index in allowed if index == decoding.task.end]
    return [*(index for index in allowed if index not in ends), *ends][:OFFERED]


def pickers(decoding: Decoding, choice: ChosenWord) -> None:
    """Draw the words to choose from and a field for any other, with what was wrong about it."""
    place = choice.place
    options = offers(decoding, place)
    word = choice.wrong.word if choice.wrong else None
    if word is not None and word not in options:
        options = [word, *options]
    labels = {index: named(decoding, index) for index in options}

    with box(
        "rows-2", "forcing_pickers", horizontal=True, gap="small", vertical_alignment="center"
    ):
        st.pills(
            say("forcing.words"),
            tuple(options),
            key=store.bind("forcing_word", word),
            format_func=labels.__getitem__,
            label_visibility="collapsed",
            width="content",
            on_change=lambda: _force(place, store.widget_value("forcing_word")),
        )
        st.text_input(
            say("forcing.typed"),
            key="widget_forcing_typed",
            placeholder=say("forcing.typed"),
            label_visibility="collapsed",
            width=190,
            on_change=lambda: _typed(decoding, place),
        )
    st.caption(_remark(decoding, choice))


def _remark(decoding: Decoding, choice: ChosenWord) -> str:
    if choice.problem is not None:
        return f":red[:material/error: {refusal(choice.problem)} {say('forcing.instead')}]"
    for_place, problem = store.memory().word_refused
    if problem and for_place == (choice.place, decoding.trace.source_text):
        return f":red[:material/error: {problem}]"
    if choice.example:
        return say("forcing.example")
    if len(decoding.asked) > 1:
        return say("forcing.first_of_several")
    return say("forcing.chosen")


def _force(place: int, word: int | None) -> None:
    store.memory().word_refused = (None, "")
    store.update(moment=place, forced=() if word is None else ((place, word),))


def _typed(decoding: Decoding, place: int) -> None:
    """Force what was typed, if it is one word that the vocabulary knows."""
    text = str(store.widget_value("forcing_typed") or "").strip()
    if not text:
        return
    try:
        word = _word(decoding, text)
    except GlassformerError as error:
        _refuse(decoding, place, told(error))
        return
    if isinstance(word, str):
        key = "forcing.unknown" if word == "unknown" else "forcing.not_one"
        _refuse(decoding, place, say(key, text=literal(visible(text))))
    elif word == decoding.own.words[place]:
        _refuse(decoding, place, say("forcing.is_right", text=literal(visible(text))))
    else:
        _force(place, word)


def _word(decoding: Decoding, text: str) -> int | str:
    """The id of a typed word, or the key of what is said of it."""
    tokenizer = decoding.translator.tokenizer
    for spelled in (text, text.lower()):
        if tokenizer.vocabulary.has_word(spelled):
            return tokenizer.vocabulary.id(tokenizer.vocabulary.piece(spelled))
    found = tokenizer.encode(text, decoding.trace.direction.partition("-")[2])
    if found.unknown:
        return "unknown"
    return found.ids[0] if len(found.ids) == 2 else "not_one"  # the word and the end


def _refuse(decoding: Decoding, place: int, problem: str) -> None:
    store.update(moment=place)
    store.memory().word_refused = ((place, decoding.trace.source_text), problem)


def _example(decoding: Decoding, place: int) -> int | None:
    """Of the words on offer the one that harms the rest most; computed once for a place."""

    def found() -> int | None:
        offered, words, tape = offers(decoding, place), decoding.own.words, decoding.tape
        if not offered:
            return None
        return most_harmful(decoding.model, decoding.task, words, place, offered, tape)

    return store.once(found, decoding.trace, place)


def _computed(decoding: Decoding, place: int, word: int) -> WrongWord:
    """What follows a wrong word; computed once for a trace, a place and a word."""
    model, task = decoding.model, decoding.task
    return store.once(
        lambda: wrong_word(model, task, place, word, decoding.tape), decoding.trace, place, word
    )
