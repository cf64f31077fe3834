"""What a switch did: to each word of the translation, and to the vectors along depth.

`change_by_layer` compares two traces tensor by tensor, position by position. Rows of the decoder
can be compared where both runs read the same words. So the second run is also taken over the words
that the first one wrote (`forced`): there every row answers one question.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import torch
from torch import Tensor

from glassformer.core.config import ModelConfig
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions.translations import (
    TranslatedWord,
    align_words,
    divergences,
    log_probabilities,
)
from glassformer.core.model.device import to_float64
from glassformer.core.trace.address import Address
from glassformer.core.trace.graph import Part, Stack, states
from glassformer.core.trace.sites import site_at
from glassformer.core.trace.trace import Trace

ROWS = ("position", "query", "key")  # the axis of words: the first that a tensor has


@dataclass(frozen=True)
class Change:
    """One tensor before and after; where the lengths differ, the part that both have.

    All three have the tensor's own axes. A mark or an id (bool, int64) counts as a number.
    """

    address: str
    before: Tensor
    after: Tensor

    @cached_property
    def difference(self) -> Tensor:
        """After − before; 0 where both are the same infinity, NaN where one is NaN."""
        same = self.before == self.after
        return (_number(self.after) - _number(self.before)).masked_fill(same, 0.0)

    @property
    def changed(self) -> int:
        """How many numbers are other ones afterwards; a lost one (NaN) counts."""
        return int((self.difference != 0).sum())

    @property
    def broken(self) -> int:
        """How many numbers are NaN or infinite afterwards and were not before."""
        now, then = ~_number(self.after).isfinite(), ~_number(self.before).isfinite()
        return int((now & ~then).sum())


@dataclass(frozen=True)
class Moved:
    """How far one tensor moved, by word.

    `by_position` (n,) is ‖after − before‖ / ‖before‖ over all other axes: 0, nothing moved; 1, as
    far as it is from zero; ∞, where there was nothing before; NaN, where numbers are lost.
    """

    address: str
    by_position: Tensor
    overall: float  # the same of the whole tensor

    @property
    def still(self) -> bool:
        """Whether not one bit moved."""
        return self.overall == 0


def measure_change(before: Trace, after: Trace, address: str) -> Change:
    """One tensor of two runs of one model.

    Args:
        before: the first run.
        after: the second run.
        address: of the tensor.

    Returns:
        The tensor in both; where the numbers of words differ, the first ones that both have.

    Raises:
        GlassformerError: `unknown_address` where one of them has no such tensor,
            `compare_models` where their sizes other than the lengths differ.
    """
    one, two = before[address], after[address]
    names = site_at(address).axes
    common = [min(pair) for pair in zip(one.shape, two.shape, strict=True)]
    for name, *pair in zip(names, one.shape, two.shape, strict=True):
        if name not in ROWS and pair[0] != pair[1]:
            raise GlassformerError("compare_models", before=pair[0], after=pair[1], axis=name)
    part = tuple(slice(size) for size in common)
    return Change(address, one[part], two[part])


def change_by_layer(
    before: Trace, after: Trace, addresses: Iterable[str] | None = None
) -> tuple[Moved, ...]:
    """How far each tensor that both runs recorded moved, in the computation order of `after`.

    `masked` counts what may be looked at in each run, and the rest as 0: how a forbidden score is
    written is no distance. Target rows after the first other word of the input are moved by that
    word too: give both runs one target to see the change alone.

    Args:
        before: the first run.
        after: the second run.
        addresses: only these, in their order; None for all.

    Returns:
        One entry for each address that both runs have.

    Raises:
        GlassformerError: `compare_models` where their sizes other than the lengths differ.
    """
    asked = after if addresses is None else addresses
    both = (each for each in asked if each in before and each in after)
    return tuple(measure_move(before, after, address) for address in both)


def measure_move(before: Trace, after: Trace, address: str) -> Moved:
    """How far one tensor moved, word by word and as a whole.

    Args:
        before: the first run.
        after: the second run.
        address: of a tensor that has an axis of words.

    Returns:
        ‖after − before‖ / ‖before‖ in float64: (n,) for the n words that both have, and overall.

    Raises:
        GlassformerError: as `measure_change`.
    """
    found = measure_change(before, after, address)
    if Address.of(address).name == "masked":
        found = _seen_only(before, after, found)
    names = site_at(address).axes
    place = min(names.index(name) for name in ROWS if name in names)
    steps = _lengths(found.difference, place)  # (n,)
    were = _lengths(_number(found.before), place)
    return Moved(address, _ratio(steps, were), float(_ratio(steps.norm(), were.norm())))


def _seen_only(before: Trace, after: Trace, found: Change) -> Change:
    """The scores with the hidden ones as 0, each by its own run's mask."""
    mask = Address.of(found.address).sibling("mask")
    if mask not in before or mask not in after:
        return found
    marks = measure_change(before, after, mask)
    return Change(
        found.address,
        found.before.masked_fill(~marks.before, 0.0),
        found.after.masked_fill(~marks.after, 0.0),
    )


def _lengths(x: Tensor, place: int) -> Tensor:
    """The Euclidean length of each slice along one axis, (n,), float64."""
    found: Tensor = torch.linalg.vector_norm(to_float64(x).movedim(place, 0).flatten(1), dim=1)
    return found


def _ratio(steps: Tensor, were: Tensor) -> Tensor:
    """Steps / were, and 0 where nothing moved, also from zero."""
    return torch.where(steps == 0, 0.0, steps / were)


def _number(x: Tensor) -> Tensor:
    return x if x.is_floating_point() else x.float()


What = Literal["stream", "weights", "probabilities"]
STACKS: tuple[Stack, ...] = ("encoder", "decoder")


@dataclass(frozen=True)
class ChangedWord:
    """One place of both translations, and what became of the word that stood there.

    probabilities: of the first run's word, in the first run and in the second one on the first
    one's words. divergence: KL(first ‖ second) of these two rows, in nats. Both are None for a
    word that only the second run has.
    """

    word: TranslatedWord
    probabilities: tuple[float, float] | None
    divergence: float | None


@dataclass(frozen=True)
class Effect:
    """Both translations, line by line; `log_probabilities` are ln P of the first one in both."""

    lines: tuple[ChangedWord, ...]
    log_probabilities: tuple[float, float]

    @property
    def most_changed(self) -> int:
        """The decoder's row of the first run whose prediction moved furthest; NaN counts most."""
        known = ((each.divergence, each.word.before_row) for each in self.lines)
        far = {row: moved for moved, row in known if moved is not None and row is not None}
        return max(far, key=lambda row: math.inf if math.isnan(far[row]) else far[row])


@dataclass(frozen=True)
class Rung:
    """A tensor on the way down: the vectors as they travel on, weights, or what comes out."""

    stack: Stack
    layer: int | None
    part: Part | Literal["output"]
    what: What
    address: str


def effect(first: Trace, second: Trace, forced: Trace) -> Effect:
    """What became of the first run's words.

    Args:
        first: the run before.
        second: the run after, with the words that it wrote itself.
        forced: the run after, on the words of the first (teacher forcing).

    Returns:
        Both translations aligned, and ln P of the first one in both runs.

    Raises:
        ValueError: where `forced` has other words than `first`.
    """
    if forced.output_pieces != first.output_pieces:
        raise ValueError("the forced run has other words")
    chances = [_log_chances(each, first.output_ids) for each in (first, forced)]  # (T,) each
    apart = divergences(first, forced)  # (T,)
    pairs = torch.stack([each.exp() for each in chances], dim=-1).tolist()

    def line(word: TranslatedWord) -> ChangedWord:
        row = word.before_row
        if row is None:
            return ChangedWord(word, None, None)
        return ChangedWord(word, (pairs[row][0], pairs[row][1]), float(apart[row]))

    before, after = (float(each.sum()) for each in chances)
    return Effect(tuple(map(line, align_words(first, second))), (before, after))


def rungs_of_change(config: ModelConfig) -> tuple[Rung, ...]:
    """What a change passes, in computation order: the encoder, the decoder, the output.

    Args:
        config: of the model.

    Returns:
        The residual stream at the entrance, after each sub-layer and after a final norm; the
        weights of an attention before the stream behind it; last the probabilities.
    """
    found = []
    for stack in STACKS:
        for state in states(config, stack):
            if state.layer is not None and state.part != "feed_forward":
                address = f"{stack}/{state.layer}/{state.part}/weights"
                found.append(Rung(stack, state.layer, state.part, "weights", address))
            found.append(Rung(stack, state.layer, state.part, "stream", state.address))
    last: Stack = "decoder" if config.decoder_layers else "encoder"
    return (*found, Rung(last, None, "output", "probabilities", "output/probabilities"))


def moves_of_rungs(before: Trace, after: Trace) -> tuple[tuple[Rung, Moved], ...]:
    """How far each rung moved, word by word; only what both runs recorded.

    Args:
        before: the first run.
        after: the second run.

    Returns:
        Each rung with its move, in computation order.

    Raises:
        GlassformerError: `compare_models` for runs of different sizes.
    """
    known = {rung.address: rung for rung in rungs_of_change(before.config)}
    return tuple((known[each.address], each) for each in change_by_layer(before, after, known))


def first_changed(before: Trace, after: Trace) -> str:
    """The first address, in computation order, at which any number differs.

    Args:
        before: the first run.
        after: the second run.

    Returns:
        The address; "" where nothing that both recorded differs.

    Raises:
        GlassformerError: `compare_models` for runs of different sizes.
    """
    for address in after:
        if address not in before or torch.equal(before[address], after[address]):
            continue
        if not measure_move(before, after, address).still:
            return address
    return ""


def sees_ahead(trace: Trace) -> bool:
    """Whether any row of the decoder may look at later words.

    Then a row of the recorded pass sees words that were not there when it was decoded.

    Args:
        trace: the run that is read.

    Returns:
        True where a mask of the decoder's self-attention is open above its diagonal.
    """
    masks = (
        trace[f"decoder/{layer}/self_attention/mask"]
        for layer in range(trace.config.decoder_layers)
    )
    return any(bool(each.triu(1).any()) for each in masks)


def _log_chances(trace: Trace, words: tuple[int, ...]) -> Tensor:
    """The log-probability of each given word at its row, (T,), float64."""
    return log_probabilities(trace)[range(len(words)), list(words)]
