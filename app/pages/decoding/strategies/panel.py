"""Strategies side by side: one sentence written five ways, and the cut at the word in focus."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from glassformer.app.pages.decoding.run import Decoding, Written
from glassformer.app.pages.decoding.strategies.figures import next_cut
from glassformer.app.pages.decoding.strip import bind_field, show_given
from glassformer.app.plots.bars import candidates
from glassformer.app.plots.labels import format_percent, visible
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.session import store
from glassformer.app.session.state import STRATEGIES, State
from glassformer.app.ui.chart import current_look, show_chart
from glassformer.app.ui.component import component
from glassformer.app.ui.components.bar_table import Column, Row, bar_table
from glassformer.app.ui.layout import box
from glassformer.app.ui.text import format_error, literal
from glassformer.app.words import say, say_each
from glassformer.core.decoding.beam import STRONGEST, WIDEST
from glassformer.core.decoding.cuts import CutRow, Sampling, cut_rows, draw_id, lot_position
from glassformer.core.decoding.sampling import SampledStep
from glassformer.core.errors import GlassformerError
from glassformer.core.text_models.decodings import new_words

SAMPLED = ("temperature", "top_k", "top_p")
LAST_SEED = 999_999
SEEDS = 5  # sentences of one sampling that are listed
HOTTEST = 3.0  # of the slider, unless the link is hotter
BEFORE = 6  # words before the one in focus that are written out
STAGED = 12  # words of a sentence that stand in columns in front of a hall
SHOWN = 9  # words of a cut, one a row
CUT_TEXTS = {
    "own": "strategies.cut_own",
    "tempered": "strategies.cut_tempered",
    "sum": "strategies.cut_sum",
    "lot": "strategies.cut_lot",
    "limit": "strategies.cut_limit",
    "stay": "strategies.cut_stay",
    "away": "strategies.cut_away",
}

_strategy_rows = component(__file__, "strategy_rows")


def show() -> None:
    """Draw the settings, the sentences, how often each comes, and the cut."""
    now, look, decoding = store.get_state(), current_look(), Decoding.current()
    _controls(now)
    show_given(decoding, "strategies")
    try:
        written = sentences_by_strategy(decoding, now)
    except GlassformerError as error:
        st.warning(format_error(error))
        return
    chosen = written[now.strategy]
    step = min(_wanted(now, decoding, chosen), len(chosen.steps) - 1)
    left, right = st.columns([63, 37], gap="medium")
    with left, st.container(key="strategies_left", gap="xsmall"):
        st.markdown(f"**{say('strategies.title')}**", help=say("strategies.about"))
        with box("fill medium", "strategies_main"):
            _rows(decoding, now, written, step, look)
        _draws(decoding, now, look)
    with right, st.container(key="strategies_right", gap="xsmall"):
        _focus(decoding, now, chosen, step, look)


def sampling_of_row(now: State, strategy: str, seed: int) -> Sampling:
    """The sampling of a row: all three have the temperature, one of them its cut."""
    return Sampling(
        temperature=now.temperature,
        top_k=(now.top_k or None) if strategy == "top_k" else None,
        top_p=now.top_p if strategy == "top_p" else None,
        seed=seed,
    )


def sentences_by_strategy(decoding: Decoding, now: State) -> dict[str, Written]:
    """What each strategy writes; raises `decoding_range` and `out_of_range`."""
    drawn = decoding.rows([sampling_of_row(now, name, now.seed) for name in SAMPLED])
    found = dict(zip(SAMPLED, drawn, strict=True))
    found |= {"greedy": decoding.greedy(), "beam": decoding.beam(now)}
    return {name: found[name] for name in STRATEGIES}


def _wanted(now: State, decoding: Decoding, written: Written) -> int:
    """The step in focus; without one, that of the least probable word."""
    if now.moment is not None:
        return max(0, now.moment - decoding.first)
    chances = [step.probability for step in written.steps]
    return chances.index(min(chances))


def _rows(
    decoding: Decoding, now: State, written: Mapping[str, Written], step: int, look: FigureStyle
) -> None:
    """A row a strategy, a column a step; a click puts a word in focus."""
    greedy = written["greedy"].words
    texts = say_each("strategies.label strategies.step strategies.given")
    data = {
        "lines": [_line(decoding, now, name, each, greedy, look) for name, each in written.items()],
        "focus": (now.strategy, step),
        "texts": texts | {"numbers": [say("strategies.ln"), say("strategies.words")]},
        "font": look.px(15),
        "flow": store.memory().presented
        and max(len(each.words) for each in written.values()) > STAGED,
    }

    def picked(value: Mapping[str, Any]) -> None:
        moment = decoding.first + int(value["step"])
        store.update(strategy=str(value["name"]), moment=moment)

    _strategy_rows("strategy_rows", data, height="stretch", pick=picked)


def _line(
    decoding: Decoding,
    now: State,
    name: str,
    written: Written,
    greedy: Sequence[int],
    look: FigureStyle,
) -> dict[str, Any]:
    """One strategy: its name, its settings, its words, what they come to together."""
    marks, ends = new_words(written.words, greedy), decoding.task.every_end
    forced = [place - decoding.first for place in decoding.asked]
    words = []
    for place, (id, step) in enumerate(zip(written.words, written.steps, strict=True)):
        text = visible(written.reading.surfaces[place])
        chance = format_percent(step.probability)
        title = say("strategies.word", word=text, chance=chance, step=place + 1)
        if step.guarded is not None:
            skipped = visible(decoding.token(step.guarded))
            title = f"{title}\n{say('strategies.word_guarded', word=skipped)}"
        share = 0.0 if math.isnan(step.probability) else round(step.probability, 4)
        signs = {"new": marks[place], "end": id in ends, "given": place in forced}
        words.append({"text": text, "share": share, "said": chance, "title": title, **signs})
    return {
        "name": name,
        "title": say(f"strategies.name_{name}"),
        "about": describe_settings(now, name),
        "words": words,
        "numbers": [look.number(written.log_probability), str(len(words))],
    }


def describe_settings(now: State, name: str) -> str:
    """The settings of a row, in words."""
    key = "top_k_all" if name == "top_k" and now.top_k == 0 else name
    cuts = {"temperature": now.temperature, "top_k": now.top_k, "top_p": now.top_p}
    return say(f"strategies.about_{key}", beams=now.beams, alpha=now.alpha, **cuts)


def _controls(now: State) -> None:
    """The settings of all strategies in one line."""
    with box("wraps", "strategies_controls"):
        places = st.columns([1.25, 1.0, 1.25, 1.0, 0.85, 0.85, 0.85], vertical_alignment="bottom")
        _slider(places[0], "temperature", max(HOTTEST, now.temperature), 0.1)
        _number(places[1], "top_k", 0, 50_000, 1, say("strategies.top_k_help"))
        _slider(places[2], "top_p", 1.0, 0.01)
        _number(places[3], "seed", 0, LAST_SEED, 1, say("strategies.seed_help"))
        places[4].button(
            say("strategies.again"), key="strategies_again", icon=":material/casino:",
            help=say("strategies.again_help"), on_click=_again, width="stretch",
        )  # fmt: skip
        _number(places[5], "beams", 1, WIDEST, 1, say("beam.beams_help"))
        _number(places[6], "alpha", 0.0, STRONGEST, 0.1, say(f"beam.alpha_help_{now.rule}"))


def _slider(place: DeltaGenerator, name: str, high: float, step: float) -> None:
    label, about = say(f"strategies.{name}"), say(f"strategies.{name}_help")
    place.slider(label, 0.0, high, step=step, help=about, **bind_field("strategies", name))


def _number(place: DeltaGenerator, name: str, low: Any, high: Any, step: Any, about: str) -> None:
    label = say(f"strategies.{name}")
    place.number_input(label, low, high, step=step, help=about, **bind_field("strategies", name))


def _again() -> None:
    store.update(seed=(store.get_state().seed + 1) % (LAST_SEED + 1))


def _draws(decoding: Decoding, now: State, look: FigureStyle) -> None:
    """How often each sentence of the sampling in focus comes; a row puts its first seed above."""
    name = now.strategy if now.strategy in SAMPLED else SAMPLED[0]
    seeds = range(now.seed, now.seed + SEEDS)
    drawn = decoding.draws([sampling_of_row(now, name, seed) for seed in seeds])
    label = say(f"strategies.name_{name}")
    st.markdown(f"**{say('strategies.draws', name=label, count=SEEDS)}**")

    def pick(seed: int) -> None:
        store.update(seed=seed, strategy=name)

    columns = [
        Column(say("beam.sentence_written"), "minmax(9rem, 1fr)"),
        Column(say("strategies.often"), "9rem", end=float(SEEDS)),
        Column(say("strategies.seeds"), "max-content", help=say("strategies.seed_help")),
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


def _row(written: Written, seeds: list[int], now: int, look: FigureStyle) -> Row:
    sentence, often = written.reading.text or "∅", f"{len(seeds)} / {SEEDS}"
    texts = [sentence, often, ", ".join(map(str, seeds)), look.number(written.log_probability)]
    values = [None, float(len(seeds)), None, None]
    return Row(seeds[0], texts, values, title=sentence, chosen=now in seeds)


def _focus(decoding: Decoding, now: State, written: Written, step: int, look: FigureStyle) -> None:
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
        st.markdown(_said(decoding, written, step, look))


def _after(decoding: Decoding, written: Written, step: int) -> str:
    before = (*decoding.task.given, *written.words[:step])
    if not before:
        return say("strategies.after_nothing")
    words = [visible(decoding.token(id)) for id in before]
    cut = ["…", *words[-BEFORE:]] if len(words) > BEFORE else words
    return say("strategies.after", words=literal(" ".join(cut)))


def _cut(decoding: Decoding, now: State, sampled: SampledStep, look: FigureStyle) -> None:
    rows = cut_rows(sampled.cut, sampled.step.chosen, SHOWN)
    fell = lot_position(sampled.cut)
    values = {"temperature": now.temperature, "lot": look.number(fell), "p": now.top_p}
    texts = say_each(CUT_TEXTS, **values)
    limit = now.top_p if now.strategy == "top_p" and now.top_p < 1 else None
    figure = next_cut(rows, [_name(decoding, row) for row in rows], fell, look, texts, limit)
    alt = say("strategies.alt_cut", kept=sampled.cut.kept)
    show_chart(figure, "strategies_cut", alt, fill=True)


def _name(decoding: Decoding, row: CutRow) -> str:
    if row.id is not None:
        return visible(decoding.token(row.id))
    if row.count is None:
        return say("strategies.others")
    return say("strategies.several", count=row.count)


def _own(decoding: Decoding, written: Written, step: int, look: FigureStyle) -> None:
    chances, taken = dict(written.steps[step].candidates), written.steps[step]
    if taken.chosen not in chances:
        chances.popitem()
        chances = {taken.chosen: taken.probability, **chances}
    words, place = [decoding.token(id) for id in chances], [*chances].index(taken.chosen)
    figure = candidates(words, [*chances.values()], look, place, height=look.px(300))
    show_chart(figure, "strategies_own", say("strategies.alt_own"))


def _said(decoding: Decoding, written: Written, step: int, look: FigureStyle) -> str:
    """In a sentence, what decided."""
    taken = written.steps[step]
    if decoding.first + step in decoding.asked:
        return say("strategies.said_given")
    if not written.sampled:
        return say("strategies.said_own", entropy=look.number(taken.entropy))
    cut = written.sampled[step].cut
    fell = draw_id(cut)
    word = literal(visible(decoding.token(taken.chosen if fell is None else fell)))
    at = look.number(lot_position(cut))
    if taken.guarded is not None:
        return say("strategies.said_guarded", word=word)
    if 1 - cut.mass < 1e-9:
        return say("strategies.said_all", lot=at, word=word)
    kept = {"kept": cut.kept, "mass": format_percent(cut.mass)}
    return say("strategies.said_cut", **kept, draw=look.number(cut.draw), lot=at, word=word)
