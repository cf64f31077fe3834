"""Strategies side by side: one sentence written five ways, and the cut at the word in focus."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import streamlit as st

from app import state
from app.figures.labels import format_number, format_percent, visible
from app.figures.theme import Look
from app.widgets.chart import current_look
from app.widgets.decoding import given, strategy_controls, strategy_cut, strategy_draws
from app.widgets.decoding.tried import Tried, Written
from app.widgets.strategy_rows import Line, Word, strategy_rows
from app.widgets.style import put_sheet
from app.widgets.text import told
from app.words import say
from core.decoding.beam_tree import Rule
from core.decoding.sampling import Sampling
from core.decodings import new_words
from core.errors import GlassformerError
from core.text.vocabulary import END

SAMPLED = ("temperature", "top_k", "top_p")


def show() -> None:
    """Draw the settings, the sentences, how often each comes, and the cut."""
    put_sheet(__file__, "strategies.css")
    now, look, tried = state.get_state(), current_look(), Tried.current()
    forced = dict(now.forced)
    strategy_controls.show(now)
    given.show(tried, forced, "strategies")
    try:
        written = sentences(tried, now, forced)
    except GlassformerError as error:
        st.warning(told(error))
        return
    chosen = written[now.strategy]
    step = min(_wanted(now, chosen), len(chosen.steps) - 1)
    left, right = st.columns([63, 37], gap="medium")
    with left, st.container(key="strategies_left", gap="xsmall"):
        st.markdown(f"**{say('strategies.title')}**", help=say("strategies.about"))
        with st.container(key="strategies_main"):
            _rows(tried, now, written, forced, step, look)
        strategy_draws.show(tried, now, forced, look)
    with right, st.container(key="strategies_right", gap="xsmall"):
        strategy_cut.show(tried, now, chosen, step, look)


def how(now: state.State, strategy: str, seed: int) -> Sampling:
    """The sampling of a row: all three have the temperature, one of them its cut."""
    return Sampling(
        temperature=now.temperature,
        top_k=(now.top_k or None) if strategy == "top_k" else None,
        top_p=now.top_p if strategy == "top_p" else None,
        seed=seed,
    )


def sentences(tried: Tried, now: state.State, forced: Mapping[int, int]) -> dict[str, Written]:
    """What each strategy writes; raises `decoding_range` and `out_of_range`."""
    drawn = tried.rows([how(now, name, now.seed) for name in SAMPLED], forced)
    found = {
        "greedy": tried.greedy(forced),
        "beam": tried.beam(now.beams, now.alpha, forced, cast(Rule, now.rule)),
        **dict(zip(SAMPLED, drawn, strict=True)),
    }
    return {name: found[name] for name in state.STRATEGIES}


def _wanted(now: state.State, written: Written) -> int:
    """The step in focus; without one, that of the least probable word."""
    if now.moment is not None:
        return now.moment
    chances = [step.probability for step in written.steps]
    return chances.index(min(chances))


def _rows(
    tried: Tried, now: state.State, written: Mapping[str, Written], forced: Mapping[int, int],
    step: int, look: Look,
) -> None:  # fmt: skip
    greedy = written["greedy"].words
    lines = [_line(tried, now, name, each, greedy, forced, look) for name, each in written.items()]

    def picked(name: str, at: int) -> None:
        state.update(strategy=name, moment=at)

    texts = {
        "label": say("strategies.label"),
        "step": say("strategies.step"),
        "given": say("strategies.given"),
        "numbers": [say("strategies.ln"), say("strategies.words")],
    }
    strategy_rows(lines, (now.strategy, step), texts, look, picked)


def _line(
    tried: Tried, now: state.State, name: str, written: Written, greedy: tuple[int, ...],
    forced: Mapping[int, int], look: Look,
) -> Line:  # fmt: skip
    marks = new_words(written.words, greedy)
    end = tried.trace.vocabulary.index(END)
    words = []
    for place, (id, step) in enumerate(zip(written.words, written.steps, strict=True)):
        text = visible(written.reading.tokens[place])
        chance = format_percent(step.probability)
        title = say("strategies.word", word=text, chance=chance, step=place + 1)
        if step.guarded is not None:
            skipped = visible(tried.token(step.guarded))
            title = f"{title}\n{say('strategies.word_guarded', word=skipped)}"
        share = round(step.probability, 4) if step.probability == step.probability else 0.0
        words.append(Word(text, share, chance, title, marks[place], id == end, place in forced))
    numbers = [format_number(written.log_probability, look.precision), str(len(words))]
    return Line(name, say(f"strategies.name_{name}"), about(now, name), words, numbers)


def about(now: state.State, name: str) -> str:
    """The settings of a row, in words."""
    key = "top_k_all" if name == "top_k" and now.top_k == 0 else name
    values: dict[str, object] = {
        "beams": now.beams,
        "alpha": f"{now.alpha:g}",
        "temperature": f"{now.temperature:g}",
        "top_k": now.top_k,
        "top_p": f"{now.top_p:g}",
    }
    return say(f"strategies.about_{key}", **values)
