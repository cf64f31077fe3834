"""What the decoder sees at each step: one pass under the mask beside a pass for every step."""

from dataclasses import dataclass

import torch
from torch import Tensor

from glassformer.core.model.masks import causal_mask
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.tape import SILENT, Edit, Recorder

MASK_AT = "decoder/*/self_attention/mask"


@dataclass(frozen=True)
class TargetSteps:
    """A target of T tokens, begin token first; row t is the step that writes what follows it."""

    allowed: Tensor  # (T, T) bool: what each step sees of the target
    masked: Tensor  # (T, V) probabilities: all steps in one pass, under the mask
    alone: Tensor  # (T, V) a pass a step, over what it has read and nothing else
    unmasked: Tensor  # (T, V) one pass with the mask taken away

    @property
    def apart(self) -> Tensor:
        """The largest difference of each step between one pass and its own, (T,)."""
        return (self.masked - self.alone).abs().amax(dim=-1)


def target_steps(model: Transformer, source: Tensor, target: Tensor) -> TargetSteps:
    """Runs a model over a target under the causal mask, step by step, and without the mask.

    Args:
        model: not written to.
        source: (1, S) ids.
        target: (1, T) ids, from the begin token on.

    Returns:
        The probabilities of the next word at each step, all three ways.
    """
    size = target.size(-1)
    off = Recorder((Edit(MASK_AT, torch.ones_like),), keep=lambda _address: False)
    with torch.no_grad():
        alone = [model(source, target[:, : at + 1])[0, -1] for at in range(size)]
        return TargetSteps(
            causal_mask(size)[0, 0],
            model(source, target, SILENT)[0].softmax(dim=-1),
            torch.stack(alone).softmax(dim=-1),
            model(source, target, off)[0].softmax(dim=-1),
        )
