"""Teacher forcing beside decoding, and what one wrong word does to the rest."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import streamlit as st

from glassformer.app.pages.decoding.figures.steps import ROLES
from glassformer.app.pages.decoding.forcing.figures import exposure_figure
from glassformer.app.pages.decoding.run import Decoding, refusal_text
from glassformer.app.pages.decoding.strip import (
    draw_strip,
    lines_html,
    table_html,
    word_in_prose,
    word_of_step,
)
from glassformer.app.plots.labels import format_number, visible
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.session import store
from glassformer.app.session.state import State
from glassformer.app.ui.chart import current_look, show_chart
from glassformer.app.ui.layout import box, side_by_side
from glassformer.app.ui.lines import with_lines
from glassformer.app.ui.text import format_error, literal
from glassformer.app.words import say
from glassformer.core.analysis.training_views import agreeing_words
from glassformer.core.decoding.greedy import (
    EQUAL,
    Beside,
    WrongWord,
    compare_with_forcing,
    most_harmful,
    wrong_word,
)
from glassformer.core.decoding.step import Step
from glassformer.core.errors import GlassformerError

WIDTH, HEIGHT = 600, 260  # of the bars' axis in a window of 1280 × 720
OFFERED = 6  # other words of a step


def show() -> None:
    """Draw the strip to choose a step from, both ways beside each other, the wrong word."""
    look = current_look()
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


def _beside(decoding: Decoding, look: FigureStyle) -> None:
    model, task, words = decoding.model, decoding.task, decoding.own.words
    found = store.once(
        lambda: compare_with_forcing(model, task, words, decoding.tape), decoding.trace
    )
    differences = [each.difference for each in found]
    worst = max(differences, key=lambda each: (math.isnan(each), each))
    st.markdown(f"**{say('forcing.beside_title')}**")
    st.caption(say("forcing.beside_same" if worst <= EQUAL else "forcing.beside_apart"))
    with box("fill scroll", "forcing_table"):
        st.html(rows_html(decoding, found))
    key = "forcing.equal" if worst <= EQUAL else "forcing.unequal"
    if math.isnan(worst):
        key = "timeline.said_nan"
    st.markdown(say(key, difference=look.number(worst)))


def rows_html(decoding: Decoding, found: tuple[Beside, ...]) -> str:
    """A row a step, both ways: what it reads, the right word, its probability in both ways."""
    names = ("step", "reads", "right", "forced", "free", "difference")
    heads = (say(f"forcing.head_{name}") for name in names)
    rows = list[tuple[str, ...]]()
    first = decoding.own.first
    for at, row in enumerate(found[first:], first):
        reads = escape(visible(decoding.trace.target_tokens[at]))
        right = escape(word_of_step(decoding.own, at) or say("timeline.strip_end"))
        # With five digits, so that "equal" can be seen.
        both = (f"{way.probability:.5f}".replace("nan", "NaN") for way in (row.forced, row.free))
        apart = format_number(row.difference, 2)
        rows.append((str(at - first + 1), reads, f"<b>{right}</b>", *both, apart))
    return table_html("forcing-rows", heads, rows)


def _wrong(decoding: Decoding, chosen: "ChosenWord", look: FigureStyle) -> None:
    wrong = chosen.wrong
    step = decoding.own.number(chosen.place)
    st.markdown(f"**{say('forcing.wrong_title', step=step)}**", help=say("forcing.wrong_help"))
    draw_pickers(decoding, chosen)
    if wrong is None:
        st.info(say("forcing.no_word"))
        return
    st.html(sentences_html(decoding, chosen))
    later = wrong.before[chosen.place + 1 :]
    if not later:
        st.info(say("forcing.nothing_follows"))
        return
    names = say("forcing.after_right"), say("forcing.after_wrong")
    st.html(bias_title(names))
    right, given = (
        [step.probability for step in steps] for steps in (later, wrong.given[chosen.place + 1 :])
    )
    words = tokens_of(decoding, wrong.before)[chosen.place + 1 :]
    figure = exposure_figure(words, right, given, names, look, WIDTH, look.px(HEIGHT))
    with box("fill", "forcing_bars"):
        show_chart(figure, "exposure", say("forcing.bias_alt"), fill=True)
    losses = dict(zip(("right", "wrong"), map(look.number, wrong.mean_losses), strict=True))
    st.markdown(say("forcing.losses", **losses))
    st.caption(say("forcing.exposure_bias"))


def bias_title(names: tuple[str, str]) -> str:
    """What the bars are, with the colours of both."""
    keys = (
        f'<i style="background:var(--{role})"></i>{escape(name)}'
        for role, name in zip(ROLES, names, strict=True)
    )
    title, about = escape(say("forcing.bias_title")), escape(say("forcing.bias_help"))
    return f'<p class="forcing-bias" title="{about}"><b>{title}</b>{"".join(keys)}</p>'


def tokens_of(decoding: Decoding, steps: Sequence[Step]) -> list[str]:
    """The words of some steps as they are written; the end in the reader's language."""
    ids = [step.chosen for step in steps]
    shown = decoding.translator.reading(decoding.trace, ids).surfaces
    end = say("timeline.strip_end")
    return [
        end if index in decoding.task.every_end else visible(token)
        for index, token in zip(ids, shown, strict=True)
    ]


def sentences_html(decoding: Decoding, chosen: "ChosenWord") -> str:
    """The sentence before and after, the wrong word in pink, what only one of them has dotted."""
    assert chosen.wrong is not None
    before, after = (
        tokens_of(decoding, each) for each in (chosen.wrong.before, chosen.wrong.after)
    )
    rows = (
        (say("forcing.without"), _marked(before, agreeing_words(before, after), None), ""),
        (say("forcing.with"), _marked(after, agreeing_words(after, before), chosen.place), ""),
    )
    return lines_html("forcing-sentences", rows)


def _marked(words: Sequence[str], kept: Sequence[bool], wrong: int | None) -> str:
    tags = ["" if stays else "u" for stays in kept]
    if wrong is not None:
        tags[wrong] = "mark"
    marked = zip(map(escape, words), tags, strict=True)
    return " ".join(f"<{tag}>{word}</{tag}>" if tag else word for word, tag in marked)


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


def likeliest_words(decoding: Decoding, place: int) -> list[int]:
    """The likeliest other words of a step, the end last, none that may not be written."""
    step = decoding.own.moments[place].step
    barred = {step.chosen, *decoding.task.forbidden}
    allowed = [index for index, _ in step.candidates if index not in barred]
    return sorted(allowed, key=lambda index: index in decoding.task.every_end)[:OFFERED]


def draw_pickers(decoding: Decoding, choice: ChosenWord) -> None:
    """Draw the words to choose from and a field for any other, with what was wrong about it."""
    place = choice.place
    options = likeliest_words(decoding, place)
    word = choice.wrong.word if choice.wrong else None
    if word is not None and word not in options:
        options = [word, *options]
    labels = {index: word_in_prose(decoding, index) for index in options}
    with side_by_side("forcing_pickers", "rows-2", gap="small"):
        st.pills(
            say("forcing.words"), tuple(options), **store.bind("forcing_word", word, default=word),
            format_func=labels.__getitem__, label_visibility="collapsed", width="content",
            on_change=lambda: _force(place, store.widget_value("forcing_word")),
        )  # fmt: skip
        st.text_input(
            say("forcing.typed"), key="widget_forcing_typed", placeholder=say("forcing.typed"),
            label_visibility="collapsed", width=190, on_change=lambda: _typed(decoding, place),
        )  # fmt: skip
    st.caption(_remark(decoding, choice))


def _remark(decoding: Decoding, choice: ChosenWord) -> str:
    if choice.problem is not None:
        return f":red[:material/error: {refusal_text(choice.problem)} {say('forcing.instead')}]"
    for_place, problem = store.memory().word_refused
    if problem and for_place == (choice.place, decoding.trace.source_text):
        return f":red[:material/error: {problem}]"
    if choice.example:
        return say("forcing.example")
    return say("forcing.first_of_several" if len(decoding.asked) > 1 else "forcing.chosen")


def _force(place: int, word: int | None) -> None:
    store.memory().word_refused = (None, "")
    store.update(moment=place, forced=() if word is None else ((place, word),))


def _typed(decoding: Decoding, place: int) -> None:
    """Force what was typed, if it is one word that the vocabulary knows."""
    text = with_lines(str(store.widget_value("forcing_typed") or "").strip())
    if not text:
        return
    try:
        word = decoding.translator.word(text, decoding.trace)
    except GlassformerError as error:
        _refuse(decoding, place, format_error(error))
        return
    if word == decoding.own.words[place]:
        word = "is_right"
    if isinstance(word, str):
        _refuse(decoding, place, say(f"forcing.{word}", text=literal(visible(text))))
    else:
        _force(place, word)


def _refuse(decoding: Decoding, place: int, problem: str) -> None:
    store.update(moment=place)
    store.memory().word_refused = ((place, decoding.trace.source_text), problem)


def _example(decoding: Decoding, place: int) -> int | None:
    """Of the words on offer the one that harms the rest most; computed once for a place."""
    model, task, words, tape = decoding.model, decoding.task, decoding.own.words, decoding.tape

    def found() -> int | None:
        offered = likeliest_words(decoding, place)
        return most_harmful(model, task, words, place, offered, tape) if offered else None

    return store.once(found, decoding.trace, place)


def _computed(decoding: Decoding, place: int, word: int) -> WrongWord:
    """What follows a wrong word; computed once for a trace, a place and a word."""
    model, task = decoding.model, decoding.task
    return store.once(
        lambda: wrong_word(model, task, place, word, decoding.tape), decoding.trace, place, word
    )
