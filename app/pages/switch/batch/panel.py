"""Several sentences in one padded batch: what the padding masks hide, and what happens without."""

from dataclasses import dataclass
from typing import Any, Literal, cast

import streamlit as st
from torch import Tensor

from glassformer.app.pages.switch.batch.figures import Maps, batch_maps, words_table
from glassformer.app.panels.compare import pickers
from glassformer.app.plots.labels import format_number, format_percent, shorten_text, visible
from glassformer.app.runs import on_screen
from glassformer.app.runs.traces import get_batch, get_trace
from glassformer.app.session import experiments, store
from glassformer.app.ui.chart import current_look, show_chart
from glassformer.app.ui.component import component
from glassformer.app.ui.layout import box
from glassformer.app.ui.lines import with_lines
from glassformer.app.ui.text import format_error, literal
from glassformer.app.words import say, say_each
from glassformer.core.analysis.attention_views import Kind, attention_at, attention_sides, layers_of
from glassformer.core.config import ModelConfig
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions import Experiment
from glassformer.core.interventions.masks import PaddingOff
from glassformer.core.interventions.padding import (
    SIDES,
    InBatch,
    padded_sides,
    padding_of,
    word_probabilities,
)
from glassformer.core.trace.trace import Trace

MOST = 8
FEW = 3  # sentences that take little of the height
MOVED = 0.005  # a larger change of a probability is marked
ROUNDING = 1e-5  # a smaller distance is that of float32
SIZE = (1010, 330)
LONGEST = 40  # characters of a line that is refused
FIRST = {
    "en": (
        "I have a cat",
        "I love machine learning",
        "She likes tea",
        "The animal didn't cross the street because it was too tired",
    ),
    "zh": ("我喜欢猫", "欢迎来到北京", "我爱机器学习", "他昨天在图书馆读了一本有意思的书"),
}
Refused = tuple[int, str, GlassformerError | None]  # number and text of a line, and why

_padded = component(__file__, "padded_rows")


@dataclass(frozen=True)
class Padded:
    """A sentence with its runs: alone, in the batch with all masks, and there as it is switched."""

    alone: Trace
    masked: InBatch
    switched: InBatch


def show() -> None:
    """Draw the sentences, the switches, and the attention of one of them."""
    with st.container(key="batch_page", gap="xsmall"):
        try:
            padding = padding_of(on_screen.plain_model())
        except GlassformerError as error:
            st.markdown(f"**{say('batch.title')}**")
            st.info(format_error(error))
            return
        about = say("batch.about", padding=literal(padding))
        st.markdown(f"**{say('batch.title')}** :small[{about}]")
        text = _typed()
        good, bad = _read(text)
        batch = _batch_of(good) if good else []
        row = min(store.get_state().row, len(good) - 1)
        with box("fill slim" if len(good) <= FEW else "fill low", "batch_rows"):
            if batch:
                _rows(batch, row)
            else:
                st.info(say("batch.none"))
        left, right = st.columns([26, 74], gap="medium")
        with left, box("note", "batch_left", gap="xsmall"):
            _lines(text, bad)
            _masks()
            if batch:
                with box("fill scroll low", "batch_words", gap=None):
                    _words(batch[row])
        if batch:
            with right, st.container(key="batch_right", gap="xsmall"):
                _attention(batch[row])


def _typed() -> str:
    """The lines on screen; where none were typed, a few in the direction of the state."""
    now = store.get_state()
    if now.batch.strip():
        return now.batch
    chinese = now.direction == "zh-en" or (
        now.direction == "auto" and on_screen.trace_on_screen().direction.startswith("zh")
    )
    return "\n".join(FIRST["zh" if chinese else "en"])


def _read(text: str) -> tuple[list[Trace], list[Refused]]:
    """The runs of the lines that can be read; number, text and error of the others.

    No error stands for a line beyond the eighth.
    """
    direction = store.get_state().direction
    good: list[Trace] = []
    bad: list[Refused] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        if len(good) == MOST:
            bad.append((number, line, None))
            continue
        try:
            good.append(get_trace(with_lines(line), direction, *on_screen.made_by()))
        except GlassformerError as error:
            bad.append((number, line, error))
    return good, bad


def _batch_of(traces: list[Trace]) -> list[Padded]:
    """Both passes over the batch."""
    place = on_screen.made_by()
    switches = Experiment(tuple(map(PaddingOff, _off())))
    masked, switched = (get_batch(asked, traces, *place) for asked in (Experiment(), switches))
    return list(map(Padded, traces, masked, switched))


def _off() -> tuple[Literal["source", "target"], ...]:
    """The sides whose padding mask the experiment takes away."""
    switches = experiments.current_experiment().switches
    return tuple(side for side in SIDES if PaddingOff(side) in switches)


def _lines(text: str, bad: list[Refused]) -> None:
    def take() -> None:
        store.update(batch=store.widget_value("batch_text").strip())

    st.text_area(
        say("batch.lines", most=MOST), **store.bind("batch_text", text), height=116, on_change=take
    )
    with box("rows-2 scroll note", "batch_bad", gap=None):
        for number, line, error in bad[:MOST]:
            why = format_error(error) if error else say("batch.too_many", most=MOST)
            short = literal(shorten_text(line, LONGEST))
            said = say("batch.bad", number=number, line=short, why=why)
            st.markdown(f":small[:red[{said}]]")
        if not bad:
            st.markdown(f":small[{say('batch.all_read')}]")


def _masks() -> None:
    """A switch for each padding mask, part of the experiment, and what is to be seen with them."""
    off = _off()
    with st.container(horizontal=True, gap="medium", key="batch_masks"):
        for side in padded_sides(on_screen.plain_model().config):
            st.toggle(
                say(f"batch.mask_{side}"),
                **store.bind(f"batch_{side}", side not in off),
                help=say(f"batch.help_{side}"),
                on_change=experiments.toggle_switch,
                args=(PaddingOff(side),),
            )
    others = len(experiments.current_experiment().switches) > len(off)  # which this page leaves out
    note = say("batch.others") if others else say(f"batch.finding_{off[0] if off else 'none'}")
    st.markdown(f":small[{note}]")


def _rows(batch: list[Padded], row: int) -> None:
    """The sentences as rows of words, with their numbers; a click chooses one."""
    names = ("largest", "divergence", "padding")
    texts = {
        "label": say("batch.rows"),
        "sides": [say(f"batch.{side}") for side in padded_sides(batch[0].alone.config)],
        "numbers": [
            (say(f"batch.number_{each}"), say(f"batch.number_{each}_help")) for each in names
        ],
        "masked": say("batch.pad_masked"),  # of padding, on hover
        "seen": say("batch.pad_seen"),
    }
    data = {
        "lines": [_line(each.switched, batch[0].alone.config) for each in batch],
        "chosen": row,
        "seen": [side in _off() for side in padded_sides(batch[0].alone.config)],
        "texts": texts,
    }
    _padded("padded_rows", data, height="stretch", pick=lambda at: store.update(row=int(at)))


def _line(found: InBatch, config: ModelConfig) -> dict[str, Any]:
    """A sentence: its words on each side, how many of them are no padding, its numbers."""
    both = {
        "source": (found.source_tokens, found.sources),
        "target": (found.target_tokens, found.targets),
    }
    own = (both[side] for side in padded_sides(config))
    sides = [{"words": list(map(visible, words)), "real": real} for words, real in own]
    return {"sides": sides, "numbers": _numbers(found)}


def _numbers(found: InBatch) -> list[tuple[str, bool]]:
    """Largest change of a probability, mean KL, most attention on padding; whether each moved."""
    moved, share = found.largest > MOVED, found.most_to_padding
    return [
        (_distance(found.largest), moved),
        (_distance(float(found.divergence.mean())), moved),
        (_share(share), share > MOVED),
    ]


def _distance(value: float) -> str:
    """A distance; what is rounding is said to be none."""
    return "≈ 0" if abs(value) < ROUNDING else format_number(value, store.get_state().precision)


def _share(share: float) -> str:
    """A share in percent; what is exactly nothing is no "0.0%"."""
    return format_percent(share, store.get_state().precision) if share else "0%"


def _attention(chosen: Padded) -> None:
    now = store.get_state()
    with pickers.picker_row("batch"):
        pickers.pick_attention(chosen.alone, "batch")
    kind = cast(Kind, now.kind)
    place = attention_at(kind, min(now.layer, layers_of(chosen.alone, kind) - 1))
    before, after = (
        _share(float(each.to_padding(place, now.head).mean()))
        for each in (chosen.masked, chosen.switched)
    )
    titles = [
        say("batch.with_masks", share=before),
        say("batch.switched" if _off() else "batch.same", share=after),
        say("batch.difference"),
    ]
    texts = (say("batch.weight"), say("batch.change"))
    figure = batch_maps(_maps(chosen, place), titles, texts, current_look(), SIZE)
    with box("fill", "batch_picture"):
        show_chart(figure, "batch_maps", say("batch.alt"), "padded_attention", fill=True)
    st.markdown(f":small[{say('batch.read')}]")


def _maps(chosen: Padded, place: str) -> Maps:
    """The head in focus in both views; its rows are words, its keys are padded."""
    now, found = store.get_state(), chosen.masked
    both = [(each.weights[place], each.masks[place]) for each in (found, chosen.switched)]
    return Maps(
        weights=[_of_head(weights, now.head).float().numpy() for weights, _ in both],
        allowed=[
            _of_head(masks.expand_as(weights).float(), now.head).numpy() > 0
            for weights, masks in both
        ],
        rows=attention_sides(chosen.alone, cast(Kind, now.kind))[0].labels,
        keys=found.target_tokens if now.kind == "decoder" else found.source_tokens,
        real=found.keys(place),
    )


def _of_head(maps: Tensor, head: int | None) -> Tensor:
    """A head's map, or the mean of all: (H, rows, keys) to (rows, keys)."""
    return maps.mean(dim=0) if head is None else maps[head]


def _words(chosen: Padded) -> None:
    """The translation's words: how probable alone, in the batch, and as it is switched."""
    alone, masked = chosen.alone, chosen.masked
    heads = [
        *say_each(
            "batch.words_word batch.words_alone batch.words_masked batch.words_switched"
        ).values()
    ]
    columns = [word_probabilities(alone, masked.targets), masked.chances, chosen.switched.chances]
    numbers = [[float(value) for value in column] for column in columns]
    st.html(words_table(heads, alone.output_tokens, numbers, MOVED, current_look()))
