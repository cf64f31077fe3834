"""The worked examples by core's own functions.

A rule takes an example's inputs, read and checked, and gives its quantities in order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from core.lab.comparisons import batch_norm_statistics, shares, soft_lookup
from core.lab.example_shapes import shapes
from core.lab.layer_norms import layer_norms
from core.lab.measures import attention
from core.model.embedding import frequency, position_encoding
from core.model.masks import apply_mask, causal_mask

Inputs = Mapping[str, Any]
Values = dict[str, Tensor]


def _position_matrix(inputs: Inputs) -> Values:
    length, width = inputs["max_len"], inputs["d_model"]
    frequencies = frequency(torch.arange(0, width, 2), width)  # (D / 2,)
    angles = torch.arange(length).double()[:, None] * frequencies  # (max_len, D / 2)
    return {"div_term": frequencies, "angles": angles, "pe": position_encoding(length, width)}


def _same_word(inputs: Inputs) -> Values:
    places = [int(each) for each in inputs["positions"].tolist()]
    table = position_encoding(max(places) + 1, inputs["d_model"]).double()
    found = {f"pe_{place}": table[place] for place in places}
    return found | {f"input_{place}": inputs["embedding"] + table[place] for place in places}


def _self_attention(inputs: Inputs) -> Values:
    x = inputs["X"]
    return _attended(*(x @ inputs[name] for name in ("W_Q", "W_K", "W_V")))


def _attended(q: Tensor, k: Tensor, v: Tensor) -> Values:
    stages = attention(q, k)
    kept = {name: stages[name] for name in ("scores", "scaled", "weights")}
    return {"Q": q, "K": k, "V": v, **kept, "context": soft_lookup(stages["weights"], v)}


def _softmax(inputs: Inputs) -> Values:
    powers = inputs["scores"][0].exp()
    found = {"weights": shares(inputs["scores"]), "exp_row_0": powers}
    return found | {f"e_to_s_0{at}": each for at, each in enumerate(powers[:2])}


def _self_similarity(inputs: Inputs) -> Values:
    x = inputs["X"]
    stages = attention(x, x)
    return {
        "scores": stages["scores"],
        "weights_unscaled": shares(stages["scores"]),
        "weights_scaled": stages["weights"],
        "context_scaled": soft_lookup(stages["weights"], x),
    }


def _four_axes(inputs: Inputs) -> Values:
    sizes = [int(each) for each in inputs["full_shape"].tolist()]
    many = int(torch.tensor(sizes).prod())
    full = torch.arange(1, many + 1, dtype=torch.float64).reshape(sizes)  # (B, H, S, K)
    full[0, 0] = inputs["query_sample0_head0"]
    stages = _attended(full[0, 0], full[0, 0], full[0, 0])
    return {name: stages[name] for name in ("scores", "scaled", "weights", "context")}


def _layer_norm(inputs: Inputs) -> Values:
    found = layer_norms(inputs["x"], epsilon=inputs["eps"])
    population = found.formula("population", "inside")
    sample = found.formula("sample", "outside")
    mean, deviation = batch_norm_statistics(inputs["x"])
    return {
        "mean": population.mean.reshape(-1, 1),
        "population_std": population.std.flatten(),
        "sample_std": sample.std.flatten(),
        "std": sample.std.flatten()[0],  # what the code beside the printed number computes
        "normalised": sample.normalized[0, 0],
        "normalised_population": population.normalized.flatten(0, 1),
        "normalised_sample": sample.normalized.flatten(0, 1),
        "batch_norm_mean_per_feature": mean,
        "batch_norm_population_std_per_feature": deviation,
    }


def _alternatives(inputs: Inputs) -> Values:
    scores = inputs["scores"]
    sigmoid = shares(scores, "sigmoid")
    return {
        "softmax": shares(scores, "softmax"),
        "relu": shares(scores, "relu"),
        "sigmoid": sigmoid,
        "sigmoid_sum": sigmoid.sum(),
        "l2": shares(scores, "l2"),
    }


def _dictionary(inputs: Inputs) -> Values:
    return {"value": soft_lookup(inputs["weights"], inputs["values"][:, None])[0]}


def _two_words(inputs: Inputs) -> Values:
    scores, width = inputs["scores"], inputs["d_k"]
    k = torch.zeros(len(scores), width, dtype=scores.dtype)
    k[:, 0] = scores  # q · k is the score: q is 1 in the first dimension, 0 in the others
    stages = attention(torch.eye(1, width, dtype=scores.dtype), k)
    return {name: stages[name][0] for name in ("scaled", "weights")}


def _causal(inputs: Inputs) -> Values:
    scores = inputs["scores"]
    mask = causal_mask(len(scores))
    masked = apply_mask(scores[None, None], mask, "large_negative")[0, 0]
    return {"allowed": mask[0, 0].double(), "masked": masked, "weights": shares(masked)}


def _nothing_allowed(inputs: Inputs) -> Values:
    many = inputs["T"]
    scores = torch.arange(many, dtype=torch.float64)[None, None, None]  # any: no two are alike
    nothing = torch.zeros(1, 1, 1, many, dtype=torch.bool)
    large, infinite = (
        shares(apply_mask(scores, nothing, fill))[0, 0, 0]
        for fill in ("large_negative", "minus_infinity")
    )
    return {"weights_fill_-1e9": large, "weights_fill_-inf": infinite}


def _word_positions(inputs: Inputs) -> Values:
    words, together = inputs["words"], inputs["together"]
    often = max(words, key=words.count)  # the first one that stands most often
    places = [at for at, word in enumerate(words) if word == often]
    spans = [
        end - start - 1
        for start in range(len(words))
        for end in range(start + 2, len(words) + 1)
        if "".join(words[start:end]) == together
    ]
    return {"places": torch.tensor(places), "count": torch.tensor(len(words) - sum(spans))}


RULES: Mapping[str, Callable[[Inputs], Values]] = {
    "pe-matrix": _position_matrix,
    "pe-same-word": _same_word,
    "self-attention-3x4": _self_attention,
    "softmax-4x4": _softmax,
    "self-similarity-8d": _self_similarity,
    "four-dim-attention": _four_axes,
    "layer-norm": _layer_norm,
    "softmax-alternatives": _alternatives,
    "soft-dictionary": _dictionary,
    "two-word-weights": _two_words,
    "mask-softmax-3x3": _causal,
    "all-zero-mask": _nothing_allowed,
    "shapes-512": shapes,
    "word-positions": _word_positions,
}
