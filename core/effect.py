"""What a switch did: to each word of the translation, and to the vectors along depth.

Rows of the decoder can be compared where both runs read the same words. So the second run is also
taken over the words that the first one wrote (`forced`): there every row answers one question.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from core.config import ModelConfig
from core.edits.ripple import Moved, moved, ripple
from core.edits.translations import Word, divergences, log_probabilities, words
from core.reading.blocks import Stack
from core.reading.residual_stream import Part, states
from core.trace.trace import Trace

What = Literal["stream", "weights", "probabilities"]
STACKS: tuple[Stack, ...] = ("encoder", "decoder")


@dataclass(frozen=True)
class Line:
    """One place of both translations, and what became of the word that stood there.

    probabilities: of the first run's word, in the first run and in the second one on the first
    one's words. divergence: KL(first ‖ second) of these two rows, in nats. Both are None for a
    word that only the second run has.
    """

    word: Word
    probabilities: tuple[float, float] | None
    divergence: float | None


@dataclass(frozen=True)
class Effect:
    """Both translations, line by line; `log_probabilities` are ln P of the first one in both."""

    lines: tuple[Line, ...]
    log_probabilities: tuple[float, float]

    @property
    def most_changed(self) -> int:
        """The decoder's row of the first run whose prediction moved furthest; NaN counts most."""
        known = [(each.divergence, each.word.before_row) for each in self.lines]
        far = [(_or_most(moved), -row) for moved, row in known if row is not None]
        return -max(far, key=lambda each: each)[1]


@dataclass(frozen=True)
class Rung:
    """A tensor on the way down: the vectors as they travel on, weights, or what comes out."""

    stack: Stack
    layer: int | None
    part: Part | Literal["output"]
    what: What
    address: str


def effect(first: Trace, second: Trace, forced: Trace) -> Effect:
    """What became of the first run's words; `forced` is the second run on those words.

    Raises:
        ValueError: where `forced` has other words than `first`.
    """
    if forced.output_pieces != first.output_pieces:
        raise ValueError("the forced run has other words")
    chances = [_log_chances(each, first.output_pieces) for each in (first, forced)]  # (T,) each
    apart = divergences(first, forced)  # (T,)
    pairs = torch.stack([each.exp() for each in chances], dim=-1).tolist()

    def line(word: Word) -> Line:
        row = word.before_row
        if row is None:
            return Line(word, None, None)
        return Line(word, (pairs[row][0], pairs[row][1]), float(apart[row]))

    before, after = (float(each.sum()) for each in chances)
    return Effect(tuple(map(line, words(first, second))), (before, after))


def rungs(config: ModelConfig) -> tuple[Rung, ...]:
    """What a ripple passes, in computation order: the encoder, the decoder, the output."""
    down = [each for stack in STACKS for each in _rungs(config, stack)]
    return (*down, Rung("decoder", None, "output", "probabilities", "output/probabilities"))


def passed(before: Trace, after: Trace) -> tuple[tuple[Rung, Moved], ...]:
    """How far each rung moved, word by word; only what both runs recorded.

    Raises `ripple_models` for runs of different sizes.
    """
    known = {rung.address: rung for rung in rungs(before.config)}
    return tuple((known[each.address], each) for each in ripple(before, after, known))


def first_changed(before: Trace, after: Trace) -> str:
    """The first address, in computation order, at which any number differs; "" for none."""
    for address in after:
        if address not in before or torch.equal(before[address], after[address]):
            continue
        if not moved(before, after, address).still:
            return address
    return ""


def sees_ahead(trace: Trace) -> bool:
    """Whether any row of the decoder may look at later words.

    Then a row of the recorded pass sees words that were not there when it was decoded.
    """
    masks = (
        trace[f"decoder/{layer}/self_attention/mask"]
        for layer in range(trace.config.decoder_layers)
    )
    return any(bool(each.triu(1).any()) for each in masks)


def _rungs(config: ModelConfig, stack: Stack) -> Iterator[Rung]:
    for state in states(config, stack):
        if state.layer is not None and state.part != "feed_forward":
            address = f"{stack}/{state.layer}/{state.part}/weights"
            yield Rung(stack, state.layer, state.part, "weights", address)
        yield Rung(stack, state.layer, state.part, "stream", state.address)


def _log_chances(trace: Trace, pieces: tuple[str, ...]) -> Tensor:
    """The log-probability of each given word at its row, (T,), float64."""
    index = {piece: at for at, piece in enumerate(trace.vocabulary)}
    ids = torch.tensor([index[piece] for piece in pieces])
    rows = log_probabilities(trace)  # (T, V)
    return rows.gather(1, ids.to(rows.device)[:, None])[:, 0]


def _or_most(number: float | None) -> float:
    return math.inf if number is None or math.isnan(number) else number
