"""A run as a sequence of steps, in computation order: what the Walkthrough walks through.

A step is the smallest thing that is worth a screen of its own. Its id, such as
`encoder.0.self_attention.scale`, goes into links and stays good as long as the addresses do; its
kind is the key of its texts. Ids count from 0, as addresses do. Dropout has steps only where the
run drops, a norm stands where the model has it (§5.4), and a model without positions computes none.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Literal, cast

from core.config import ModelConfig
from core.explain.equations import Line, line_of
from core.explain.steps.wires import Regrouping, Wire, merge_of, split_of
from core.trace.address import Address
from core.trace.graph import Stack, inputs, layer_count, sublayers
from core.trace.trace import Trace

Stage = Literal["source", "encoder", "memory", "target", "decoder", "output"]
Kind = Literal[
    "lookup", "embedding_scale", "positions", "sum", "embedding_dropout",
    "norm", "project", "split", "scores", "scale", "mask", "softmax", "weights_dropout",
    "context", "concat", "output", "expand", "activation", "hidden_dropout", "contract",
    "sublayer_dropout", "residual", "final_norm", "memory",
    "logits", "probabilities", "choice", "given",
]  # fmt: skip
_NORM = ("mean", "std", "normalized", "output")
_WORDS: dict[Kind, str] = {  # how a kind is written in an id, where it is not its name
    "embedding_scale": "scale", "embedding_dropout": "dropout", "sublayer_dropout": "dropout",
    "final_norm": "norm", "probabilities": "softmax", "given": "choice",
}  # fmt: skip


@dataclass(frozen=True)
class Step:
    """One step of the run: what goes in, what comes out, by which equations.

    `layer` and `sublayer` ("" outside of one) say where in the stack; `lines` has one equation for
    each output, with its symbols.
    """

    id: str
    kind: Kind
    stage: Stage
    layer: int | None
    sublayer: str
    inputs: tuple[Wire, ...]
    outputs: tuple[Wire, ...]
    lines: tuple[Line, ...]
    regroupings: tuple[Regrouping, ...] = ()

    @property
    def place(self) -> str:
        """Key of the place: `decoder_cross_attention`, or the stage where it is in no layer."""
        return f"{self.stage}_{self.sublayer}" if self.sublayer else self.stage

    @property
    def text_keys(self) -> tuple[str, str]:
        """Keys of its texts: the one for this place, then the one for its kind anywhere."""
        return f"{self.kind}.{self.place}", self.kind


@cache
def steps_of(config: ModelConfig, drops: bool = False, forced: bool = False) -> tuple[Step, ...]:
    """The steps of any run of such a model, with dropout or without, decoded or forced."""
    return tuple(_Walk(config, drops, forced).steps())


@dataclass
class _Walk:
    """Goes through the model once and hands out its steps; what feeds them says the graph."""

    config: ModelConfig
    drops: bool
    forced: bool

    def steps(self) -> Iterator[Step]:
        self.drops = self.drops and self.config.dropout > 0
        yield from self._input("source")
        yield from self._stack("encoder")
        yield self._step("memory", "memory")
        yield from self._input("target")
        yield from self._stack("decoder")
        yield self._step("logits", "output/logits")
        chances = "output/probabilities"
        yield self._step("probabilities", chances)
        kind: Kind = "given" if self.forced else "choice"
        yield self._step(kind, Wire(chances, "chosen"), ins=[chances])

    def _input(self, side: str) -> Iterator[Step]:
        yield self._step("lookup", f"{side}/embedding")
        yield self._step("embedding_scale", f"{side}/scaled")
        if self.config.positions != "none":
            yield self._step("positions", f"{side}/positions")
        entered = f"{side}/input"
        if not self.drops:
            yield self._step("sum", entered)
            return
        added = Wire(f"{side}/scaled", "added")
        yield self._step("sum", added, ins=inputs(self.config, entered))
        yield self._step("embedding_dropout", f"{side}/kept", entered, ins=[added])

    def _stack(self, stack: Stack) -> Iterator[Step]:
        for layer in range(layer_count(self.config, stack)):
            for name in sublayers(stack):
                yield from self._sublayer(f"{stack}/{layer}/{name}")
        if self.config.final_norm:
            yield self._step("final_norm", *(f"{stack}/norm/{name}" for name in _NORM))

    def _sublayer(self, where: str) -> Iterator[Step]:
        norm = self._step("norm", *(f"{where}_norm/{name}" for name in _NORM))
        if self.config.norm_place == "pre":
            yield norm
        is_attention = Address.of(where).is_attention
        yield from self._attention(where) if is_attention else self._feed_forward(where)
        yield from self._dropout("sublayer_dropout", f"{where}_residual/kept")
        yield self._step("residual", f"{where}_residual/summed")
        if self.config.norm_place == "post":
            yield norm

    def _attention(self, where: str) -> Iterator[Step]:
        heads = [f"{where}/{name}" for name in ("q", "k", "v")]
        joined = [Wire(head, "joined") for head in heads]
        context, concat = f"{where}/context", f"{where}/concat"
        yield self._step("project", *joined)
        yield self._step("split", *heads, ins=joined, regroupings=tuple(map(split_of, heads)))
        yield self._step("scores", f"{where}/scores")
        yield self._step("scale", f"{where}/scaled")
        hidden = [f"{where}/scaled", *inputs(self.config, f"{where}/mask")]
        yield self._step("mask", f"{where}/mask", f"{where}/masked", ins=hidden)
        yield self._step("softmax", f"{where}/weights")
        yield from self._dropout("weights_dropout", f"{where}/kept")
        yield self._step("context", context)
        yield self._step("concat", concat, regroupings=(merge_of(context, concat),))
        yield self._step("output", f"{where}/output")

    def _feed_forward(self, where: str) -> Iterator[Step]:
        yield self._step("expand", f"{where}/pre_activation")
        yield self._step("activation", f"{where}/activation")
        yield from self._dropout("hidden_dropout", f"{where}/kept")
        yield self._step("contract", f"{where}/output")

    def _dropout(self, kind: Kind, kept: str) -> Iterator[Step]:
        if self.drops:
            yield self._step(kind, kept, Wire(kept, "dropped"), ins=inputs(self.config, kept))

    def _step(
        self, kind: Kind, *outs: str | Wire, ins: Sequence[str | Wire] = (),
        regroupings: tuple[Regrouping, ...] = (),
    ) -> Step:  # fmt: skip
        outputs = tuple(map(_wire, outs))
        own = [each.address for each in outputs]
        read = (each for out in own for each in inputs(self.config, out) if each not in own)
        entering = tuple(map(_wire, ins)) or tuple(map(self._left, dict.fromkeys(read)))
        at = Address.of(own[0])
        stage, layer = cast(Stage, at.stack or "memory"), "" if at.layer is None else str(at.layer)
        step_id = ".".join(filter(None, (at.stack, layer, at.sublayer, _WORDS.get(kind, kind))))
        lines = tuple(line_of(self.config, kind, entering, each) for each in outputs)
        return Step(
            step_id, kind, stage, at.layer, at.sublayer, entering, outputs, lines, regroupings
        )

    def _left(self, address: str) -> Wire:
        """What dropout left of a tensor; itself where nothing was dropped."""
        at = Address.of(address)
        branch = at.name == "output" and at.group in ("attention", "feed_forward")
        if not self.drops or not (branch or at.name in ("weights", "activation")):
            return Wire(address)
        return Wire(f"{at.place}_residual/kept" if branch else at.sibling("kept"), "dropped")


def _wire(given: str | Wire) -> Wire:
    return given if isinstance(given, Wire) else Wire(given)


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


def maker_of(steps: Sequence[Step], wire: Wire) -> Step | None:
    """The step that puts a wire out; None for what no step makes, such as the ids.

    What a layer only passes on (the stream, what enters a sub-layer, the memory that it reads) is
    not a step's own: the step before it made the numbers.
    """
    for step in steps:
        if wire in step.outputs:
            return step
    at = Address.of(wire.address)
    if at.name == "memory":
        return next((step for step in steps if step.kind == "memory"), None)
    if at.name in ("stream", "branch_input"):
        return _before(steps, at.sublayer_place)
    found = step_of(steps, wire.address)
    return None if found is None or wire in found.inputs else found


def _before(steps: Sequence[Step], sublayer: str) -> Step | None:
    """The step before a sub-layer's first; its parts are "encoder/0/self_attention"."""
    for before, step in zip((None, *steps), steps, strict=False):
        if f"{step.stage}/{step.layer}/{step.sublayer}" == sublayer:
            return before
    return None


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
    places = groupby(steps, key=lambda step: (step.stage, step.layer, step.sublayer))
    return tuple(Group(*where, tuple(found)) for where, found in places)
