"""A run as a sequence of steps, in computation order: what the Walkthrough walks through.

A step is the smallest thing that is worth a screen of its own. Its id, such as
`encoder.0.self_attention.scale`, goes into links and stays good as long as the addresses do; its
kind is the key of its texts. Ids count from 0, as addresses do. Dropout has steps only where the
run drops, a norm stands where the model has it (§5.4), and a model without positions computes none.
"""

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from operator import itemgetter
from typing import Literal, cast

from glassformer.core.config import ModelConfig
from glassformer.core.explain.equations import Line, line_of
from glassformer.core.explain.steps.wires import Regrouping, Wire, merge_of, split_of
from glassformer.core.trace.address import Address
from glassformer.core.trace.graph import addresses, inputs
from glassformer.core.trace.sites import site_at
from glassformer.core.trace.trace import Trace

Stage = Literal["source", "encoder", "memory", "target", "decoder", "output"]
Kind = Literal[
    "lookup", "embedding_scale", "positions", "sum", "embedding_dropout",
    "norm", "project", "split", "scores", "scale", "mask", "softmax", "weights_dropout",
    "context", "concat", "output", "expand", "activation", "hidden_dropout", "contract",
    "sublayer_dropout", "residual", "final_norm", "memory",
    "logits", "probabilities", "choice", "given",
    "token_type", "embedding_norm", "head_norms", "rotate", "position_bias", "up", "gate", "dense",
    "dense_activation", "dense_norm", "output_scale",
]  # fmt: skip
_WORDS: dict[Kind, str] = {  # how a kind is written in an id, where it is not its name
    "embedding_scale": "scale", "embedding_dropout": "dropout", "sublayer_dropout": "dropout",
    "final_norm": "norm", "probabilities": "softmax", "given": "choice", "embedding_norm": "norm",
    "dense_norm": "norm", "dense_activation": "activation", "output_scale": "scale",
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


@cache
def steps_of(config: ModelConfig, drops: bool = False, forced: bool = False) -> tuple[Step, ...]:
    """The steps of any run of such a model, with dropout or without, decoded or forced.

    Args:
        config: of the model.
        drops: whether the run has dropout; without a rate in the config it has none.
        forced: whether the target was given (teacher forcing), so that no word is chosen.

    Returns:
        The steps in computation order.
    """
    return tuple(_Walk(config, drops, forced).steps())


@dataclass
class _Walk:
    """Goes through the model once and hands out its steps; what feeds them says the graph."""

    config: ModelConfig
    drops: bool
    forced: bool

    def steps(self) -> Iterator[Step]:
        self.drops = self.drops and self.config.dropout > 0
        kinds = (
            (self._kind(Address.of(each)), each) for each in addresses(self.config, self.drops)
        )
        for kind, found in groupby(kinds, key=itemgetter(0)):
            if kind is not None:
                yield from self._made(kind, [address for _, address in found])
        if not self.config.has_generator:
            return
        chances = "output/probabilities"
        last: Kind = "given" if self.forced else "choice"
        yield self._step(last, Wire(chances, "chosen"), ins=[chances])

    def _kind(self, at: Address) -> Kind | None:
        """What makes a tensor; None for what is only given or passed on."""
        if at.name == "positions" and not self.config.adds_positions:
            return None
        if at.group == "norm" and at.layer is None:
            ends: dict[str, Kind] = {"output": "dense_norm", "encoder": "final_norm"}
            return ends.get(at.stack, "final_norm" if at.stack == "decoder" else "embedding_norm")
        return cast(Kind, site_at(at.text).step) or None

    def _made(self, kind: Kind, made: list[str]) -> Iterator[Step]:
        """The steps of neighbouring tensors: mostly one."""
        at, before = Address.of(made[0]), inputs(self.config, made[0])
        if kind == "embedding_dropout":
            added = Wire(at.sibling("scaled"), "added")
            yield self._step("sum", added, ins=before)
            yield self._step(kind, made[0], at.sibling("input"), ins=[added])
        elif kind.endswith("_dropout"):
            yield self._step(kind, made[0], Wire(made[0], "dropped"), ins=before)
        elif kind == "project":
            joined = [Wire(head, "joined") for head in made]
            yield self._step(kind, *joined)
            yield self._step("split", *made, ins=joined, regroupings=tuple(map(split_of, made)))
        elif kind == "mask":
            entering = inputs(self.config, at.sibling("masked"))[0]
            yield self._step(kind, *made, ins=[entering, *before])
        elif kind == "concat":
            yield self._step(kind, *made, regroupings=(merge_of(*before, *made),))
        elif kind != "sum" or not self.drops:
            yield self._step(kind, *made)

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
        hidden = "gated" if self.config.gated else "activation"
        dropped = {"attention": "weights", "feed_forward": hidden}.get(at.group)
        if not self.drops or not (branch or (dropped and at.name == dropped)):
            return Wire(address)
        return Wire(f"{at.place}_residual/kept" if branch else at.sibling("kept"), "dropped")


def _wire(given: str | Wire) -> Wire:
    return given if isinstance(given, Wire) else Wire(given)


def list_steps(trace: Trace) -> tuple[Step, ...]:
    """Every step of a run, in computation order; the decoder's for all its rows at once.

    Args:
        trace: the run that is read.

    Returns:
        The steps; those of dropout only where the run dropped.
    """
    drops = "source/kept" in trace.tensors
    return steps_of(trace.config, drops, forced=not trace.steps)


def step_by_id(steps: Sequence[Step], step_id: str) -> Step | None:
    """The step of that id, None where this run has none.

    Args:
        steps: of a run.
        step_id: such as `encoder.0.self_attention.scale`; layers count from 0.

    Returns:
        The step or None.
    """
    return next((step for step in steps if step.id == step_id), None)


def nearest_step(steps: Sequence[Step], step_id: str) -> Step:
    """The step of that id, else the one whose id is written most like it; "" is the first.

    The same step of another layer is nearer than any other of the same layer.

    Args:
        steps: of a run, at least one.
        step_id: such as `encoder.0.self_attention.scale`; layers count from 0.

    Returns:
        The step.
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
    """The step that puts an address out; else the first that takes it in.

    Args:
        steps: of a run.
        address: of a recorded tensor.

    Returns:
        The step; None where none does.
    """
    itself = Wire(address)
    for step in steps:
        if itself in step.outputs:
            return step
    return next((step for step in steps if itself in step.inputs), None)


def maker_of(steps: Sequence[Step], wire: Wire) -> Step | None:
    """The step that puts a wire out; None for what no step makes, such as the ids.

    What a layer only passes on (the stream, what enters a sub-layer, the memory that it reads) is
    not a step's own: the step before it made the numbers.

    Args:
        steps: of a run.
        wire: what goes into a step or comes out of it.

    Returns:
        The step or None.
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


def for_layer(steps: Sequence[Step], encoder: int = 0, decoder: int = 0) -> tuple[Step, ...]:
    """The walk through one layer of each stack; a layer beyond the last counts as the last.

    Args:
        steps: of a run.
        encoder: its layer, counted from 0; one below counts as the first.
        decoder: its layer, counted in the same way.

    Returns:
        The steps of these two layers and all that are in no layer, in the order given.
    """
    chosen = {"encoder": encoder, "decoder": decoder}
    for stack in chosen:
        layers = [step.layer for step in steps if step.stage == stack and step.layer is not None]
        chosen[stack] = min(max(chosen[stack], 0), max(layers, default=0))
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


def group_steps(steps: Sequence[Step]) -> tuple[Group, ...]:
    """The steps by stage, layer and sub-layer, in computation order: the map.

    Args:
        steps: of a run, in computation order.

    Returns:
        A group for each run of neighbouring steps at one place.
    """
    places = groupby(steps, key=lambda step: (step.stage, step.layer, step.sublayer))
    return tuple(Group(*where, tuple(found)) for where, found in places)
