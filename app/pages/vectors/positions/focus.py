"""What the pictures of the positions share: whose, by which formula, how many, what is in focus."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any, cast

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from glassformer.app.pages.vectors.focus import VectorsFocus
from glassformer.app.plots.drawing import Figure
from glassformer.app.plots.labels import visible
from glassformer.app.session import store
from glassformer.app.ui.chart import Click
from glassformer.app.ui.text import literal
from glassformer.app.words import say
from glassformer.core.analysis.placed_words import Repeated, repeated_words
from glassformer.core.analysis.positions import (
    Column,
    Table,
    Variant,
    column,
    model_table,
    pair_dimensions,
    pair_of,
    position_table,
)
from glassformer.core.analysis.vectors import tokens_of

SPANS = ("sentence", "64", "256")
FIRST_SPAN = {"map": "64", "waves": "sentence", "dots": "sentence", "variants": "64"}
FIRST_POSITION = 3  # the word in focus until the reader chooses one


@dataclass(frozen=True)
class Picture:
    """What a question draws: title and legend above its figure, a note below, what a click does."""

    title: str
    legend: str
    figure: Figure
    alt: str
    note: str
    clicked: Callable[[Click], None]


@dataclass(frozen=True)
class PositionsFocus(VectorsFocus):
    """A sentence, the formula its positions are seen by, one word and one feature in focus."""

    @property
    def tokens(self) -> tuple[str, ...]:
        """The words of the sentence, (T,)."""
        return tokens_of(self.trace, self.stack)

    @property
    def width(self) -> int:
        """D."""
        return self.trace.config.d_model

    @property
    def own(self) -> str:
        """What the model itself adds: a variant, "learned" or "none"."""
        return self.trace.config.positions

    @property
    def formula(self) -> str:
        """The one in view: a variant, or "learned"."""
        return self.now.formula or ("paper" if self.own == "none" else self.own)

    @property
    def is_own(self) -> bool:
        """Whether it is what this run has added."""
        return self.formula == self.own

    @property
    def variant(self) -> Variant | None:
        """The one in view where sines and cosines give it."""
        own = self.formula in ("learned", "spread")  # no formula in view gives it
        return None if own else cast(Variant, self.formula)

    @property
    def turns(self) -> bool:
        """Whether sine and cosine of a pair share their frequency: then a shift is a turn."""
        return self.variant in ("paper", "halves")

    @property
    def span(self) -> str:
        """How many positions are drawn."""
        view, chosen = self.now.positions, self.now.span
        if view not in FIRST_SPAN or chosen not in span_options(view):
            chosen = ""
        return chosen or FIRST_SPAN.get(view, "64")

    @property
    def length(self) -> int:
        """The same in numbers; never less than the sentence."""
        many = 0 if self.span == "sentence" else int(self.span)
        return min(max(many, len(self.tokens)), self.trace.config.max_length)

    def table(self, length: int) -> Table:
        """The encodings of that many positions by the formula in view, (length, D)."""
        if self.variant is None:
            return model_table(self.model, self.stack, length)
        return position_table(length, self.width, self.variant)

    @cached_property
    def position(self) -> int:
        """The word in focus, pinned or not."""
        token = self.now.token
        if token and token[0] == self.side:
            return token[1]
        return min(FIRST_POSITION, len(self.tokens) - 1)

    @property
    def feature(self) -> int:
        """The feature in focus, from 0."""
        chosen = self.now.feature
        return chosen if chosen is not None and chosen < self.width else self.width // 10

    @cached_property
    def pairs(self) -> NDArray[np.int64]:
        """The two features of every (sine, cosine) pair, (D / 2, 2)."""
        return pair_dimensions(self.width, self.variant or "paper")

    @property
    def pair(self) -> int:
        """The pair that the feature belongs to."""
        return pair_of(self.width, self.feature, self.variant or "paper")

    @property
    def features(self) -> tuple[int, int]:
        """The two features of the pair."""
        sine, cosine = self.pairs[self.pair]
        return int(sine), int(cosine)

    @property
    def names(self) -> tuple[str, str]:
        """What the two features of a pair are called."""
        if self.variant is None:
            return say("positions.first"), say("positions.second")
        return say("positions.sine"), say("positions.cosine")

    def waves(self, features: Sequence[int]) -> list[Column]:
        """The waves of some features; of a learned table none."""
        return [column(self.width, each, self.variant) for each in features if self.variant]

    @cached_property
    def repeated(self) -> Sequence[Repeated]:
        """The words that occur more than once."""
        return repeated_words(self.trace, self.stack)

    @property
    def two(self) -> tuple[int, int]:
        """Two positions to compare: the pinned ones, else those of a word that occurs twice."""
        now = self.now
        if now.kind == self.stack and now.query is not None and now.key not in (None, now.query):
            return now.query, now.key
        with_focus = [each for each in self.repeated if self.position in each.positions]
        for each in (*with_focus, *self.repeated):
            return each.positions[0], each.positions[1]
        return 0, len(self.tokens) - 1

    def plain_word(self, position: int) -> str:
        """The word at a position, as it is shown; what stands there beyond the sentence."""
        if position < len(self.tokens):
            return visible(self.tokens[position])
        return say("positions.beyond")

    def word(self, position: int) -> str:
        """The same as markdown."""
        return literal(self.plain_word(position))


def span_options(view: str) -> tuple[str, ...]:
    """How many positions can be chosen: three tables at once stay small."""
    return SPANS[:-1] if view == "variants" else SPANS


def pick_position(
    focus: PositionsFocus, position: int | None = None, feature: int | None = None
) -> None:
    """Put a word, a feature or both in focus; a position beyond the sentence is no word."""
    changes: dict[str, Any] = {}
    if position is not None and 0 <= position < len(focus.tokens):
        changes["token"] = (focus.side, position)
    if feature is not None and 0 <= feature < focus.width:
        changes["feature"] = feature
    store.update(**changes)


def pick_two(focus: PositionsFocus, first: int, second: int) -> None:
    """Put two positions in focus together, the first of them as the word."""
    if max(first, second) < len(focus.tokens):
        store.update(kind=focus.stack, query=first, key=second, token=(focus.side, first))


def number_table(
    rows: Sequence[tuple[str, Sequence[str]]], columns: Sequence[str] = (), marked: int = -1
) -> None:
    """Draw rows of a name and its numbers; `columns` names the numbers, row `marked` is bold."""
    lines = []
    if columns:
        lines.append("".join(f"<th>{escape(each)}</th>" for each in ("", *columns)))
    for at, (name, numbers) in enumerate(rows):
        cells = "".join(f"<td>{escape(each)}</td>" for each in numbers)
        mark = ' class="marked"' if at == marked else ""
        lines.append(f"<th{mark}>{escape(name)}</th>{cells}")
    inside = "".join(f"<tr>{line}</tr>" for line in lines)
    st.html(f'<table class="plain positions-table">{inside}</table>')


def pair_slider(focus: PositionsFocus) -> None:
    """The picker of a pair; the feature in focus is its sine."""
    sine, cosine = focus.features
    label = say("positions.pair_pick", first=sine + 1, second=cosine + 1)

    def take(chosen: int) -> None:
        store.update(feature=int(focus.pairs[chosen - 1, 0]))

    slider("pair", label, len(focus.pairs), focus.pair + 1, take)


def slider(name: str, label: str, last: int, value: int, take: Callable[[int], None]) -> None:
    """A slider from 1 to `last`; `take` gets the number that is chosen."""
    widget = f"positions_{name}"
    st.slider(
        label,
        1,
        last,
        **store.bind(widget, value),
        on_change=lambda: take(int(store.widget_value(widget))),
    )
