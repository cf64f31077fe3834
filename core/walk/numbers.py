"""The formula of a step with this sentence's numbers.

`worked(trace, step, {"head": 0, "query": 3, "key": 1}, weights)` works out one cell. The weights
are the model's own (`model.transformer.state_dict()`): a trace records a run, not the model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from core.trace.trace import Trace
from core.walk import attention_numbers as attention
from core.walk import makers
from core.walk.bench import Bench
from core.walk.steps import Kind, Step
from core.walk.wires import cell
from core.walk.worked import Weights, Worked

_MAKERS: dict[Kind, Callable[[Bench], Worked]] = {
    "lookup": makers.lookup,
    "embedding_scale": makers.embedding_scale,
    "positions": makers.positions,
    "sum": makers.sum_of_two,
    "embedding_dropout": makers.dropout,
    "norm": makers.norm,
    "project": makers.project,
    "split": makers.split,
    "scores": attention.scores,
    "scale": attention.scale,
    "mask": attention.mask,
    "softmax": attention.softmax,
    "weights_dropout": makers.dropout,
    "context": attention.context,
    "concat": makers.concat,
    "output": makers.plain_linear("w_o"),
    "expand": makers.plain_linear("w_1"),
    "activation": attention.activation,
    "hidden_dropout": makers.dropout,
    "contract": makers.plain_linear("w_2"),
    "sublayer_dropout": makers.dropout,
    "residual": makers.sum_of_two,
    "final_norm": makers.norm,
    "memory": makers.memory,
    "logits": makers.plain_linear(""),
    "probabilities": attention.probabilities,
    "choice": attention.choice,
    "given": attention.choice,
}


def worked(
    trace: Trace, step: Step, at: Mapping[str, int], weights: Weights, line: int = 0
) -> Worked:
    """One cell of a step's output, worked out.

    Args:
        trace: the run.
        step: one of its steps.
        at: places by axis name, from 0; an axis that is not named is held at 0.
        weights: the model's parameters by name.
        line: which of the step's outputs.

    Raises `GlassformerError`: `unknown_axis`, or `out_of_range` for a place beyond the end.
    """
    chosen = step.lines[line]
    bench = Bench(trace, weights, step, chosen, cell(trace, chosen.output, at))
    return _MAKERS[step.kind](bench)
