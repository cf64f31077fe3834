"""The translation itself, how sure one may be of it, and what a step was choosing between."""

import math
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from html import escape
from typing import Any

import streamlit as st

from glassformer.app.pages.translate import headline_parts
from glassformer.app.panels import answers, provenance
from glassformer.app.panels.answers import Answers, Move
from glassformer.app.panels.words.words_panel import (
    is_large,
    sentence_signs,
    shown_piece,
    step_in_focus,
    why_never,
)
from glassformer.app.plots.bars import candidates
from glassformer.app.plots.labels import format_percent, is_chinese, visible
from glassformer.app.runs import on_screen
from glassformer.app.runs.traces import get_trace
from glassformer.app.session import store
from glassformer.app.session.state import State
from glassformer.app.ui.chart import Click, current_look, show_chart
from glassformer.app.ui.component import component, go_to_place
from glassformer.app.ui.kept import keep
from glassformer.app.ui.layout import box
from glassformer.app.words import say
from glassformer.core.analysis.choices import (
    UNSURE_BELOW,
    Choice,
    choice_at,
    choice_at_temperature,
    rows_by_model,
)
from glassformer.core.analysis.confidence import Confidence, Reason, confidence, is_judged
from glassformer.core.errors import GlassformerError
from glassformer.core.text.tokenizer import split_sentences
from glassformer.core.text.vocabulary import END
from glassformer.core.trace.trace import Trace

NAMED = 3  # words that are written out
QUOTED = 5  # words of a repetition that are written out
SHOWN_BEFORE = 4  # words of the prefix that are written out
OTHERS, OTHERS_LARGE = 5, 3  # runners-up; large type needs the room for the words above
HEATS, SLIDER = (0.1, 3.0), 130  # temperatures; pixels of their slider
VECTORS_PAGE = "app/pages/vectors/page.py"
BAR, AROUND = 22.5, 10  # pixels of a bar, and above and below all of them

_headline = component(__file__, "headline")  # in the largest type that fits


def show(trace: Trace, opened: bool) -> None:
    """Draw the translation in large type with its badge, its cue and what can be clicked.

    opened: whether a block of the map is open.
    """
    large = is_large(store.get_state())
    hint = say("translate.hint_block" if opened else "translate.hint_words")
    data = {
        "text": trace.output_text or say("translate.nothing"),
        "language": trace.language,  # for the browser's choice of font
        **_others(trace),  # in grey
        "parts": headline_parts.text_parts(trace),
        "hint": "" if large else hint,  # large type has no room for it
        "first": _invitation(trace) if invites_a_click(trace, opened) else None,
        "compact": large,
    }
    _headline("headline", data | _trust(trace), sentence=_turn)


def _invitation(trace: Trace) -> list[str]:
    """What there is to see, and what to do first."""
    alone = trace.task != "translate"
    return [
        say("translate.first_alone" if alone else "translate.first"),
        say("translate.first_action"),
    ]


def invites_a_click(trace: Trace, opened: bool) -> bool:
    """Whether there is a word to click that tells something; a first reader is invited to."""
    lines = store.get_state().links == "lines"
    return lines and trace.config.has_generator and not opened


def _trust(trace: Trace) -> dict[str, str]:
    """How far the words deserve trust, where that is known of their model."""
    if not is_judged(trace):
        cue = headline_parts.cue_text(trace)
        return {"badge": "", "cue": cue, "cue_help": say("translate.not_judged"), "level": ""}
    trust = confidence(trace)
    return {
        "badge": say("translate.badge") if trust.level == "unsure" else "",
        "cue": in_a_sentence(trace, trust),
        "cue_help": _help(trust),
        "level": trust.level,
    }


def _help(trust: Confidence) -> str:
    if not trust.measured:
        return say("translate.cue_help_unmeasured")
    return say("translate.cue_help", percent=format_percent(trust.score))


def in_a_sentence(trace: Trace, trust: Confidence) -> str:
    """What to know about the translation; where that is doubt, how large it is and why."""
    found = " · ".join(cues(trace, trust))
    if trust.level == "sure":
        return say("translate.sure", cues=found)
    if not trust.measured:
        return say("translate.doubt_unmeasured", reasons=found)
    return say("translate.doubt", percent=format_percent(trust.score), reasons=found)


def neighbouring_translations(trace: Trace) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The translations of the sentences before and after the one below."""
    now = store.get_state()
    if not now.sentence or not _is_typed(trace):
        return (), trace.further
    whole = get_trace(now.text, now.direction, now.model, now.version)
    every = (whole.output_text, *whole.further)
    return every[: now.sentence], every[now.sentence + 1 :]


def _others(trace: Trace) -> dict[str, object]:
    before, after = neighbouring_translations(trace)
    space = " " if trace.language == "en" else ""
    pick = say("translate.pick_sentence") if _is_typed(trace) else ""
    return {"before": before, "after": after, "space": space, "pick": pick}


def _is_typed(trace: Trace) -> bool:
    """Whether it is a sentence of the text in the input: not of a file, nor a second one."""
    return on_screen.file_on_screen() is None and trace.line == store.get_state().own_text


def _turn(sent: Mapping[str, Any]) -> None:
    go_to_place(len(split_sentences(store.get_state().text)), lambda to: store.update(sentence=to))(
        sent
    )


def cues(trace: Trace, trust: Confidence) -> list[str]:
    """What to know about the translation, the gravest first, as plain text."""
    parts = [reason_in_words(reason, trace) for reason in trust.reasons]
    before, after = neighbouring_translations(trace)
    if before or after:
        count = len(before) + 1 + len(after)
        parts.insert(0, say("translate.cue_sentences", count=count, at=len(before) + 1))
    if trust.level == "sure" or trust.probability < UNSURE_BELOW or not parts:
        ends = trace.output_pieces[trust.weakest] == END
        word = f"“{visible(trace.output_tokens[trust.weakest])}”"
        token, odds = say("translate.cue_end") if ends else word, trust.probability
        percent = "NaN" if math.isnan(odds) else format_percent(odds)
        parts.append(say("translate.cue_least", token=token, percent=percent))
    return parts


def reason_in_words(reason: Reason, trace: Trace) -> str:
    """One reason as a short clause."""
    if reason.key == "repeated":
        return say("translate.why_repeated", words=_quoted(reason.words), count=reason.count)
    return say(
        f"translate.why_{reason.key}",
        words=_named(reason.words),
        count=reason.count,
        total=len(trace.output_tokens),
    )


def _quoted(words: tuple[str, ...]) -> str:
    named = [visible(word) for word in words[:QUOTED]]
    joined = ("" if any(map(is_chinese, named)) else " ").join(named)
    return f"{joined} …" if len(words) > QUOTED else joined


def _named(words: tuple[str, ...]) -> str:
    """The words in quotes, each once, and a sign where there are more."""
    once = tuple(dict.fromkeys(words))
    named = say("language.comma").join(f"“{visible(word)}”" for word in once[:NAMED])
    return f"{named} …" if len(once) > NAMED else named


def show_choices(trace: Trace) -> None:
    """Draw the chosen word and its runners-up with a sentence saying for which step."""
    if not trace.config.has_generator:
        st.caption(say("translate.no_choices"))
        return
    now = store.get_state()
    choice = choice_at(trace, step_in_focus(now, trace), OTHERS_LARGE if is_large(now) else OTHERS)
    with st.container(key="choices_panel", gap=None):
        with box("flat", "choices_top", horizontal=True, vertical_alignment="center", wrap=False):
            st.html(
                lead_title(choice)
                if trace.config.encoder_layers and trace.task == "translate"
                else title_alone(trace, choice)
            )
            if not is_large(now):  # large type has no room for it
                _temperature(now)
            _why(trace, choice)
        _draw_candidates(trace, choice, now.heat)
    answers.show(partial(_temperatures, trace, choice))


def _temperature(now: State) -> None:
    """A slider that says at which temperature the candidates are shown."""

    def draw() -> None:
        st.slider(
            say("translate.temperature"), *HEATS, step=0.1, format="T = %.1f",
            **store.bind("heat", now.heat), label_visibility="collapsed", width=SLIDER,
            on_change=lambda: store.update(heat=store.widget_value("heat")),
        )  # fmt: skip

    keep("heat", draw, now.language, now.heat)


def _temperatures(trace: Trace, choice: Choice) -> Answers:
    """The candidates at all other temperatures, the nearest first."""
    now = store.get_state()
    stops = [round(HEATS[0] + at / 10, 1) for at in range(round(10 * (HEATS[1] - HEATS[0])) + 1)]
    nearby = [{"heat": each} for each in sorted(stops, key=lambda each: abs(each - now.heat))]

    def draw(there: State) -> None:
        _draw_candidates(trace, choice, there.heat)

    moves = [Move("widget_heat", "heat", "slide")]
    return Answers(now, (id(trace), choice.row, current_look()), moves, nearby, draw)


def _why(trace: Trace, choice: Choice) -> None:
    """Draw the button that opens what every part of the model wrote for the word."""
    if st.button(
        say("translate.why"), key="why_word", help=say("translate.why_help"), type="tertiary",
    ):  # fmt: skip
        stack = "decoder" if trace.config.decoder_layers else "encoder"
        store.update(vectors="attribution", stack=stack, token=("target", choice.row))
        st.switch_page(VECTORS_PAGE)


def _draw_candidates(trace: Trace, choice: Choice, heat: float) -> None:
    look = current_look()
    shown = choice if heat == 1 else choice_at_temperature(trace, choice, heat)
    rows = (shown.chosen, *shown.others)
    never = _never(trace)
    remarks = {at: why_never(row.piece) for at, row in enumerate(rows) if row.piece in never and at}
    figure = candidates(
        [shown_piece(row.piece, row.token) for row in rows],
        [row.probability for row in rows],
        look,
        height=look.px(AROUND + BAR * len(rows)),
        signs=sentence_signs([row.piece for row in rows]),
        remarks=remarks,
    )

    def clicked(click: Click) -> None:
        piece = trace.vocabulary.index(rows[int(click.y)].piece)
        provenance.open_trail("output/probabilities", (0, choice.row, piece))

    show_chart(figure, "candidates", say("translate.choices_alt"), clicked=clicked)


def _never(trace: Trace) -> set[str]:
    """What may not be written in this run; nothing is known of a run that no model here makes."""
    with suppress(GlassformerError):
        barred = on_screen.plain_model().task_of(trace).forbidden
        return {trace.vocabulary[at] for at in barred}
    return set()


def lead_title(choice: Choice) -> str:
    """For which step the candidates are, as one line of HTML; all words before it on hover."""
    guarded = ""
    if choice.guarded:
        told = say("translate.choices_guarded", word=f"“{visible(choice.guarded)}”")
        guarded = f"<span> · <b>{escape(told)}</b></span>"
    if not choice.before:
        return _line(escape(say("translate.choices_first")) + guarded, "")
    all_words = " ".join(map(visible, choice.before))
    words = " ".join(map(visible, choice.before[-SHOWN_BEFORE:]))
    if len(choice.before) > SHOWN_BEFORE:
        words = f"… {words}"
    parts = _after(words, " dir='ltr'") + guarded
    return _line(parts, say("translate.choices_after", words=all_words))


def title_alone(trace: Trace, choice: Choice) -> str:
    """The same of a model of one stack: what it had read; of a blank where it stands."""
    if trace.task == "continue":
        words = headline_parts.as_text(list(trace.target_tokens[: choice.row + 1]))
    else:
        kind = "blank" if choice.row in rows_by_model(trace) else "given"
        word = visible(trace.source_tokens[choice.row])
        told = say(f"translate.choices_{kind}", word=word, place=choice.row + 1)
        return _line(f"<span>{escape(told)}</span>", told)
    return _line(_after(words), say("translate.choices_after", words=words))


def _after(words: str, order: str = "") -> str:
    """After which words it is: a place is marked and cut, where the words could be anything."""
    before, after = map(escape, say("translate.choices_after", words="\0").split("\0"))
    bold = f"<b><bdi{order}>{escape(words)}</bdi></b>"
    return f"<span>{before}</span>{bold}<span>{after}</span>"


def _line(content: str, hover: str) -> str:
    return f'<p class="choices-title" title="{escape(hover)}">{content}</p>'
