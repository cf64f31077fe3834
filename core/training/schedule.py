"""§5.3 The learning rate, equation (3), with a linear end."""

from __future__ import annotations

from core.training.recipe import Recipe


def learning_rate(step: int, recipe: Recipe) -> float:
    """The rate of a step, counted from 1: d^−½ · min(step^−½, step · warmup^−3/2)."""
    noam: float = min(step**-0.5, step * recipe.warmup**-1.5) * recipe.d_model**-0.5
    left = (recipe.steps - step + 1) / max(1.0, recipe.steps * recipe.decay)
    return recipe.learning_rate * noam * min(1.0, left)
