"""The steps of a model, in the order of the computation, as its config and the run ask for them.

Dropout has steps only where the run drops, a norm stands where the model has it (§5.4), and a
model without positions computes none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from core.config import ModelConfig
from core.reading.blocks import Stack, layer_count, sublayers
from core.walk.symbols import Line, lines_of
from core.walk.wires import Regrouping, Wire, merge_of, split_of

Stage = Literal["source", "encoder", "memory", "target", "decoder", "output"]
Kind = Literal[
    "lookup", "embedding_scale", "positions", "sum", "embedding_dropout",
    "norm", "project", "split", "scores", "scale", "mask", "softmax", "weights_dropout",
    "context", "concat", "output", "expand", "activation", "hidden_dropout", "contract",
    "sublayer_dropout", "residual", "final_norm", "memory",
    "logits", "probabilities", "choice", "given",
]  # fmt: skip
_NORM = ("mean", "std", "normalized", "output")


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
    """Goes through the model once and hands out its steps; `stream` is what flows at the moment."""

    config: ModelConfig
    drops: bool
    forced: bool
    stream: str = ""

    def steps(self) -> Iterator[Step]:
        drops = self.drops and self.config.dropout > 0
        self.drops = drops
        yield from self._input("source")
        yield from self._stack("encoder")
        yield self._step("memory", "memory", [self.stream], ["memory"])
        yield from self._input("target")
        yield from self._stack("decoder")
        yield self._step("logits", "output.logits", [self.stream], ["output/logits"])
        chances = "output/probabilities"
        yield self._step("probabilities", "output.softmax", ["output/logits"], [chances])
        kind: Kind = "given" if self.forced else "choice"
        yield self._step(kind, "output.choice", [chances], [Wire(chances, "chosen")])

    def _input(self, side: str) -> Iterator[Step]:
        ids, table, scaled, places, entered = (
            f"{side}/{name}" for name in ("ids", "embedding", "scaled", "positions", "input")
        )
        yield self._step("lookup", f"{side}.lookup", [ids], [table])
        yield self._step("embedding_scale", f"{side}.scale", [table], [scaled])
        if self.config.positions != "none":
            yield self._step("positions", f"{side}.positions", [ids], [places])
        added = Wire(scaled, "added") if self.drops else Wire(entered)
        yield self._step("sum", f"{side}.sum", [scaled, places], [added])
        if self.drops:
            outs = [f"{side}/kept", entered]
            yield self._step("embedding_dropout", f"{side}.dropout", [added], outs)
        self.stream = entered

    def _stack(self, stack: Stack) -> Iterator[Step]:
        for layer in range(layer_count(self.config, stack)):
            for name in sublayers(stack):
                yield from self._sublayer(f"{stack}/{layer}/{name}")
        if self.config.final_norm:
            outs = [f"{stack}/norm/{name}" for name in _NORM]
            yield self._step("final_norm", f"{stack}.norm", [self.stream], outs)
            self.stream = outs[-1]

    def _sublayer(self, where: str) -> Iterator[Step]:
        path, residual = where.replace("/", "."), f"{where}_residual"
        normed = [f"{where}_norm/{name}" for name in _NORM]
        entry = f"{residual}/branch_input"
        if self.config.norm_place == "pre":
            yield self._step("norm", f"{path}.norm", [entry], normed)
            entry = normed[-1]
        inside = self._feed_forward if where.endswith("feed_forward") else self._attention
        yield from inside(where, path, entry)
        branch = Wire(f"{where}/output")
        if self.drops:
            outs = [Wire(f"{residual}/kept"), Wire(f"{residual}/kept", "dropped")]
            yield self._step("sublayer_dropout", f"{path}.dropout", [branch], outs)
            branch = outs[-1]
        self.stream = f"{residual}/summed"
        yield self._step("residual", f"{path}.residual", [f"{residual}/stream", branch],
                         [self.stream])  # fmt: skip
        if self.config.norm_place == "post":
            yield self._step("norm", f"{path}.norm", [self.stream], normed)
            self.stream = normed[-1]

    def _attention(self, where: str, path: str, entry: str) -> Iterator[Step]:
        at = {name: f"{where}/{name}" for name in ("memory", "scores", "scaled", "mask", "masked",
              "weights", "kept", "context", "concat", "output")}  # fmt: skip
        asked = [entry, at["memory"]] if "cross" in where else [entry]
        heads = [f"{where}/{name}" for name in ("q", "k", "v")]
        joined = [Wire(head, "joined") for head in heads]
        read = "target" if where.startswith("decoder") and "cross" not in where else "source"
        yield self._step("project", f"{path}.project", asked, joined)
        yield self._step("split", f"{path}.split", joined, heads, tuple(map(split_of, heads)))
        yield self._step("scores", f"{path}.scores", heads[:2], [at["scores"]])
        yield self._step("scale", f"{path}.scale", [at["scores"]], [at["scaled"]])
        hidden = [at["scaled"], f"{read}/ids"]
        yield self._step("mask", f"{path}.mask", hidden, [at["mask"], at["masked"]])
        yield self._step("softmax", f"{path}.softmax", [at["masked"]], [at["weights"]])
        weights = Wire(at["weights"])
        if self.drops:
            outs = [Wire(at["kept"]), Wire(at["kept"], "dropped")]
            yield self._step("weights_dropout", f"{path}.weights_dropout", [weights], outs)
            weights = outs[-1]
        yield self._step("context", f"{path}.context", [weights, heads[2]], [at["context"]])
        merged = (merge_of(at["context"], at["concat"]),)
        yield self._step("concat", f"{path}.concat", [at["context"]], [at["concat"]], merged)
        yield self._step("output", f"{path}.output", [at["concat"]], [at["output"]])

    def _feed_forward(self, where: str, path: str, entry: str) -> Iterator[Step]:
        before, after = f"{where}/pre_activation", Wire(f"{where}/activation")
        yield self._step("expand", f"{path}.expand", [entry], [before])
        yield self._step("activation", f"{path}.activation", [before], [after])
        if self.drops:
            outs = [Wire(f"{where}/kept"), Wire(f"{where}/kept", "dropped")]
            yield self._step("hidden_dropout", f"{path}.hidden_dropout", [after], outs)
            after = outs[-1]
        yield self._step("contract", f"{path}.contract", [after], [f"{where}/output"])

    def _step(
        self, kind: Kind, step_id: str, ins: Sequence[str | Wire], outs: Sequence[str | Wire],
        regroupings: tuple[Regrouping, ...] = (),
    ) -> Step:  # fmt: skip
        inputs, outputs = (
            tuple(each if isinstance(each, Wire) else Wire(each) for each in side)
            for side in (ins, outs)
        )
        stage, *rest = step_id.split(".")
        layer = int(rest[0]) if len(rest) == 3 else None
        sublayer = rest[1] if len(rest) == 3 else ""
        lines = lines_of(self.config, kind, inputs, outputs)
        return Step(step_id, kind, stage, layer, sublayer, inputs, outputs, lines, regroupings)  # type: ignore[arg-type]
