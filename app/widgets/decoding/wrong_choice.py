"""Which wrong word is forced at which step: chosen, typed, or an example."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from app import state
from app.figures.labels import visible
from app.widgets.decoding.run import Decoding, refusal, word_of
from app.widgets.text import literal, told
from app.words import say
from core.decoding.forced import WrongWord, most_harmful, wrong_word
from core.decoding.rows import tapes
from core.errors import GlassformerError
from core.text.vocabulary import END

OFFERED = 6


@dataclass(frozen=True)
class Chosen:
    """A step and a word for it.

    wrong: what follows, None where there is no such word. example: nobody chose it. problem: why
    the link's word cannot be; then an example stands for it.
    """

    place: int
    wrong: WrongWord | None
    example: bool
    problem: GlassformerError | None = None


def chosen(decoding: Decoding, now: state.State) -> Chosen:
    """The first word that is given, or else an example at the step in focus."""
    problem = None
    if now.forced:
        place, word = now.forced[0]
        try:
            return Chosen(place, _computed(decoding, place, word), example=False)
        except GlassformerError as error:
            problem = error
    place = min(decoding.place(now), len(decoding.own.moments) - 1)
    if now.moment is None and place and place == len(decoding.own.moments) - 1:
        place -= 1  # after the end nothing follows
    example = _example(decoding, place)
    wrong = None if example is None else _computed(decoding, place, example)
    return Chosen(place, wrong, example=True, problem=problem)


def offers(decoding: Decoding, place: int) -> list[int]:
    """The likeliest other words of a step, the end last, none that may not be written."""
    step = decoding.own.moments[place].step
    ids = [index for index, _ in step.candidates if index != step.chosen]
    allowed = [index for index in ids if index not in decoding.task.forbidden]
    ends = [index for index in allowed if index == decoding.task.end]
    return [*(index for index in allowed if index not in ends), *ends][:OFFERED]


def pickers(decoding: Decoding, choice: Chosen) -> None:
    """Draw the words to choose from and a field for any other, with what was wrong about it."""
    place = choice.place
    options = offers(decoding, place)
    word = choice.wrong.word if choice.wrong else None
    if word is not None and word not in options:
        options = [word, *options]
    labels = {index: _label(decoding, index) for index in options}

    def take() -> None:
        picked = state.widget_value("forcing_word")
        _force(place, picked)

    with st.container(
        key="forcing_pickers", horizontal=True, gap="small", vertical_alignment="center"
    ):
        st.pills(
            say("forcing.words"),
            tuple(options),
            key=state.bind("forcing_word", word),
            format_func=labels.__getitem__,
            label_visibility="collapsed",
            width="content",
            on_change=take,
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


def _remark(decoding: Decoding, choice: Chosen) -> str:
    if choice.problem is not None:
        return f":red[:material/error: {refusal(choice.problem)} {say('forcing.instead')}]"
    for_place, problem = state.kept("forcing_problem", (None, ""))
    if problem and for_place == (choice.place, decoding.trace.source_text):
        return f":red[:material/error: {problem}]"
    if choice.example:
        return say("forcing.example")
    if len(decoding.asked) > 1:
        return say("forcing.first_of_several")
    return say("forcing.chosen")


def _label(decoding: Decoding, index: int) -> str:
    if decoding.trace.vocabulary[index] == END:
        return literal(say("timeline.strip_end"))
    return literal(visible(word_of(decoding.trace, index)))


def _force(place: int, word: int | None) -> None:
    state.keep("forcing_problem", (None, ""))
    state.update(moment=place, forced=() if word is None else ((place, word),))


def _typed(decoding: Decoding, place: int) -> None:
    """Force what was typed, if it is one word that the vocabulary knows."""
    text = str(state.widget_value("forcing_typed") or "").strip()
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
    state.update(moment=place)
    state.keep("forcing_problem", ((place, decoding.trace.source_text), problem))


def _example(decoding: Decoding, place: int) -> int | None:
    """Of the words on offer the one that harms the rest most; computed once for a place."""
    key, kept = state.kept("wrong_example", (None, None))
    word: int | None = kept
    if key is None or key[0] is not decoding.trace or key[1] != place:
        offered, words = offers(decoding, place), decoding.own.words
        tape = tapes(decoding.edits)
        word = None
        if offered:
            word = most_harmful(decoding.model, decoding.task, words, place, offered, tape)
        state.keep("wrong_example", ((decoding.trace, place), word))
    return word


def _computed(decoding: Decoding, place: int, word: int) -> WrongWord:
    """What follows a wrong word; computed once for a trace, a place and a word."""
    key, found = state.kept("wrong_word", (None, None))
    if key is None or key[0] is not decoding.trace or key[1:] != (place, word):
        found = wrong_word(decoding.model, decoding.task, place, word, tapes(decoding.edits))
        state.keep("wrong_word", ((decoding.trace, place, word), found))
    assert isinstance(found, WrongWord)
    return found
