"""Strategies side by side: one sentence written five ways, and the cut at the word in focus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from app.pages.decoding.figures.next_words import next_cut
from app.pages.decoding.run import Decoding, Written
from app.pages.decoding.strategy_rows import Line, Word, strategy_rows
from app.pages.decoding.strip import bound, show_given
from app.plots.bars import candidates
from app.plots.labels import format_number, format_percent, visible
from app.plots.theme import Look
from app.session import store
from app.session.state import STRATEGIES, State
from app.ui.chart import current_look, show_chart
from app.ui.components.bar_table import Column, Row, bar_table
from app.ui.layout import box
from app.ui.text import literal, told
from app.words import say
from core.decoding.beam import STRONGEST, WIDEST
from core.decoding.cuts import CutRow, Sampling, cut_rows, drawn, lot
from core.decoding.sampling import SampledStep
from core.decodings import new_words
from core.errors import GlassformerError
from core.text.vocabulary import END

SAMPLED = ("temperature", "top_k", "top_p")
LAST_SEED = 999_999
SEEDS = 5  # sentences of one sampling that are listed
HOTTEST = 3.0  # of the slider, unless the link is hotter
BEFORE = 6  # words before the one in focus that are written out
SHOWN = 9  # words of a cut, one a row


def show() -> None:
    """Draw the settings, the sentences, how often each comes, and the cut."""
    now, look, decoding = store.get_state(), current_look(), Decoding.current()
    _controls(now)
    show_given(decoding, "strategies")
    try:
        written = sentences(decoding, now)
    except GlassformerError as error:
        st.warning(told(error))
        return
    chosen = written[now.strategy]
    step = min(_wanted(now, chosen), len(chosen.steps) - 1)
    left, right = st.columns([63, 37], gap="medium")
    with left, st.container(key="strategies_left", gap="xsmall"):
        st.markdown(f"**{say('strategies.title')}**", help=say("strategies.about"))
        with box("fill", "strategies_main"):
            _rows(decoding, now, written, step, look)
        _draws(decoding, now, look)
    with right, st.container(key="strategies_right", gap="xsmall"):
        _focus(decoding, now, chosen, step, look)


def how(now: State, strategy: str, seed: int) -> Sampling:
    """The sampling of a row: all three have the temperature, one of them its cut."""
    return Sampling(
        temperature=now.temperature,
        top_k=(now.top_k or None) if strategy == "top_k" else None,
        top_p=now.top_p if strategy == "top_p" else None,
        seed=seed,
    )


def sentences(decoding: Decoding, now: State) -> dict[str, Written]:
    """What each strategy writes; raises `decoding_range` and `out_of_range`."""
    drawn = decoding.rows([how(now, name, now.seed) for name in SAMPLED])
    found = {
        "greedy": decoding.greedy(),
        "beam": decoding.beam(now),
        **dict(zip(SAMPLED, drawn, strict=True)),
    }
    return {name: found[name] for name in STRATEGIES}


def _wanted(now: State, written: Written) -> int:
    """The step in focus; without one, that of the least probable word."""
    if now.moment is not None:
        return now.moment
    chances = [step.probability for step in written.steps]
    return chances.index(min(chances))


def _rows(
    decoding: Decoding, now: State, written: Mapping[str, Written], step: int, look: Look
) -> None:
    greedy = written["greedy"].words
    lines = [_line(decoding, now, name, each, greedy, look) for name, each in written.items()]

    def picked(name: str, at: int) -> None:
        store.update(strategy=name, moment=at)

    texts = {
        "label": say("strategies.label"),
        "step": say("strategies.step"),
        "given": say("strategies.given"),
        "numbers": [say("strategies.ln"), say("strategies.words")],
    }
    strategy_rows(lines, (now.strategy, step), texts, look, picked)


def _line(
    decoding: Decoding, now: State, name: str, written: Written, greedy: Sequence[int], look: Look
) -> Line:
    marks, forced = new_words(written.words, greedy), decoding.asked
    end = decoding.trace.vocabulary.index(END)
    words = []
    for place, (id, step) in enumerate(zip(written.words, written.steps, strict=True)):
        text = visible(written.reading.tokens[place])
        chance = format_percent(step.probability)
        title = say("strategies.word", word=text, chance=chance, step=place + 1)
        if step.guarded is not None:
            skipped = visible(decoding.token(step.guarded))
            title = f"{title}\n{say('strategies.word_guarded', word=skipped)}"
        share = round(step.probability, 4) if step.probability == step.probability else 0.0
        words.append(Word(text, share, chance, title, marks[place], id == end, place in forced))
    numbers = [format_number(written.log_probability, look.precision), str(len(words))]
    return Line(name, say(f"strategies.name_{name}"), about(now, name), words, numbers)


def about(now: State, name: str) -> str:
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


def _controls(now: State) -> None:
    """The settings of all strategies in one line."""
    with st.container(key="strategies_controls"):
        places = st.columns([1.25, 1.0, 1.25, 1.0, 0.85, 0.85, 0.85], vertical_alignment="bottom")
        with places[0]:
            st.slider(
                say("strategies.temperature"), 0.0, max(HOTTEST, now.temperature), step=0.1,
                help=say("strategies.temperature_help"), **bound("strategies", "temperature"),
            )  # fmt: skip
        with places[1]:
            _number("top_k", 0, 50_000, 1, say("strategies.top_k_help"))
        with places[2]:
            st.slider(
                say("strategies.top_p"), 0.0, 1.0, step=0.01, help=say("strategies.top_p_help"),
                **bound("strategies", "top_p"),
            )  # fmt: skip
        with places[3]:
            _number("seed", 0, LAST_SEED, 1, say("strategies.seed_help"))
        with places[4]:
            st.button(
                say("strategies.again"), key="strategies_again", icon=":material/casino:",
                help=say("strategies.again_help"), on_click=_again, width="stretch",
            )  # fmt: skip
        with places[5]:
            _number("beams", 1, WIDEST, 1, say("beam.beams_help"))
        with places[6]:
            _number("alpha", 0.0, STRONGEST, 0.1, say(f"beam.alpha_help_{now.rule}"))


def _number(name: str, low: Any, high: Any, step: Any, about: str) -> None:
    st.number_input(
        say(f"strategies.{name}"), low, high, step=step, help=about, **bound("strategies", name)
    )


def _again() -> None:
    store.update(seed=(store.get_state().seed + 1) % (LAST_SEED + 1))


def _draws(decoding: Decoding, now: State, look: Look) -> None:
    """How often each sentence of the sampling in focus comes; a row puts its first seed above."""
    name = now.strategy if now.strategy in SAMPLED else SAMPLED[0]
    seeds = range(now.seed, now.seed + SEEDS)
    drawn = decoding.draws([how(now, name, seed) for seed in seeds])
    label = say(f"strategies.name_{name}")
    st.markdown(f"**{say('strategies.draws', name=label, count=SEEDS)}**")

    def pick(seed: int) -> None:
        store.update(seed=seed, strategy=name)

    columns = [
        Column(say("beam.sentence_written"), "minmax(0, 1fr)"),
        Column(say("strategies.often"), "9rem", end=float(SEEDS)),
        Column(say("strategies.seeds"), "auto", help=say("strategies.seed_help")),
        Column(say("strategies.ln"), "5rem"),
    ]
    with box("rows-7 scroll", "strategies_draws_place"):
        rows = [_row(each, at, now.seed, look) for each, at in _counted(drawn, seeds)]
        bar_table("strategies_draws", columns, rows, pick)


def _counted(drawn: tuple[Written, ...], seeds: range) -> list[tuple[Written, list[int]]]:
    """Every sentence once with its seeds, the most frequent first."""
    found = dict[tuple[int, ...], tuple[Written, list[int]]]()
    for seed, each in zip(seeds, drawn, strict=True):
        found.setdefault(each.words, (each, []))[1].append(seed)
    return sorted(found.values(), key=lambda pair: -len(pair[1]))


def _row(written: Written, seeds: list[int], now: int, look: Look) -> Row:
    texts = [
        written.reading.text or "∅",
        f"{len(seeds)} / {SEEDS}",
        ", ".join(map(str, seeds)),
        format_number(written.log_probability, look.precision),
    ]
    values = [None, float(len(seeds)), None, None]
    return Row(seeds[0], texts, values, title=texts[0], chosen=now in seeds)


def _focus(decoding: Decoding, now: State, written: Written, step: int, look: Look) -> None:
    """What one word of the strategy in focus was taken from."""
    word = literal(visible(decoding.token(written.words[step])))
    key = "cut_title" if written.sampled else "own_title"
    name = say(f"strategies.name_{now.strategy}")
    st.markdown(f"**{say(f'strategies.{key}', name=name, step=step + 1, word=word)}**")
    st.caption(_after(decoding, written, step))
    with box("fill", "strategies_cut_place"):
        if written.sampled:
            _cut(decoding, now, written.sampled[step], look)
        else:
            _own(decoding, written, step, look)
    with box("rows-2 note", "strategies_said"):
        st.markdown(_said(decoding, now, written, step, look))


def _after(decoding: Decoding, written: Written, step: int) -> str:
    if not step:
        return say("strategies.after_nothing")
    words = [visible(decoding.token(id)) for id in written.words[:step]]
    cut = ["…", *words[-BEFORE:]] if len(words) > BEFORE else words
    return say("strategies.after", words=literal(" ".join(cut)))


def _cut(decoding: Decoding, now: State, sampled: SampledStep, look: Look) -> None:
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
    names = [_name(decoding, row) for row in rows]
    show_chart(
        next_cut(rows, names, fell, look, texts, limit),
        key="strategies_cut",
        alt=say("strategies.alt_cut", kept=sampled.cut.kept),
        fill=True,
    )


def _name(decoding: Decoding, row: CutRow) -> str:
    if row.id is not None:
        return visible(decoding.token(row.id))
    if row.count is None:
        return say("strategies.others")
    return say("strategies.several", count=row.count)


def _own(decoding: Decoding, written: Written, step: int, look: Look) -> None:
    best = written.steps[step].candidates
    ids = [id for id, _ in best]
    shares = [share for _, share in best]
    taken = written.words[step]
    if taken not in ids:
        ids, shares = [taken, *ids[:-1]], [written.steps[step].probability, *shares[:-1]]
    show_chart(
        candidates(
            [decoding.token(id) for id in ids], shares, look, ids.index(taken), height=look.px(300)
        ),
        key="strategies_own",
        alt=say("strategies.alt_own"),
    )


def _said(decoding: Decoding, now: State, written: Written, step: int, look: Look) -> str:
    """In a sentence, what decided."""
    taken, digits = written.steps[step], look.precision
    if step in dict(now.forced):
        return say("strategies.said_given")
    if not written.sampled:
        return say("strategies.said_own", entropy=format_number(taken.entropy, digits))
    cut = written.sampled[step].cut
    fell = drawn(cut)
    word = literal(visible(decoding.token(taken.chosen if fell is None else fell)))
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
