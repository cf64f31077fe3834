"""How the notes must have computed what they print wrong: the slip itself, recomputed.

A slip takes an example's inputs and what the notes print; it gives the quantities that follow from
it, so that the screen can show true value, printed value and cause side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from core.lab.comparisons import soft_lookup
from core.lab.layer_norms import layer_norms
from core.lab.measures import attention
from core.model.embedding import frequency

Inputs = Mapping[str, Any]
Values = dict[str, Tensor]
ROUNDED = 0.5e-4  # half a unit of the last decimal that the inputs of self-similarity are given to


def _waves(places: Tensor, slipped: Tensor, width: int) -> Tensor:
    """Sines and cosines of §3.5 whose exponents are `slipped` / D: (N,) and (D / 2,) -> (N, D)."""
    angles = places.double()[:, None] * frequency(slipped, width)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)


def _exponent_halved(inputs: Inputs, _: Inputs) -> Values:
    length, width = inputs["max_len"], inputs["d_model"]
    slipped = torch.arange(width // 2, dtype=torch.float64)  # i where 2i belongs
    places, frequencies = torch.arange(length), frequency(slipped, width)
    angles = places.double()[:, None] * frequencies
    return {"div_term": frequencies, "angles": angles, "pe": _waves(places, slipped, width)}


def _exponent_doubled(inputs: Inputs, _: Inputs) -> Values:
    width, places = inputs["d_model"], inputs["positions"]
    slipped = 2 * torch.arange(0, width, 2, dtype=torch.float64)  # 4i where 2i belongs
    found: Values = {}
    for place, row in zip(places.tolist(), _waves(places, slipped, width), strict=True):
        found[f"pe_{int(place)}"] = row
        found[f"input_{int(place)}"] = inputs["embedding"] + row
    return found


def _rows_of_w_left_out(inputs: Inputs, _: Inputs) -> Values:
    width = min(inputs["W_Q"].shape)  # the first d_k features of each word alone
    q, k, v = (inputs["X"][:, :width] @ inputs[name][:width] for name in ("W_Q", "W_K", "W_V"))
    return {"Q": q, "K": k, "V": v, "scores": attention(q, k)["scores"]}


def _one_hot(inputs: Inputs, _: Inputs) -> Values:
    scores = inputs["scores"]
    return {"weights": functional.one_hot(scores.argmax(dim=-1), scores.size(-1)).double()}


def _weights_made_up(inputs: Inputs, printed: Inputs) -> Values:
    weights = torch.tensor(printed["weights"], dtype=torch.float64)
    v = inputs["query_sample0_head0"]
    return {"context": soft_lookup(weights, v)} if weights.size(1) == v.size(0) else {}


def _numbers_of_the_other_formula(inputs: Inputs, _: Inputs) -> Values:
    found = layer_norms(inputs["x"], epsilon=inputs["eps"]).formula("population", "inside")
    return {"std": found.std.flatten()[0], "normalised": found.normalized[0, 0]}


def _counted_from_one(inputs: Inputs, _: Inputs) -> Values:
    words = inputs["words"]
    often = max(words, key=words.count)
    places = [at + 1 for at, word in enumerate(words) if word == often]
    return {"places": torch.tensor(places).double(), "count": torch.tensor(len(words)).double()}


NOTES_RULES: Mapping[str, Callable[[Inputs, Inputs], Values]] = {
    "pe-matrix": _exponent_halved,
    "pe-same-word": _exponent_doubled,
    "self-attention-3x4": _rows_of_w_left_out,
    "softmax-4x4": _one_hot,
    "four-dim-attention": _weights_made_up,
    "layer-norm": _numbers_of_the_other_formula,
    "word-positions": _counted_from_one,
}


def _rounded_inputs(inputs: Inputs) -> Values:
    """How far x xᵀ can be off because each x is rounded: Σ (|xᵢ| + |yᵢ|) × half a unit."""
    sizes = inputs["X"].abs().sum(dim=1)  # (S,)
    return {"scores": (sizes[:, None] + sizes) * ROUNDED}


SLACK: Mapping[str, Callable[[Inputs], Values]] = {"self-similarity-8d": _rounded_inputs}
