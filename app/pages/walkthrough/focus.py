"""What the panels of the Walkthrough share: the steps, the one in view, and the chosen cell.

The step is `walk` of the state. The cell comes from the one selection of all pages (token, query,
key, head, feature), so that it stays the same number's way through all the steps.

The browser owns the reader's place and tells the server afterwards. Every event names the step that
the reader sees, whatever the server drew last, carries a number of its own (`nonce`) by which the
browser knows that it was heard, and says what the browser has not yet got of the steps around
(`lacks`, at a `version`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any, cast

from glassformer.app.panels.context import PanelContext, fields_of_cell
from glassformer.app.runs import on_screen
from glassformer.app.session import store
from glassformer.app.session.state import State
from glassformer.core.config import ModelConfig
from glassformer.core.explain.steps.places import Pair
from glassformer.core.explain.steps.steps import (
    Step,
    for_layer,
    list_steps,
    nearest_step,
    step_by_id,
)
from glassformer.core.explain.steps.wires import Cell, Wire, cell, wire_axes
from glassformer.core.trace.address import ATTENTIONS, Address
from glassformer.core.trace.graph import Stack, layer_count

MOST = 12  # steps that are sent at once
REMEMBERED = 8  # events


@dataclass(frozen=True)
class StepFocus(PanelContext):
    """One step of the run on screen, with everything that the panels draw of it."""

    @cached_property
    def every_step(self) -> tuple[Step, ...]:
        """All steps of the run, of all layers."""
        return list_steps(self.trace)

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The walk: through the chosen layer of each stack."""
        return for_layer(self.every_step, self.layer("encoder"), self.layer("decoder"))

    @cached_property
    def step(self) -> Step:
        """The step in view; where the run has none of that id, the nearest."""
        return nearest_step(self.every_step, self.now.walk)

    @property
    def config(self) -> ModelConfig:
        """Of the stack that the step is in."""
        return self.trace.config.of(self.step.stage)

    @property
    def unknown(self) -> str:
        """The id that was asked for and that this run does not have; "" where all is well."""
        asked = self.now.walk
        return asked if asked and step_by_id(self.every_step, asked) is None else ""

    @property
    def place(self) -> int:
        """Where the step stands in the walk, from 0."""
        return self.steps.index(self.step)

    @property
    def version(self) -> str:
        """A short name of all that the picture of a step depends on besides the step."""
        rest = replace(self.now, walk="", layer=0, opens="own")
        told = repr((rest, self.look, self.unknown, id(self.trace)))
        return blake2b(told.encode(), digest_size=8).hexdigest()

    def at_step(self, step: Step) -> "StepFocus":
        """The same with another step in view, as `show_step` would leave it."""
        return replace(self, now=replace(self.now, **_moved(self.now, step)))

    def layer(self, stack: str) -> int:
        """The layer of a stack that the walk goes through: the step's, else the one in focus."""
        if self.step.stage == stack and self.step.layer is not None:
            return self.step.layer
        return min(self.now.layer, self.layers(stack) - 1)

    def layers(self, stack: str) -> int:
        """How many layers a stack has."""
        return layer_count(self.trace.config, cast(Stack, stack))

    @property
    def layers_left(self) -> int:
        """How many layers do the same after this step, which ends its own; 0 for all others."""
        after = self.steps[self.place + 1 :]
        if self.step.layer is None or (after and after[0].layer is not None):
            return 0
        return self.layers(self.step.stage) - 1 - self.step.layer

    @cached_property
    def line(self) -> int:
        """Which of the step's outputs (and of `step.lines`) the chosen cell is in.

        The one whose tensor was clicked last (`address` of the state), else the last one; of Q, K
        and V the first.
        """
        for at, output in enumerate(self.step.outputs):
            if output.address == self.now.address:
                return at
        return 0 if self.step.kind in ("project", "split") else len(self.step.outputs) - 1

    @property
    def output(self) -> Wire:
        """The tensor that the chosen cell is in."""
        return self.step.outputs[self.line]

    def at(self, wire: Wire) -> Mapping[str, int]:
        """The chosen place on each axis of a wire that goes in or comes out, by axis name."""
        found = dict(self.places.at(wire))
        if self.step.kind == "project" and wire in self.step.inputs and "position" in found:
            found["position"] = self._projected_row(wire)
        return found

    def cell(self, wire: Wire) -> Cell:
        """The chosen cell of a wire."""
        return cell(self.trace, wire, self.at(wire))

    @property
    def pair(self) -> Pair | None:
        """Head, query and key of the step's attention; None in a step of no attention."""
        if self.step.sublayer not in ATTENTIONS:
            return None
        where = f"{self.step.stage}/{self.step.layer}/{self.step.sublayer}"
        return self.places.pair(where)

    def _projected_row(self, wire: Wire) -> int:
        """Whose row of what enters is projected: the query's, or the key's for K and V."""
        pair = self.pair
        assert pair is not None
        reads_memory = Address.of(wire.address).name == "memory"
        of_key = reads_memory or (self.line and len(self.step.inputs) == 1)
        return pair.key if of_key else pair.query


def show_step(step_id: str, **changes: object) -> None:
    """Show another step; its layer becomes the one in focus. For callbacks and links.

    changes: of other fields of the state, made at the same time. An id that the run does not have
    changes nothing.
    """
    step = step_by_id(list_steps(on_screen.trace_on_screen()), step_id)
    if step is not None:
        store.update(**_moved(store.get_state(), step), **changes)


def _moved(now: State, step: Step) -> dict[str, Any]:
    """Step and layer in focus after a move; within a layer the other stack keeps its own."""
    stays = step.layer is None or now.walk.split(".")[:2] == step.id.split(".")[:2]
    return {"walk": step.id, "layer": now.layer if stays else step.layer}


def select_cell(key: str, index: tuple[int, ...]) -> None:
    """Choose a cell of a wire, by the wire's key, everywhere in the app. For callbacks."""
    trace = on_screen.trace_on_screen()
    wire = Wire.of(key)
    names: list[str] = [axis.name for axis in wire_axes(trace, wire)]
    at = dict(zip(names, index, strict=True))
    store.update(address=wire.address, **fields_of_cell(trace, wire, at))


def remember_event(value: Mapping[str, Any]) -> None:
    """Remember an event; the next `ahead.show` answers it."""
    memory = store.memory()
    memory.walk_heard = (*heard_events(), str(value.get("nonce", "")))[-REMEMBERED:]
    lacks = tuple(str(each) for each in value.get("lacks", ())[:MOST])
    here = str(value.get("step", ""))
    memory.walk_asked = (str(value.get("version", "")), here, lacks)


def go_to_event(value: Mapping[str, Any]) -> None:
    """The same of an event that happened at the step in the browser, which is gone to."""
    remember_event(value)
    if value.get("step", "") not in ("", StepFocus.current().step.id):
        show_step(str(value["step"]))


def heard_events() -> tuple[str, ...]:
    """The numbers of the events heard last."""
    return store.memory().walk_heard


def steps_to_send(focus: StepFocus) -> tuple[str, ...]:
    """Ids of the steps that the browser has not got: of this run alone, and answered once.

    Without a question, and where all that it has is out of date, the step in view.
    """
    version, here, lacks = store.memory().walk_asked
    store.memory().walk_asked = ("", "", ())
    if version == focus.version:
        return tuple(each for each in lacks if step_by_id(focus.every_step, each))
    known = step_by_id(list_steps(on_screen.trace_on_screen()), here)
    return (known.id if known else focus.step.id,)
