"""Direct logit attribution: what every part of the model wrote for the word of the row in focus.

Left all parts, a bar each, as they add up to the word's logit; right what the chosen sub-layer's
heads, words and units wrote.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st

from glassformer.app.pages.vectors.focus import VectorsFocus, show_word
from glassformer.app.panels import provenance
from glassformer.app.plots.labels import format_number, visible
from glassformer.app.runs import on_screen
from glassformer.app.session import store
from glassformer.app.session.state import AGAINST
from glassformer.app.ui.components.bar_table import Column, Row, bar_table
from glassformer.app.ui.layout import box
from glassformer.app.ui.pick import draw_choice, menu, set_field
from glassformer.app.ui.text import literal
from glassformer.app.words import say
from glassformer.core.analysis.logit_attribution import (
    LogitAttribution,
    LogitPart,
    logit_attribution,
    neuron_contributions,
    position_contributions,
)
from glassformer.core.errors import GlassformerError
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.address import Address
from glassformer.core.trace.graph import Stack
from glassformer.core.trace.trace import Trace

UNITS = 10  # of a feed-forward network, those that add most either way
KEYS = 12  # words of a head, likewise
WITHIN = ("head", "attention_bias", "feed_forward", "feed_forward_bias")  # of a sub-layer


@dataclass(frozen=True)
class Line:
    """One line of the sum: a sub-layer with all its parts, or a part that is in none."""

    label: str
    place: str  # of a sub-layer; "" for what is in none
    parts: tuple[LogitPart, ...]

    @property
    def value(self) -> float:
        """What it adds to the logit."""
        return sum(part.value for part in self.parts)


@dataclass(frozen=True)
class Attributed(VectorsFocus):
    """The row in focus, its word, and the sum of what was written for it."""

    @cached_property
    def row(self) -> int:
        """Of the generator's rows."""
        return min(self.position, len(self.trace.output_pieces) - 1)

    @cached_property
    def other(self) -> int | None:
        """The best other word, where the logit is asked for less that word's."""
        if self.now.against == "none":
            return None
        written = self.trace.output_ids[self.row]
        best = self.trace["output/logits"][0, self.row].topk(2).indices.tolist()
        return next(int(each) for each in best if each != written)

    @cached_property
    def found(self) -> LogitAttribution:
        """Of the word that the row wrote."""
        return of_run(self.trace, self.model, self.row, self.other)

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """In computation order."""
        return lines_of(self.found)

    @cached_property
    def chosen(self) -> Line:
        """The sub-layer that was clicked last, or the one that adds most either way."""
        inner = [line for line in self.lines if line.place]
        place = Address.of(self.now.address).place
        named = next((line for line in inner if line.place == place), None)
        return named or max(inner, key=lambda line: abs(line.value))

    def word(self, index: int) -> str:
        """A word of the vocabulary as it is shown."""
        if index == self.trace.output_ids[self.row]:
            return visible(self.trace.output_tokens[self.row])
        return visible(on_screen.plain_model().reading(self.trace, [index]).surfaces[0])


def of_run(trace: Trace, model: Transformer, row: int, other: int | None) -> LogitAttribution:
    """The sum for the word that a row wrote. Raises `no_generator`."""
    if not trace.config.has_generator:
        raise GlassformerError("no_generator", name=trace.model_name)
    return logit_attribution(trace, model, row, trace.output_ids[row], other)


def lines_of(found: LogitAttribution) -> tuple[Line, ...]:
    """The parts of a sum, those of a sub-layer together."""
    grouped: dict[tuple[str, str], list[LogitPart]] = {}
    for part in found.parts:
        place = Address.of(part.address).place if part.name in WITHIN else ""
        grouped.setdefault((place, "" if place else part.address), []).append(part)
    return tuple(
        Line(_label(place, parts[0]), place, tuple(parts)) for (place, _), parts in grouped.items()
    )


def _label(place: str, part: LogitPart) -> str:
    """A line in words: "Layer 1 · self-attention", "layer 2: shift β of the norm"."""
    at = Address.of(part.address)
    if place:
        name = say(f"stream.states.{at.sublayer}")
    elif part.name == "norm_shift" and at.sublayer:
        name = say("attribution.shift_of", part=say(f"stream.states.{at.sublayer}"))
    else:
        name = say(f"attribution.part_{part.name}")
    if at.layer is None:
        return name
    return say("stream.at", layer=say("stream.layer", layer=at.layer + 1), part=name)


def show() -> None:
    """Draw the sum of the row in focus, and one sub-layer of it."""
    trace = on_screen.trace_on_screen()
    stack: Stack = "decoder" if trace.config.decoder_layers else "encoder"
    focus = Attributed.current(stack)
    found = focus.found
    left, right = st.columns([55, 45], gap="medium")
    with left.container(gap="xsmall", key="attribution_left"):
        _head(focus)
        with box("fill tall scroll", "vectors_main"):
            _sum(focus)
        with box("rows-2 note", "vectors_note"):
            st.caption(f"{_added(focus)} {_frozen(found)}")
    with right, box("fill scroll", "attribution_right", gap="xsmall"):
        _row(focus)
        show_word(focus)
        _inside(focus)


def _row(focus: Attributed) -> None:
    """The choice of the row whose word is asked for."""
    named = enumerate(focus.words.labels)
    labels = {at: f"{at + 1} {visible(label)}" for at, label in named}
    menu("attribution_row", say("attribution.row"), labels, focus.position,
         lambda at: store.update(token=(focus.side, at)))  # fmt: skip


def _head(focus: Attributed) -> None:
    found, word = focus.found, literal(focus.word(focus.found.word))
    with st.container(horizontal=True, vertical_alignment="center", key="attribution_head"):
        if found.other is None:
            said = say("attribution.title", word=word, logit=focus.number(found.logit))
        else:
            other = literal(focus.word(found.other))
            logit = focus.number(found.logit)
            said = say("attribution.title_less", word=word, other=other, logit=logit)
        st.markdown(f"**{said}**", width="content")
        draw_choice("attribution_against", "attribution.against", AGAINST, focus.now.against,
               set_field("against"))  # fmt: skip
        cell = (0, focus.row, found.word)
        provenance.open_button("output/logits", cell, "attribution_trail")


def _sum(focus: Attributed) -> None:
    """All lines from the first layer to the last; a click chooses one, or follows its number."""

    def picked(at: int) -> None:
        line = focus.lines[at]
        if line.place:
            part = Address.of(line.place)
            kind = {"kind": part.kind} if part.is_attention else {}
            store.update(address=f"{line.place}/output", layer=part.layer or 0, **kind)
        else:
            _follow(focus, line.parts[0])

    values = [line.value for line in focus.lines]
    rows = [
        Row(at, [line.label, focus.number(line.value)], [None, line.value],
            title=say("attribution.row_inside" if line.place else "attribution.row_trail"),
            chosen=line is focus.chosen)
        for at, line in enumerate(focus.lines)
    ]  # fmt: skip
    _bars("attribution_sum", say("attribution.column_part"), rows, values, picked)


def _bars(
    key: str, name: str, rows: Sequence[Row], values: Sequence[float],
    picked: Callable[[int], None], colour: str = "data",
) -> None:  # fmt: skip
    """A signed bar a row, all to one scale."""
    end = max((abs(each) for each in values), default=0.0) or 1.0
    adds = say("attribution.column_adds")
    columns = [Column(name, "auto"), Column(adds, "1fr", end, signed=True, colour=colour)]
    bar_table(key, columns, rows, picked)


def _follow(focus: Attributed, part: LogitPart) -> None:
    """Unfold the number that adds most of a part; of a bias the logit itself."""
    if part.cell:
        provenance.open_trail(part.address, part.cell)
    else:
        provenance.open_trail("output/logits", (0, focus.row, focus.found.word))


def _added(focus: Attributed) -> str:
    """That the bars add up."""
    found = focus.found
    total = sum(part.value for part in found.parts)
    return say("attribution.added", total=focus.number(total), error=format_number(found.error, 1))


def _frozen(found: LogitAttribution) -> str:
    """What was held as it was in this run."""
    norms = [each for each in found.frozen if Address.of(each).group == "norm"]
    rms = any(each.endswith("mean_square") for each in norms)
    what = say("attribution.rms" if rms else "attribution.std")
    key = "attribution.frozen_one" if len(norms) == 1 else "attribution.frozen_each"
    said = say(key, what=what, count=len(norms))
    if "output/activation" in found.frozen:
        said += say("language.gap") + say("attribution.frozen_gate")
    return said


def _inside(focus: Attributed) -> None:
    """What the chosen sub-layer wrote: head by head and word by word, or unit by unit."""
    line = focus.chosen
    value = focus.number(line.value)
    st.markdown(f"**{say('attribution.inside', name=line.label, value=value)}**")
    if Address.of(line.place).is_attention:
        _heads(focus, line)
    else:
        _units(focus, line)


def _heads(focus: Attributed, line: Line) -> None:
    heads = [part for part in line.parts if part.name == "head"]
    largest = max(heads, key=lambda part: abs(part.value))
    named = next((part for part in heads if part.head == focus.now.head), None)
    chosen = named or largest

    def picked(head: int) -> None:
        store.update(head=head, address=f"{line.place}/output")

    rows = [
        Row(part.head or 0, [say("attention.column", head=(part.head or 0) + 1),
            focus.number(part.value)], [None, part.value], chosen=part is chosen)
        for part in heads
    ]  # fmt: skip
    values = [part.value for part in heads]
    with box("rows-7 scroll", "attribution_heads_box"):
        _bars("attribution_heads", say("attribution.column_head"), rows, values, picked, "weights")
    head = (chosen.head or 0) + 1
    with st.container(horizontal=True, vertical_alignment="center", key="attribution_of_head"):
        st.markdown(f"**{say('attribution.from_words', head=head)}**", width="content")
        provenance.open_button(chosen.address, chosen.cell, "attribution_head_trail")
    _words(focus, line.place, chosen.head or 0)


def _words(focus: Attributed, place: str, head: int) -> None:
    """What the head took from each word that it looks at; a click follows the weight."""
    values = position_contributions(focus.trace, focus.model, focus.found, place, head)
    side = Address.of(place).key_side
    trace = focus.trace
    tokens = trace.source_tokens if side == "source" else trace.target_tokens
    most = sorted(np.argsort(-np.abs(values), kind="stable")[:KEYS].tolist())

    def picked(key: int) -> None:
        provenance.open_trail(f"{place}/weights", (0, head, focus.row, key))

    rows = [
        Row(at, [f"{at + 1} {visible(tokens[at])}", focus.number(values[at])],
            [None, float(values[at])], title=say("attribution.row_trail"))
        for at in most
    ]  # fmt: skip
    name = say("attribution.column_word")
    _bars("attribution_words", name, rows, [values[at] for at in most], picked, "value")


def _units(focus: Attributed, line: Line) -> None:
    """The units that add most; a click follows how active one is."""
    layer = Address.of(line.place).layer or 0
    values = neuron_contributions(focus.trace, focus.model, focus.found, layer)
    most = np.argsort(-np.abs(values), kind="stable")[:UNITS].tolist()
    address = next(part.address for part in line.parts if part.name == "feed_forward")

    def picked(unit: int) -> None:
        provenance.open_trail(address, (0, focus.row, unit))

    rows = [
        Row(unit, [say("neurons.unit", unit=unit + 1), focus.number(values[unit])],
            [None, float(values[unit])], title=say("attribution.row_trail"))
        for unit in most
    ]  # fmt: skip
    name = say("attribution.column_unit")
    _bars("attribution_units", name, rows, [values[at] for at in most], picked, "feed_forward")
    rest = float(values.sum() - values[most].sum())
    count = len(values) - len(most)
    st.caption(say("attribution.rest", count=count, value=focus.number(rest)))
