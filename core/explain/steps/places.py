"""Where the reader looks in each tensor of a walk: one choice, carried through all the steps.

A choice made anywhere (a word, a pair, a head, a feature) gives a cell of every tensor of a run.
What was not chosen gets an example: a pronoun, the row that writes it, the head and the key to
which the word gives most weight, the largest of the features.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from glassformer.core.analysis.attention_views import NOTEWORTHY, Kind, attention_sides, of_words
from glassformer.core.analysis.choices import rows_by_model
from glassformer.core.explain.steps.wires import Wire, wire_axes
from glassformer.core.trace.address import Address
from glassformer.core.trace.shapes import KEYS_AND_VALUES
from glassformer.core.trace.tables import as_numpy
from glassformer.core.trace.trace import Trace

PRONOUNS = frozenset("it he she they him her them 它 他 她 它们 他们 她们".split())


@dataclass(frozen=True)
class Chosen:
    """What a reader chose, all of it counted from 0; None where nothing was.

    `query` and `key` are a pair of the attention `kind`; `feature` is one of d_model, of a head or
    of the hidden layer, whatever the tensor has.
    """

    source: int | None = None
    target: int | None = None
    kind: Kind = "encoder"
    query: int | None = None
    key: int | None = None
    head: int | None = None
    feature: int | None = None


@dataclass(frozen=True)
class Pair:
    """One cell of an attention's maps."""

    head: int
    query: int
    key: int


@dataclass(frozen=True)
class Places:
    """The cell of every tensor of a run that belongs to a choice."""

    trace: Trace
    chosen: Chosen

    @cached_property
    def source(self) -> int:
        """The word of the source: chosen, or one that stands for another, or the widest awake."""
        chosen, last = self.chosen, len(self.trace.source_tokens) - 1
        queried = {"encoder": chosen.query, "cross": chosen.key}.get(chosen.kind)
        config = self.trace.config
        same = None if config.decoder_layers else chosen.target  # of an encoder alone one text
        for given in (chosen.source, same, queried):
            if given is not None:
                return min(given, last)
        if not config.encoder_layers:
            return 0
        if not config.decoder_layers and (blanks := rows_by_model(self.trace)):
            return blanks[0]
        words = [token.lower() for token in self.trace.source_tokens]
        if found := [at for at, word in enumerate(words) if word in PRONOUNS]:
            return found[0]
        rows, columns = attention_sides(self.trace, "encoder")
        weights = self._weights("encoder/0/self_attention").mean(axis=0)  # (S, S)
        row, _ = np.unravel_index(of_words(weights, columns, rows).argmax(), weights.shape)
        return int(row)

    @cached_property
    def target(self) -> int:
        """The row of the decoder: chosen, or the one whose heads look most at the source word."""
        chosen, last = self.chosen, len(self.trace.target_tokens) - 1
        if not self.trace.config.decoder_layers:
            return self.source
        for given in (chosen.target, None if chosen.kind == "encoder" else chosen.query):
            if given is not None:
                return min(given, last)
        if not self.trace.config.has_both:
            return last
        layers = range(self.trace.config.decoder_layers)
        maps = [self._weights(f"decoder/{layer}/cross_attention") for layer in layers]
        weights = np.concatenate(maps).mean(axis=0)  # (T, S)
        rows, columns = attention_sides(self.trace, "cross")
        return int(of_words(weights, columns, rows)[:, self.source].argmax())

    @cached_property
    def feature(self) -> int:
        """The feature of d_model."""
        if self.chosen.feature is not None:
            return min(self.chosen.feature, self.trace.config.d_model - 1)
        if self.trace.config.encoder_layers:
            return _largest(as_numpy(self.trace["source/input"][0, self.source]))
        return _largest(as_numpy(self.trace["target/input"][0, self.target]))

    def pair(self, where: str) -> Pair:
        """Head, query and key in an attention such as `decoder/0/cross_attention`.

        What was not chosen is the head and the key to which the word gives most weight.

        Args:
            where: the address of the attention's place.

        Returns:
            Places counted from 0; what was chosen beyond the end is the last.

        Raises:
            GlassformerError: `unknown_address`.
        """
        chosen, kind = self.chosen, Address.of(where).kind
        weights = self._weights(where)  # (H, T, S)
        query = self.source if kind == "encoder" else self.target
        key = self.source if kind == "cross" and chosen.source is not None else None
        if kind == chosen.kind:
            query = query if chosen.query is None else min(chosen.query, weights.shape[1] - 1)
            key = key if chosen.key is None else min(chosen.key, weights.shape[2] - 1)
        head = chosen.head if chosen.head is None else min(chosen.head, len(weights) - 1)
        itself = None if kind == "cross" else query
        asked = of_words(
            weights[:, query], attention_sides(self.trace, kind)[1], itself=itself
        )  # (H, S)
        if head is None:
            head = int((asked.max(axis=-1) if key is None else weights[:, query, key]).argmax())
        if key is None:
            row = asked[head] if asked[head].max() >= NOTEWORTHY else weights[head, query]
            key = int(np.nan_to_num(row, nan=-1.0).argmax())
        return Pair(head, query, key)

    def head_feature(self, where: str) -> int:
        """The feature within a head of an attention: chosen, or the largest of its context.

        Args:
            where: the address of the attention's place.

        Returns:
            Counted from 0; a chosen feature counts modulo the width of a head.

        Raises:
            GlassformerError: `unknown_address`.
        """
        width = self.trace.config.of(where).d_k
        if self.chosen.feature is not None:
            return self.chosen.feature % width
        pair = self.pair(where)
        return _largest(as_numpy(self.trace[f"{where}/context"][0, pair.head, pair.query]))

    def hidden(self, where: str) -> int:
        """The hidden unit of a feed-forward network: chosen, or the most active one.

        Args:
            where: the address of the network's place, such as `encoder/0/feed_forward`.

        Returns:
            Counted from 0; a chosen one beyond the end is the last.

        Raises:
            GlassformerError: `unknown_address`, where none is chosen.
        """
        if self.chosen.feature is not None:
            return min(self.chosen.feature, self.trace.config.of(where).d_ff - 1)
        place = self.source if Address.of(where).stack == "encoder" else self.target
        return _largest(as_numpy(self.trace[f"{where}/activation"][0, place]))

    def at(self, wire: Wire) -> Mapping[str, int]:
        """The place on each axis of a wire.

        Args:
            wire: what goes into a step or comes out of it.

        Returns:
            Places by axis name, from 0; 0 on an axis of which nothing can be chosen, such as the
            batch.

        Raises:
            GlassformerError: `unknown_address`.
        """
        return {
            axis.name: self._on(wire, axis.name, axis.letter)
            for axis in wire_axes(self.trace, wire)
        }

    def _on(self, wire: Wire, axis: str, letter: str) -> int:
        where, at = Address.of(wire.address).place, Address.of(wire.address)
        if axis in ("head", "query", "key"):
            place = int(getattr(self.pair(where), axis))
            shared = axis == "head" and at.name in KEYS_AND_VALUES
            return self.trace.config.of(where).key_head(place) if shared else place
        if axis == "position" and at.is_attention:
            pair = self.pair(where)
            return pair.key if at.name == "memory" else pair.query
        if axis == "position":
            return self.source if letter == "S" else self.target
        if axis == "head_feature":
            return self.head_feature(where)
        if axis == "feature" and in_heads(wire):
            head = self._on(Wire(wire.address), "head", letter)
            return head * self.trace.config.of(where).d_k + self.head_feature(where)
        if axis == "vocabulary":
            return self.trace.output_ids[self.target]
        if axis == "hidden":
            return self.hidden(where)
        return self.feature if axis == "feature" else 0

    def _weights(self, where: str) -> np.ndarray:
        weights: np.ndarray = as_numpy(self.trace[f"{where}/weights"][0])  # (H, T, S)
        return weights


def in_heads(wire: Wire) -> bool:
    """Whether its features are those of the heads, side by side.

    Args:
        wire: what goes into a step or comes out of it.

    Returns:
        True for queries, keys and values before they are split, and for the joined heads.
    """
    return wire.form == "joined" or Address.of(wire.address).name == "concat"


def _largest(row: np.ndarray) -> int:
    return int(np.nan_to_num(np.abs(row), nan=-1.0).argmax())
