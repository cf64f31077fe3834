"""§5.4 Cross-entropy with label smoothing, over the words of the target and not its padding."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from core.model.generator import Generator

TINY = 1e-37  # the least probability whose logarithm is taken
ROWS = 128  # scored together: so many rows of logits stay in the processor's cache


def translation_loss(
    logits: Tensor, target: Tensor, label_smoothing: float, pad_id: int = 0
) -> Tensor:
    """Mean loss a word in nats: logits (B, T, V), target ids (B, T) -> scalar."""
    return cross_entropy(
        logits.flatten(0, 1),  # (B·T, V)
        target.flatten(),
        ignore_index=pad_id,
        label_smoothing=label_smoothing,
    )


def generator_loss(
    x: Tensor, generator: Generator, target: Tensor, label_smoothing: float, pad_id: int = 0
) -> Tensor:
    """`translation_loss` of the generator's logits, from what enters it: x (B, T, D) -> scalar.

    The logits are by far the largest tensor of a training step. Here they are made for a few rows
    at a time, never for padding, and turned into their gradient where they lie.
    """
    words = target != pad_id  # (B, T)
    loss: Tensor = _GeneratorLoss.apply(  # type: ignore[no-untyped-call]
        x[words], generator.weight, generator.bias, target[words], label_smoothing
    )
    return loss


class _GeneratorLoss(torch.autograd.Function):
    """x (N, D), weight (V, D), bias (V,) or None, target (N,) -> scalar."""

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        weight: Tensor,
        bias: Tensor | None,
        target: Tensor,
        label_smoothing: float,
    ) -> Tensor:
        kept, words = 1 - label_smoothing, weight.size(0)
        spread = label_smoothing / words
        all_words = weight.sum(dim=0)  # (D,), what a target that names every word adds up to
        loss = x.new_zeros(())
        gradients = [torch.empty_like(x), torch.zeros_like(weight)]
        ones = x.new_ones(min(ROWS, len(x)))  # (ROWS,)
        bias_gradient = x.new_zeros(words)  # (V,)
        for start in range(0, len(x), ROWS):
            rows, goal = x[start : start + ROWS], target[start : start + ROWS, None]  # (n, D)
            logits = rows @ weight.t() if bias is None else torch.addmm(bias, rows, weight.t())
            p = logits.softmax(dim=-1)  # (n, V)
            log_p = p.gather(1, goal).clamp_(min=TINY).log_()  # (n, 1), of the right words
            total = (logits.gather(1, goal) - log_p).sum()  # of the logarithms of Σ exp(logits)
            loss += spread * (words * total - logits.sum()) - kept * log_p.sum()
            p.scatter_add_(1, goal, p.new_full(goal.shape, -kept))  # d loss / d logits, + spread
            gradients[0][start : start + ROWS] = p @ weight - spread * all_words
            gradients[1].addmm_(p.t(), rows)
            bias_gradient += ones[: len(rows)] @ p
        gradients[1] -= spread * x.sum(dim=0)  # every word's row alike
        bias_gradient -= spread * len(x)
        ctx.save_for_backward(*gradients, bias_gradient if bias is not None else None)
        ctx.words = len(x)
        return loss / len(x)

    @staticmethod
    def backward(ctx: Any, *outer: Tensor) -> tuple[Tensor | None, ...]:
        share = outer[0] / ctx.words
        x, weight, bias = ctx.saved_tensors
        return x * share, weight * share, bias if bias is None else bias * share, None, None
