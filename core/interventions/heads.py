"""Heads switched: off, alone, swapped, or looking where one says; and one head of an experiment.

A switch may name many heads by a pattern. Where one of them is to be otherwise, the switch is
written out attention by attention, so that it goes on holding for all the others.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from glassformer.core.config import ModelConfig
from glassformer.core.errors import GlassformerError, check_index
from glassformer.core.interventions.experiment import Experiment
from glassformer.core.interventions.parts import OfHeads, attention_extent
from glassformer.core.interventions.switch import Setting, Switch
from glassformer.core.trace.tape import Edit

Way = Literal["zero", "mean"]


@dataclass(frozen=True)
class HeadsOff(OfHeads, kind="heads_off", slot=("where", "heads")):
    """Heads say nothing: `context` is exactly zero, or the head's mean over a reference set.

    The mean takes away what a head says about this sentence and leaves what it always says.
    """

    way: Way = "zero"
    order: ClassVar[int] = 10  # whatever else is done to a context, off is off

    def silenced(self, config: ModelConfig, place: str) -> list[int]:
        """The heads of an attention that are off.

        Args:
            config: of the model.
            place: an attention, or an address in it.

        Returns:
            Heads counted from 0.

        Raises:
            GlassformerError: `out_of_range` for a head that the attention does not have.
        """
        return self.chosen(config, place)

    def edits(self, setting: Setting) -> Sequence[Edit]:
        """`context` (B, H, T, K) of the silenced heads."""
        config, means = setting.config, setting.means() if self.way == "mean" else None
        return [
            Edit(address, fill_heads(self.silenced(config, address), address, means), self.text)
            for address in (f"{place}/context" for place in self.places(config))
        ]


@dataclass(frozen=True)
class HeadsAlone(HeadsOff, kind="heads_alone", slot=("where",)):
    """All heads of the attention off but these (solo)."""

    def misfit(self) -> str:
        """No heads."""
        return "" if self.heads else "heads"

    def silenced(self, config: ModelConfig, place: str) -> list[int]:
        """The heads that are off: all others."""
        chosen = self.chosen(config, place)
        return [head for head in range(config.of(place).n_heads) if head not in chosen]


@dataclass(frozen=True)
class HeadsSwapped(OfHeads, kind="heads_swapped", slot=("where", "what")):
    """Each of `heads` takes over from the next of them, the last from the first; two are swapped.

    `what`: the attention maps, so that a head reads its own values where the other looks, or the
    contexts, so that each goes through the other's rows of W_O.
    """

    what: Literal["weights", "context"] = "weights"

    def misfit(self) -> str:
        """A single head, or one that is named twice."""
        once = len(self.heads) != 1 and len(set(self.heads)) == len(self.heads)
        return "" if once else "heads"

    def edits(self, setting: Setting) -> Sequence[Edit]:
        """`weights` (B, H, T, S) or `context` (B, H, T, K), heads in another order."""
        return self.in_heads(setting.config, f"/{self.what}", lambda value: value.roll(-1, 1))


@dataclass(frozen=True)
class HeadsFrozen(OfHeads, kind="heads_frozen", slot=("where", "heads")):
    """Heads look evenly at all they may look at (`uniform`), or each row at its own place.

    `diagonal` does not ask the mask; a row beyond the last key looks at the last key.
    """

    to: Literal["uniform", "diagonal"] = "uniform"
    order: ClassVar[int] = 10  # after a temperature, which could not be seen

    def edits(self, setting: Setting) -> Sequence[Edit]:
        """`scaled` (B, H, T, S) set to 0, or `weights` set to the diagonal."""

        def own(weights: Tensor) -> Tensor:
            queries, keys = weights.shape[-2:]
            places = torch.arange(queries, device=weights.device).clamp(max=keys - 1)
            return one_hot(places, keys).to(weights).expand_as(weights)

        if self.to == "uniform":
            return self.in_heads(setting.config, "/scaled", torch.zeros_like)
        return self.in_heads(setting.config, "/weights", own)


@dataclass(frozen=True)
class HeadsRedirected(OfHeads, kind="heads_redirected", slot=("where", "heads", "rows")):
    """Heads look at one key alone, in some rows or, with (), in all; the mask is not asked.

    While a sentence is being decoded, rows and keys that are not there yet do nothing.
    """

    key: int = 0
    rows: tuple[int, ...] = ()
    order: ClassVar[int] = 11

    def edits(self, setting: Setting) -> Sequence[Edit]:
        """`weights` (B, H, T, S): 1 at the key, 0 elsewhere in the row."""

        def change(weights: Tensor) -> Tensor:
            queries, keys = weights.shape[-2:]
            rows = [row for row in self.rows or range(queries) if 0 <= row < queries]
            if 0 <= self.key < keys:
                weights[:, :, rows] = 0.0
                weights[:, :, rows, self.key] = 1.0
            return weights

        return self.in_heads(setting.config, "/weights", change)

    def check(self, config: ModelConfig, source: int, target: int) -> None:
        """Raises also for a row or a key that these lengths do not have.

        Raises:
            GlassformerError: `edit_unmatched` for an attention, `out_of_range` for a head, a row or
                a key.
        """
        super().check(config, source, target)
        for place in self.places(config):
            queries, keys = attention_extent(place, source, target)
            check_index("key", self.key, keys)
            for row in self.rows:
                check_index("row", row, queries)


def fill_heads(
    heads: Sequence[int], address: str, means: Mapping[str, Tensor] | None
) -> Callable[[Tensor], Tensor]:
    """A change of `context`: heads set to zero, or to their means.

    Args:
        heads: counted from 0.
        address: of the `context` that is changed.
        means: (H, K) by the address of `context`; None for zero.

    Returns:
        A function that writes into a tensor (B, H, T, K) and returns it.
    """
    chosen = list(heads)

    def change(context: Tensor) -> Tensor:
        if means is None:
            context[:, chosen] = 0.0
        else:
            context[:, chosen] = means[address].to(context)[chosen, None]  # (h, 1, K)
        return context

    return change


Kinds = tuple[type[OfHeads], ...]
STEERED: Kinds = (HeadsFrozen, HeadsRedirected)  # where a head looks, whatever it would choose


def silenced_heads(experiment: Experiment, config: ModelConfig) -> dict[tuple[str, int], Way]:
    """The heads that are off, by attention and head, and what they say instead.

    Args:
        experiment: the one that is read.
        config: of the model.

    Returns:
        By (place, head from 0): `zero` or `mean`, of the last switch that holds for the head.
    """
    return {
        (place, head): each.way
        for each in experiment.switches
        if isinstance(each, HeadsOff)
        for place in each.holds_at(config)
        for head in _acting(each, config, place)
    }


def heads_alone(experiment: Experiment, config: ModelConfig) -> set[tuple[str, int]]:
    """The heads that stand alone in their attention.

    Args:
        experiment: the one that is read.
        config: of the model.

    Returns:
        (place, head from 0) of each.
    """
    return {
        (place, head)
        for each in experiment.switches
        if isinstance(each, HeadsAlone)
        for place in each.holds_at(config)
        for head in each.chosen(config, place)
    }


def latest_of_head(
    experiment: Experiment, config: ModelConfig, kinds: Kinds, where: str, head: int
) -> OfHeads | None:
    """The last switch of some kinds that holds for a head.

    Args:
        experiment: the one that is read.
        config: of the model.
        kinds: classes of switches.
        where: an attention, such as `decoder/1/cross_attention`.
        head: counted from 0.

    Returns:
        The switch; None where none holds.
    """
    holding = (
        each
        for each in reversed(experiment.switches)
        if isinstance(each, kinds)
        and where in each.holds_at(config)
        and head in _acting(each, config, where)
    )
    return next(holding, None)


def toggle_head(
    experiment: Experiment, config: ModelConfig, where: str, head: int, way: Way = "zero"
) -> Experiment:
    """The head off, or on again; one that is off because another stands alone joins that one.

    Args:
        experiment: the one before.
        config: of the model.
        where: an attention, such as `decoder/1/cross_attention`.
        head: counted from 0.
        way: what a head says that is off: zero, or its mean over a reference set.

    Returns:
        A new experiment; the head joins a switch that has others of the attention off this way.
    """
    free = release_heads(experiment, config, (HeadsOff,), where, (head,))
    if (where, head) in silenced_heads(experiment, config):
        return free
    for at, each in enumerate(free.switches):
        if not isinstance(each, HeadsOff) or isinstance(each, HeadsAlone):
            continue
        if _acting(each, config, where) and (each.where, each.way) == (where, way):
            joined = replace(each, heads=tuple(sorted({*each.heads, head})))
            switches = (*free.switches[:at], joined, *free.switches[at + 1 :])
            return replace(free, switches=switches)
    return free.having(HeadsOff(where, (head,), way))


def toggled_all(
    experiment: Experiment, config: ModelConfig, where: str, way: Way = "zero"
) -> Experiment:
    """All heads of the attentions of a pattern off; on again where all of them are off.

    Args:
        experiment: the one before.
        config: of the model.
        where: an attention or a pattern, such as `encoder/*`.
        way: what a head says that is off: zero, or its mean over a reference set.

    Returns:
        A new experiment.

    Raises:
        GlassformerError: `edit_unmatched` for a pattern that names no attention.
    """
    off, free = silenced_heads(experiment, config), experiment
    every = {place: range(config.of(place).n_heads) for place in OfHeads(where).places(config)}
    for place, heads in every.items():
        free = release_heads(free, config, (HeadsOff,), place, heads)
    if all((place, head) in off for place, heads in every.items() for head in heads):
        return free
    return free.having(HeadsOff(where, (), way))


def toggled_alone(
    experiment: Experiment, config: ModelConfig, where: str, head: int, way: Way = "zero"
) -> Experiment:
    """The head alone in its attention; one that is alone no longer.

    Args:
        experiment: the one before.
        config: of the model.
        where: an attention, such as `decoder/1/cross_attention`.
        head: counted from 0.
        way: what the other heads say: zero, or their means over a reference set.

    Returns:
        A new experiment.
    """
    single = any(
        type(each) is HeadsAlone and (each.where, each.heads) == (where, (head,))
        for each in experiment.switches
    )
    every = range(config.of(where).n_heads)
    free = release_heads(experiment, config, (HeadsOff,), where, every)
    return free if single else free.having(HeadsAlone(where, (head,), way))


def with_way(experiment: Experiment, way: Way) -> Experiment:
    """Every head that is off is so in another way.

    Args:
        experiment: the one before.
        way: zero, or the head's mean over a reference set.

    Returns:
        A new experiment.
    """
    switches = (
        replace(each, way=way) if isinstance(each, HeadsOff) else each
        for each in experiment.switches
    )
    return replace(experiment, switches=tuple(switches))


def swap_heads(experiment: Experiment, config: ModelConfig, switch: HeadsSwapped) -> Experiment:
    """The heads of one attention swapped; swaps that they had before end.

    Args:
        experiment: the one before.
        config: of the model.
        switch: of one attention, not of a pattern.

    Returns:
        A new experiment.

    Raises:
        GlassformerError: `out_of_range` for a head that the attention does not have.
    """
    heads = switch.chosen(config, switch.where)
    free = release_heads(experiment, config, (HeadsSwapped,), switch.where, heads)
    return free.having(switch)


def release_heads(
    experiment: Experiment, config: ModelConfig, kinds: Kinds, where: str, heads: Sequence[int]
) -> Experiment:
    """No switch of these kinds holds for these heads of an attention; for all others they do.

    A swap ends for all the heads of the attention that it moves.

    Args:
        experiment: the one before.
        config: of the model.
        kinds: classes of switches.
        where: an attention, such as `decoder/1/cross_attention`.
        heads: counted from 0.

    Returns:
        A new experiment; a switch of several attentions is written out, one for each that is left.
    """
    rest: list[Switch] = []
    for each in experiment.switches:
        if isinstance(each, kinds) and where in each.holds_at(config):
            rest += _without(each, config, where, set(heads))
        else:
            rest.append(each)
    return replace(experiment, switches=tuple(rest))


def _without(
    switch: OfHeads, config: ModelConfig, where: str, heads: set[int]
) -> Iterator[OfHeads]:
    """What is left of a switch that names the attention."""
    if not heads & set(_acting(switch, config, where)):
        yield switch
        return
    for place in switch.holds_at(config):
        acting = _acting(switch, config, place)
        left = [head for head in acting if place != where or head not in heads]
        if place == where and isinstance(switch, HeadsSwapped):
            continue
        if place == where and isinstance(switch, HeadsAlone):
            count = config.of(place).n_heads
            others = tuple(head for head in range(count) if head not in left)
            if left:
                yield replace(switch, where=place, heads=others)
        elif left:
            named = switch.heads if place != where else tuple(left)
            yield replace(switch, where=place, heads=named)


def _acting(switch: OfHeads, config: ModelConfig, place: str) -> list[int]:
    """The heads of an attention that a switch changes; none where one of them is not there."""
    try:
        changes = switch.silenced if isinstance(switch, HeadsOff) else switch.chosen
        return changes(config, place)
    except GlassformerError:
        return []
