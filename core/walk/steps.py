"""A run as a sequence of steps, in computation order: what the Walkthrough walks through.

A step is the smallest thing that is worth a screen of its own. Its id, such as
`encoder.0.self_attention.scale`, goes into links and stays good as long as the addresses do; its
kind is the key of its texts. Ids count from 0, as addresses do.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from core.trace.trace import Trace
from core.walk.order import Kind as Kind
from core.walk.order import Stage as Stage
from core.walk.order import Step as Step
from core.walk.order import steps_of as steps_of
from core.walk.wires import Wire


def walk(trace: Trace) -> tuple[Step, ...]:
    """Every step of a run, in computation order; the decoder's for all its rows at once."""
    drops = "source/kept" in trace.tensors
    return steps_of(trace.config, drops, forced=not trace.steps)


def step_by_id(steps: Sequence[Step], step_id: str) -> Step | None:
    """The step of that id, None where this run has none."""
    return next((step for step in steps if step.id == step_id), None)


def nearest(steps: Sequence[Step], step_id: str) -> Step:
    """The step of that id, else the one whose id is written most like it; "" is the first.

    The same step of another layer is nearer than any other of the same layer.
    """
    if not step_id:
        return steps[0]
    if (found := step_by_id(steps, step_id)) is not None:
        return found
    wanted = step_id.split(".")
    here = _but_layer(step_id)
    same = [step for step in steps if step.layer is not None and _but_layer(step.id) == here]
    if same:
        layer = int(wanted[1]) if wanted[1].isdecimal() else 0
        return min(same, key=lambda step: abs((step.layer or 0) - layer))
    near = difflib.get_close_matches(step_id, [step.id for step in steps], n=1, cutoff=0.0)
    return step_by_id(steps, near[0]) or steps[0]


def step_of(steps: Sequence[Step], address: str) -> Step | None:
    """The step that puts an address out; else the first that takes it in; None where none does."""
    itself = Wire(address)
    for step in steps:
        if itself in step.outputs:
            return step
    return next((step for step in steps if itself in step.inputs), None)


def neighbours(steps: Sequence[Step], step_id: str) -> tuple[Step | None, Step | None]:
    """The step before and the step after, None at the ends; `KeyError` for an unknown id."""
    places = {step.id: place for place, step in enumerate(steps)}
    at = places[step_id]
    before = steps[at - 1] if at else None
    return before, steps[at + 1] if at + 1 < len(steps) else None


def for_layer(steps: Sequence[Step], encoder: int = 0, decoder: int = 0) -> tuple[Step, ...]:
    """The walk through one layer of each stack; a layer beyond the last counts as the last."""
    chosen = {"encoder": encoder, "decoder": decoder}
    for stack in chosen:
        layers = [step.layer for step in steps if step.stage == stack and step.layer is not None]
        chosen[stack] = min(max(chosen[stack], 0), max(layers))
    return tuple(step for step in steps if step.layer in (None, chosen.get(step.stage)))


def _but_layer(step_id: str) -> tuple[str, ...]:
    stage, *rest = step_id.split(".")
    return (stage, *rest[1:])


@dataclass(frozen=True)
class Group:
    """Steps that stand together on the map: a stage, or one sub-layer of one layer."""

    stage: Stage
    layer: int | None
    sublayer: str
    steps: tuple[Step, ...]


def strip(steps: Sequence[Step]) -> tuple[Group, ...]:
    """The steps by stage, layer and sub-layer, in computation order: the map."""
    groups: list[Group] = []
    for step in steps:
        where = (step.stage, step.layer, step.sublayer)
        last = groups[-1] if groups else None
        if last is not None and (last.stage, last.layer, last.sublayer) == where:
            groups[-1] = Group(*where, (*last.steps, step))
        else:
            groups.append(Group(*where, (step,)))
    return tuple(groups)
