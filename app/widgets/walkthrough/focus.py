"""What the panels of the Walkthrough share: the steps, the one in view, and the chosen cell.

The step is `walk` of the state. The cell comes from the one selection of all pages (token, query,
key, head, feature), so that it stays the same number's way through all the steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any, cast

from app import service, state
from app.widgets.focus import OnScreen
from core.reading.attention_views import Kind
from core.reading.blocks import Stack, layer_count
from core.trace.trace import Trace
from core.walk.places import Chosen, Pair, Places, in_heads, kind_of
from core.walk.steps import Step, for_layer, nearest, neighbours, step_by_id, walk
from core.walk.wires import Cell, Wire, axes
from core.walk.worked import Weights

STACKS: tuple[Stack, Stack] = ("encoder", "decoder")


@dataclass(frozen=True)
class Focus(OnScreen):
    """One step of the run on screen, with everything that the panels draw of it."""

    @cached_property
    def every_step(self) -> tuple[Step, ...]:
        """All steps of the run, of all layers."""
        return walk(self.trace)

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The walk: through the chosen layer of each stack."""
        return for_layer(self.every_step, self.layer("encoder"), self.layer("decoder"))

    @cached_property
    def step(self) -> Step:
        """The step in view; where the run has none of that id, the nearest."""
        return nearest(self.every_step, self.now.walk)

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

    def at_step(self, step: Step) -> Focus:
        """The same with another step in view, as `go` would leave it."""
        return replace(self, now=replace(self.now, **_moved(self.now, step)))

    @property
    def neighbours(self) -> tuple[Step | None, Step | None]:
        """The step before and the one after, None at the ends."""
        return neighbours(self.steps, self.step.id)

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
        after = self.neighbours[1]
        if self.step.layer is None or (after is not None and after.layer is not None):
            return 0
        return self.layers(self.step.stage) - 1 - self.step.layer

    @cached_property
    def places(self) -> Places:
        """The cell of every tensor that belongs to the selection."""
        now = self.now
        side, place = now.token or ("", None)
        return Places(
            self.trace,
            Chosen(
                source=place if side == "source" else None,
                target=place if side == "target" else None,
                kind=cast(Kind, now.kind),
                query=now.query,
                key=now.key,
                head=now.head,
                feature=now.feature,
            ),
        )

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

    @property
    def worked_at(self) -> Mapping[str, int]:
        """The chosen cell, as `core.walk.numbers.worked(…, at=…, line=focus.line)` takes it."""
        return self.at(self.output)

    def cell(self, wire: Wire) -> Cell:
        """The chosen cell of a wire."""
        at = self.at(wire)
        return Cell(wire, tuple(at[axis.name] for axis in axes(self.trace, wire)))

    @property
    def pair(self) -> Pair | None:
        """Head, query and key of the step's attention; None in a step of no attention."""
        if not self.step.sublayer.endswith("attention"):
            return None
        where = f"{self.step.stage}/{self.step.layer}/{self.step.sublayer}"
        return self.places.pair(where)

    @property
    def weights(self) -> Weights:
        """The parameters of the model that made the run, by name."""
        model = service.model_on_screen()
        return model.transformer.state_dict()

    def _projected_row(self, wire: Wire) -> int:
        """Whose row of what enters is projected: the query's, or the key's for K and V."""
        pair = self.pair
        assert pair is not None
        reads_memory = wire.address.endswith("/memory")
        return (
            pair.key if reads_memory or (self.line and len(self.step.inputs) == 1) else pair.query
        )


def go(step_id: str, **changes: object) -> None:
    """Show another step; its layer becomes the one in focus. For callbacks and links.

    changes: of other fields of the state, made at the same time. An id that the run does not have
    changes nothing.
    """
    step = step_by_id(walk(service.on_screen()), step_id)
    if step is not None:
        state.update(**_moved(state.get_state(), step), **changes)


def _moved(now: state.State, step: Step) -> dict[str, Any]:
    """Step and layer in focus after a move; within a layer the other stack keeps its own."""
    stays = step.layer is None or now.walk.split(".")[:2] == step.id.split(".")[:2]
    return {"walk": step.id, "layer": now.layer if stays else step.layer}


def select(key: str, index: tuple[int, ...]) -> None:
    """Choose a cell of a wire, by the wire's key, everywhere in the app. For callbacks."""
    trace = service.on_screen()
    wire = Wire.of(key)
    names: list[str] = [axis.name for axis in axes(trace, wire)]
    at = dict(zip(names, index, strict=True))
    state.update(address=wire.address, **selected(trace, wire, at))


def selected(trace: Trace, wire: Wire, at: Mapping[str, int]) -> dict[str, object]:
    """The fields of the state that a cell of a wire stands for: its place on each axis, by name."""
    where = wire.address.rpartition("/")[0]
    found: dict[str, object] = {}
    if "head" in at:
        found["head"] = at["head"]
    for axis in ("feature", "head_feature", "hidden"):
        if axis in at:
            found["feature"] = at[axis]
    if "feature" in at and in_heads(wire):
        found["head"], found["feature"] = divmod(at["feature"], trace.config.d_k)
    return found | _words(wire, where, at)


def _words(wire: Wire, where: str, at: Mapping[str, int]) -> dict[str, object]:
    """Words and pairs: a map's cell is a pair, a row of anything else is a word."""
    now = state.get_state()
    own = "target" if wire.address.startswith(("target", "decoder", "output")) else "source"
    kind = kind_of(where)
    if where.endswith("attention") and {"query", "key"} & set(at):
        kept = {"query": now.query, "key": now.key} if kind == now.kind else {}
        row = at.get("query", kept.get("query"))
        token = now.token if row is None else (own, row)
        return {**kept, "kind": kind, "token": token,
                **{name: at[name] for name in ("query", "key") if name in at}}  # fmt: skip
    if "position" not in at:
        return {}
    side = "source" if wire.address.endswith("memory") else own
    return _word(now, side, at["position"])


def _word(now: state.State, side: str, place: int) -> dict[str, object]:
    """A word of one side; the pair that the selection holds moves with it where it can."""
    if side == "source" and now.kind == "cross":
        return {"token": (side, place), "key": place}
    mine = now.kind == "encoder" if side == "source" else now.kind != "encoder"
    return {"token": (side, place), "query": place if mine else now.query}
