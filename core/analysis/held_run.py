"""A run made again with gradients: plain, or with what is not linear held as it was.

With attention weights, norm statistics and the gates of the units held, all that is left of a
Transformer is linear in the words' vectors: what a word adds to a logit is then its vector times
the gradient, exactly. What is held goes on as the run computed it, without a gradient: by edits on
the tape, the model itself is not touched.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from glassformer.core.config import ModelConfig
from glassformer.core.model.activation import ACTIVATIONS
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.sites import site_at
from glassformer.core.trace.tape import Edit, Recorder
from glassformer.core.trace.trace import Trace

# What is asked of a run: its tensors by address, (B, …) each, to a number a text, (B,).
Metric = Callable[[Mapping[str, Tensor]], Tensor]
LOGITS = "output/logits"


@dataclass(frozen=True)
class Inputs:
    """What a run was made of, so that it can be made again."""

    source: Tensor  # ids (1, S)
    target: Tensor  # ids (1, T)
    segments: Tensor | None
    dropout: Mapping[str, Tensor]  # what dropout kept, by address; {} of a run without

    @staticmethod
    def of(trace: Trace) -> "Inputs":
        """The inputs of a recorded run.

        Args:
            trace: the run; its first sentence is read.

        Returns:
            Its ids, as the model takes them, and its dropout masks.
        """
        ids = [trace[f"{side}/ids"][:1] for side in ("source", "target") if f"{side}/ids" in trace]
        segments = ids[0].new_tensor(trace.segments) if trace.segments else None
        kept = {name: trace[name] for name in trace.tensors if site_at(name).training_only}
        return Inputs(ids[0], ids[-1], segments, kept)


def hold_edits(config: ModelConfig) -> tuple[Edit, ...]:
    """The edits that hold what is not linear: attention weights, norm statistics, gates.

    A unit's gate is its activation over what it is the activation of (for ReLU, 0 or 1); of gated
    networks (Shazeer 2020) it is the activation, the other factor stays linear. For one run: the
    edits remember what came before an activation.

    Args:
        config: of the model.

    Returns:
        Edits that leave every number as it is and let no gradient through what is held.
    """
    statistic = "mean_square" if config.norm_kind == "rms" else "std"
    held = ["*/weights", f"*/{statistic}"]
    edits: list[Edit] = []
    gate = ACTIVATIONS[config.activation].gate(0.0)
    if config.gated:
        held.append("*/feed_forward/activation")
    else:
        edits += _gate_edits("*/feed_forward/pre_activation", "*/feed_forward/activation", gate)
    if config.head_transform and config.has_generator:
        edits += _gate_edits("output/dense", "output/activation", gate)
    return (*(Edit(address, Tensor.detach) for address in held), *edits)


def _gate_edits(before: str, after: str, at_zero: float) -> list[Edit]:
    """A unit after its activation as the unit before it times a number that is held."""
    kept: list[Tensor] = []

    def keep(unit: Tensor) -> Tensor:
        kept[:] = [unit]
        return unit

    def through_gate(active: Tensor) -> Tensor:
        (unit,) = kept
        shut = unit == 0
        gate = torch.where(shut, at_zero, active / unit.masked_fill(shut, 1.0)).detach()
        # The number itself stays the run's: x / u · u may be another float.
        linear = gate * unit
        return active.detach() + (linear - linear.detach())

    return [Edit(before, keep), Edit(after, through_gate)]


def leaf_edits(addresses: Iterable[str], scale: Tensor | None = None) -> tuple[Edit, ...]:
    """The edits from which gradients start.

    Args:
        addresses: of tensors that gradients are wanted of.
        scale: what they are multiplied by, (B, 1, 1), a factor a text; None for nothing.

    Returns:
        An edit each.
    """

    def begin(value: Tensor) -> Tensor:
        scaled = value if scale is None else value * scale
        return scaled.detach().requires_grad_()

    return tuple(Edit(address, begin) for address in addresses)


def rerun(
    model: Transformer, inputs: Inputs, edits: Sequence[Edit], keep: Iterable[str], texts: int = 1
) -> Mapping[str, Tensor]:
    """Runs the model again with gradients on.

    Args:
        model: the model that made the run; it is not changed, its parameters get no gradient.
        inputs: what the run was made of.
        edits: of the run and beyond.
        keep: addresses that are kept.
        texts: B, how many times the text stands in the batch.

    Returns:
        The kept tensors by address, (B, …), with their graph.

    Raises:
        GlassformerError: as edits do.
    """
    wanted = frozenset(keep)
    drops = [Edit(name, partial(_as_it_was, was)) for name, was in inputs.dropout.items()]
    tape = Recorder((*drops, *edits), wanted.__contains__, 0 if drops else None)
    ids = [each.expand(texts, -1) for each in (inputs.source, inputs.target)]
    with torch.enable_grad():
        model(*ids, tape, inputs.segments)
    tape.finish()
    return tape.tensors


def _as_it_was(was: Tensor, _: Tensor) -> Tensor:
    return was.clone()


def gradients(
    value: Tensor, tensors: Mapping[str, Tensor], addresses: Iterable[str]
) -> dict[str, Tensor]:
    """∂(sum of a value) by ∂(each of some tensors) of one run.

    Args:
        value: a number a text, (B,).
        tensors: of the run that it was computed from.
        addresses: of those that are asked for.

    Returns:
        By address, each in the shape of its tensor; 0 where the value does not depend on it.
    """
    names = [each for each in addresses if tensors[each].requires_grad]
    if not names or not value.requires_grad:
        found: Sequence[Tensor | None] = [None] * len(names)
    else:
        found = torch.autograd.grad(
            value.sum(), [tensors[each] for each in names], allow_unused=True
        )
    zeros = {each: torch.zeros_like(tensors[each]) for each in addresses}
    return zeros | {name: one for name, one in zip(names, found, strict=True) if one is not None}
