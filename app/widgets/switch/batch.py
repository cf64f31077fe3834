"""Several sentences in one padded batch: what the padding masks hide, and what happens without."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import streamlit as st

from app import experiments, state
from app.figures.batch_maps import Maps, batch_maps, row_labels
from app.figures.batch_words import words_table
from app.figures.labels import format_number, format_percent
from app.widgets.beside import pickers
from app.widgets.chart import current_look, show_chart
from app.widgets.padded_rows import Line, RowTexts, padded_rows
from app.widgets.style import put_sheet
from app.widgets.switch.batch_runs import (
    MOST,
    SIDES,
    Batch,
    Refused,
    batch_of,
    off_sides,
    others_switched,
    read,
    typed,
)
from app.widgets.text import literal, told
from app.words import say
from core.edits.masks import PaddingOff
from core.edits.padding import InBatch, chances
from core.reading.attention_views import Kind, attention_at, layers_of

MOVED = 0.005  # a larger change of a probability is marked
ROUNDING = 1e-5  # a smaller distance is that of float32
SIZE = (1010, 330)
LONGEST = 40  # characters of a line that is refused


def show() -> None:
    """Draw the sentences, the switches, and the attention of one of them."""
    put_sheet(__file__, "batch.css")
    with st.container(key="batch_page", gap="xsmall"):
        st.markdown(f"**{say('batch.title')}** :small[{say('batch.about')}]")
        text = typed()
        good, bad = read(text)
        batch = batch_of(good) if good else None
        row = min(state.get_state().row, len(good) - 1)
        with st.container(key="batch_rows"):
            if batch:
                _rows(batch, row)
            else:
                st.info(say("batch.none"))
        left, right = st.columns([26, 74], gap="medium")
        with left, st.container(key="batch_left", gap="xsmall"):
            _lines(text, bad)
            _masks()
            if batch:
                with st.container(key="batch_words", gap=None):
                    _words(batch, row)
        if batch:
            with right, st.container(key="batch_right", gap="xsmall"):
                _attention(batch, row)


def _lines(text: str, bad: list[Refused]) -> None:
    def take() -> None:
        state.update(batch=state.widget_value("batch_text").strip())

    st.text_area(
        say("batch.lines", most=MOST),
        key=state.bind("batch_text", text),
        height=116,
        on_change=take,
    )
    with st.container(key="batch_bad", gap=None):
        for number, line, error in bad[:MOST]:
            why = told(error) if error else say("batch.too_many", most=MOST)
            said = say("batch.bad", number=number, line=literal(_short(line)), why=why)
            st.markdown(f":small[:red[{said}]]")
        if not bad:
            st.markdown(f":small[{say('batch.all_read')}]")


def _short(line: str) -> str:
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def _masks() -> None:
    """A switch for each padding mask; they are part of the experiment."""
    with st.container(horizontal=True, gap="medium", key="batch_masks"):
        for side in SIDES:
            switch = PaddingOff(side)
            st.toggle(
                say(f"batch.mask_{side}"),
                key=state.bind(f"batch_{side}", side not in off_sides()),
                help=say(f"batch.help_{side}"),
                on_change=experiments.toggle,
                args=(switch,),
            )
    note = say("batch.others") if others_switched() else say(_finding())
    st.markdown(f":small[{note}]")


def _finding() -> str:
    """What is to be seen with these masks."""
    off = off_sides()
    if not off:
        return "batch.finding_none"
    return "batch.finding_source" if "source" in off else "batch.finding_target"


def _rows(batch: Batch, row: int) -> None:
    texts = RowTexts(
        label=say("batch.rows"),
        source=say("batch.source"),
        target=say("batch.target"),
        numbers=[
            (say(f"batch.number_{each}"), say(f"batch.number_{each}_help"))
            for each in ("largest", "divergence", "padding")
        ],
        masked=say("batch.pad_masked"),
        seen=say("batch.pad_seen"),
    )
    lines = [
        Line(each.source_tokens, each.target_tokens, each.sources, each.targets, _numbers(each))
        for each in batch.switched
    ]
    seen = ("source" in batch.off, "target" in batch.off)
    padded_rows(lines, row, seen, texts, current_look(), _pick)


def _numbers(found: InBatch) -> list[tuple[str, bool]]:
    """Largest change of a probability, mean KL, most attention on padding."""
    divergence, share = float(found.divergence.mean()), found.most_to_padding
    return [
        (_distance(found.largest), found.largest > MOVED),
        (_distance(divergence), found.largest > MOVED),
        (_share(share), share > MOVED),
    ]


def _pick(row: int) -> None:
    state.update(row=row)


def _distance(value: float) -> str:
    """A distance; what is rounding is said to be none."""
    return "≈ 0" if abs(value) < ROUNDING else format_number(value, state.get_state().precision)


def _share(share: float) -> str:
    """A share in percent; what is exactly nothing is no "0.0%"."""
    return format_percent(share, state.get_state().precision) if share else "0%"


def _attention(batch: Batch, row: int) -> None:
    now, trace = state.get_state(), batch.alone[row]
    before, after = batch.masked[row], batch.switched[row]
    with pickers.row("batch"):
        pickers.focused(trace, "batch")
    kind = cast(Kind, now.kind)
    place = attention_at(kind, min(now.layer, layers_of(trace, kind) - 1))
    maps = _maps(batch, row, place)
    shares = [float(each.to_padding(place, now.head).mean()) for each in (before, after)]
    titles = [
        say("batch.with_masks", share=_share(shares[0])),
        say(
            "batch.switched" if batch.off else "batch.same",
            share=_share(shares[1]),
        ),
        say("batch.difference"),
    ]
    figure = batch_maps(
        maps, titles, (say("batch.weight"), say("batch.change")), current_look(), SIZE
    )
    with st.container(key="batch_picture"):
        show_chart(figure, "batch_maps", say("batch.alt"), "padded_attention", fill=True)
    st.markdown(f":small[{say('batch.read')}]")


def _maps(batch: Batch, row: int, place: str) -> Maps:
    """The head in focus in both views; its rows are words, its keys are padded."""
    now, found, after = state.get_state(), batch.masked[row], batch.switched[row]
    source, target = found.source_tokens, found.target_tokens
    rows: Sequence[str] = source[: found.sources]
    if now.kind != "encoder":
        rows = row_labels(target[: found.targets], found.output_tokens[: found.targets])
    return Maps(
        weights=(found.head(place, now.head), after.head(place, now.head)),
        allowed=(found.allowed(place, now.head), after.allowed(place, now.head)),
        rows=rows,
        keys=target if now.kind == "decoder" else source,
        real=found.keys(place),
    )


def _words(batch: Batch, row: int) -> None:
    """The translation's words: how probable alone, in the batch, and as it is switched."""
    alone, before, after = batch.alone[row], batch.masked[row], batch.switched[row]
    heads = [say(f"batch.words_{each}") for each in ("word", "alone", "masked", "switched")]
    columns = [chances(alone, before.targets), before.chances, after.chances]
    st.html(
        words_table(
            heads,
            alone.output_tokens,
            [[float(value) for value in column] for column in columns],
            MOVED,
            current_look(),
        )
    )
