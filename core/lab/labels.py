"""Softmax elsewhere: one label of several, or each label for itself by a sigmoid."""

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from glassformer.core.lab.inputs import array, flags
from glassformer.core.lab.softmax import normalize_scores

LOGITS = (2.0, 1.2, -0.5, -1.5)
TRUE = ((1, 1, 0, 0),)


@dataclass(frozen=True)
class Judged:
    """What one of the two functions makes of C logits, and what it costs to be wrong."""

    probabilities: Tensor  # (C,)
    chosen: Tensor  # (C,) bool: softmax, the largest one; sigmoid, all from ½ on
    losses: Tensor  # (C,) nats; their sum is the loss
    gradients: Tensor  # (C,) ∂ loss / ∂ logit, by backpropagation
    least: float  # the loss that no logits can go below

    @property
    def loss(self) -> float:
        """NaN where there is no right label to compare with."""
        return float(self.losses.sum())


@dataclass(frozen=True)
class Labels:
    """The same logits judged both ways."""

    logits: Tensor  # (C,)
    true: Tensor  # (C,) bool, the labels that are right
    softmax: Judged  # cross-entropy; the right labels share 1 among them
    sigmoid: Judged  # binary cross-entropy, label by label


def labels(logits: Any = LOGITS, true: Any = TRUE) -> Labels:
    """Judges the same logits by softmax and by sigmoid.

    Softmax chooses one label of several, sigmoid judges each label for itself.

    Without a right label the losses of the softmax are NaN.

    Args:
        logits: (C,), up to 16.
        true: (1, C) of 0 and 1, any number of them 1: the labels that are right.

    Returns:
        Probabilities, losses and gradients of both, nats.

    Raises:
        GlassformerError: `lab_…`, as `core.lab.inputs`.
    """
    row = array("logits", logits, limit=16)
    right = flags("true", true, 2, (1, row.numel()))[0]
    wanted, many = right.double(), int(right.sum())
    with torch.enable_grad():
        given = row.clone().requires_grad_()
        one = -wanted / many * functional.log_softmax(given, -1)  # 0 / 0: NaN without a label
        several = functional.binary_cross_entropy_with_logits(given, wanted, reduction="none")
        slopes = [torch.autograd.grad(each.sum(), given)[0] for each in (one, several)]
    best = normalize_scores(row) == normalize_scores(row).max()
    return Labels(
        row,
        right,
        Judged(
            normalize_scores(row),
            best,
            one.detach(),
            slopes[0],
            math.log(many) if many else math.nan,
        ),
        Judged(normalize_scores(row, "sigmoid"), row >= 0, several.detach(), slopes[1], 0.0),
    )
