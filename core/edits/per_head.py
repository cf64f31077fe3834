"""One head of one attention in an experiment: what holds for it, and the experiment where it ends.

A switch may name many heads by a pattern. Where one of them is to be otherwise, the switch is
written out attention by attention, so that it goes on holding for all the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.config import ModelConfig
from core.edits.attentions import OfHeads
from core.edits.experiment import Experiment
from core.edits.heads import HeadsAlone, HeadsFrozen, HeadsOff, HeadsRedirected, HeadsSwapped, Way
from core.edits.switch import Switch
from core.errors import GlassformerError

Kinds = tuple[type[OfHeads], ...]
STEERED: Kinds = (HeadsFrozen, HeadsRedirected)  # where a head looks, whatever it would choose


def silenced(experiment: Experiment, config: ModelConfig) -> dict[tuple[str, int], Way]:
    """The heads that are off, by attention and head, and what they say instead."""
    found: dict[tuple[str, int], Way] = {}
    for each in experiment.switches:
        if isinstance(each, HeadsOff):
            heads = _acting(each, config)
            found |= {(place, head): each.way for place in each.holds_at(config) for head in heads}
    return found


def alone(experiment: Experiment, config: ModelConfig) -> set[tuple[str, int]]:
    """The heads that stand alone in their attention, by attention and head."""
    return {
        (place, head)
        for each in experiment.switches
        if isinstance(each, HeadsAlone)
        for place in each.holds_at(config)
        for head in each.chosen(config)
    }


def latest(
    experiment: Experiment, config: ModelConfig, kinds: Kinds, where: str, head: int
) -> Switch | None:
    """The last switch of some kinds that holds for a head."""
    holding = (
        each
        for each in reversed(experiment.switches)
        if isinstance(each, kinds)
        and where in each.holds_at(config)
        and head in _acting(each, config)
    )
    return next(holding, None)


def toggled(
    experiment: Experiment, config: ModelConfig, where: str, head: int, way: Way = "zero"
) -> Experiment:
    """The head off, or on again; one that is off because another stands alone joins that one."""
    free = released(experiment, config, (HeadsOff,), where, (head,))
    if (where, head) in silenced(experiment, config):
        return free
    for at, each in enumerate(free.switches):
        if not isinstance(each, HeadsOff) or isinstance(each, HeadsAlone):
            continue
        if _acting(each, config) and (each.where, each.way) == (where, way):
            joined = replace(each, heads=tuple(sorted({*each.heads, head})))
            switches = (*free.switches[:at], joined, *free.switches[at + 1 :])
            return replace(free, switches=switches)
    return free.having(HeadsOff(where, (head,), way))


def toggled_all(
    experiment: Experiment, config: ModelConfig, where: str, way: Way = "zero"
) -> Experiment:
    """All heads of the attentions of a pattern off; on again where all of them are off."""
    every, places = tuple(range(config.n_heads)), OfHeads(where).places(config)
    off, free = silenced(experiment, config), experiment
    for place in places:
        free = released(free, config, (HeadsOff,), place, every)
    if all((place, head) in off for place in places for head in every):
        return free
    return free.having(HeadsOff(where, (), way))


def toggled_alone(
    experiment: Experiment, config: ModelConfig, where: str, head: int, way: Way = "zero"
) -> Experiment:
    """The head alone in its attention; one that is alone no longer."""
    single = any(
        type(each) is HeadsAlone and (each.where, each.heads) == (where, (head,))
        for each in experiment.switches
    )
    every = tuple(range(config.n_heads))
    free = released(experiment, config, (HeadsOff,), where, every)
    return free if single else free.having(HeadsAlone(where, (head,), way))


def with_way(experiment: Experiment, way: Way) -> Experiment:
    """Every head that is off is so in another way."""
    return replace(
        experiment,
        switches=tuple(
            replace(each, way=way) if isinstance(each, HeadsOff) else each
            for each in experiment.switches
        ),
    )


def all_heads_on(experiment: Experiment) -> Experiment:
    """Without the switches that turn heads off."""
    kept = tuple(each for each in experiment.switches if not isinstance(each, HeadsOff))
    return replace(experiment, switches=kept)


def swapped(experiment: Experiment, config: ModelConfig, switch: HeadsSwapped) -> Experiment:
    """The heads of one attention swapped; swaps that they had before end."""
    free = released(experiment, config, (HeadsSwapped,), switch.where, switch.chosen(config))
    return free.having(switch)


def released(
    experiment: Experiment, config: ModelConfig, kinds: Kinds, where: str, heads: Sequence[int]
) -> Experiment:
    """No switch of these kinds holds for these heads of an attention; for all others they do.

    A swap ends for all the heads of the attention that it moves.
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
    acting = _acting(switch, config)
    if not heads & set(acting):
        yield switch
        return
    for place in switch.holds_at(config):
        left = [head for head in acting if place != where or head not in heads]
        if place == where and isinstance(switch, HeadsSwapped):
            continue
        if place == where and isinstance(switch, HeadsAlone):
            others = tuple(head for head in range(config.n_heads) if head not in left)
            if left:
                yield replace(switch, where=place, heads=others)
        elif left:
            named = switch.heads if place != where else tuple(left)
            yield replace(switch, where=place, heads=named)


def _acting(switch: OfHeads, config: ModelConfig) -> list[int]:
    """The heads that a switch changes; none where it names one that is not there."""
    try:
        return switch.silenced(config) if isinstance(switch, HeadsOff) else switch.chosen(config)
    except GlassformerError:
        return []
