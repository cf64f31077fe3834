"""What the pictures of the positions share: whose, by which formula, how many, what is in focus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from app import service, state
from app.figures.labels import visible
from app.widgets.focus import OnScreen
from app.words import say
from core.model.transformer import Transformer
from core.reading.blocks import Stack
from core.reading.placed_words import Repeated, repeated_words
from core.reading.positions import (
    VARIANTS,
    Table,
    Variant,
    model_table,
    pair_of,
    pairs,
    position_table,
)
from core.reading.vectors import side_of, tokens_of

SPANS = ("sentence", "64", "256")
FIRST_SPAN = {"map": "64", "waves": "sentence", "dots": "sentence", "variants": "64"}
FIRST_PLACE = 3  # the word in focus until the reader chooses one


@dataclass(frozen=True)
class Focus(OnScreen):
    """A sentence, the formula its positions are seen by, one word and one feature in focus."""

    @property
    def model(self) -> Transformer:
        """The model that the trace ran through."""
        return service.model_on_screen().transformer

    @property
    def stack(self) -> Stack:
        """Whose words: `State` lets nothing else in."""
        return cast(Stack, self.now.stack)

    @property
    def side(self) -> str:
        """Where they are recorded: source or target."""
        return side_of(self.stack)

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
    def formulas(self) -> tuple[str, ...]:
        """What can be looked at: the model's own table first where no formula gives it."""
        return ("learned", *VARIANTS) if self.own == "learned" else VARIANTS

    @property
    def formula(self) -> str:
        """The one in view: a variant, or "learned"."""
        if self.now.formula:
            return self.now.formula
        return "paper" if self.own == "none" else self.own

    @property
    def is_own(self) -> bool:
        """Whether it is what this run has added."""
        return self.formula == self.own

    @property
    def variant(self) -> Variant | None:
        """The one in view where sines and cosines give it."""
        return None if self.formula == "learned" else cast(Variant, self.formula)

    @property
    def span(self) -> str:
        """How many positions are drawn."""
        view, chosen = self.now.positions, self.now.span
        if view not in FIRST_SPAN or chosen not in spans(view):
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

    @property
    def place(self) -> int:
        """The position in focus."""
        pinned = self.now.token
        if pinned and pinned[0] == self.side:
            return pinned[1]
        return min(FIRST_PLACE, len(self.tokens) - 1)

    @property
    def feature(self) -> int:
        """The feature in focus, from 0."""
        chosen = self.now.feature
        return chosen if chosen is not None and chosen < self.width else self.width // 10

    @property
    def pair(self) -> int:
        """The (sine, cosine) pair that the feature belongs to."""
        return pair_of(self.width, self.feature, self.variant or "paper")

    @cached_property
    def features(self) -> tuple[int, int]:
        """The two features of the pair."""
        sine, cosine = pairs(self.width, self.variant or "paper")[self.pair]
        return int(sine), int(cosine)

    @property
    def places(self) -> tuple[int, int] | None:
        """The two positions that are pinned together, of this stack's own attention."""
        now = self.now
        if now.kind != self.stack or now.query is None or now.key is None:
            return None
        return now.query, now.key

    @cached_property
    def repeated(self) -> Sequence[Repeated]:
        """The words that occur more than once."""
        return repeated_words(self.trace, self.stack)

    @property
    def two(self) -> tuple[int, int]:
        """Two positions to compare: the pinned ones, else those of a word that occurs twice."""
        if self.places and self.places[0] != self.places[1]:
            return self.places
        with_focus = [each for each in self.repeated if self.place in each.positions]
        for each in (*with_focus, *self.repeated):
            return each.positions[0], each.positions[1]
        return 0, len(self.tokens) - 1

    def word(self, place: int) -> str:
        """The word at a position, as it is shown; what stands there beyond the sentence."""
        if place < len(self.tokens):
            return visible(self.tokens[place])
        return say("positions.beyond")


def spans(view: str) -> tuple[str, ...]:
    """How many positions can be chosen: three tables at once stay small."""
    return SPANS[:-1] if view == "variants" else SPANS


def pick(focus: Focus, place: int | None = None, feature: int | None = None) -> None:
    """Put a word, a feature or both in focus; a position beyond the sentence is no word."""
    changes: dict[str, Any] = {}
    if place is not None and 0 <= place < len(focus.tokens):
        changes["token"] = (focus.side, place)
    if feature is not None and 0 <= feature < focus.width:
        changes["feature"] = feature
    state.update(**changes)


def pick_two(focus: Focus, first: int, second: int) -> None:
    """Put two positions in focus together, the first of them as the word."""
    if max(first, second) < len(focus.tokens):
        state.update(kind=focus.stack, query=first, key=second, token=(focus.side, first))
