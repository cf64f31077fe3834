"""The worked examples by core's own functions, and the slips of the notes, recomputed.

A rule takes an example's inputs, read and checked, and gives its quantities in order. A slip takes
what the notes print, too, and gives the quantities that follow from how the notes must have
computed, so that the screen can show true value, printed value and cause side by side.
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from glassformer.core.config import ModelConfig
from glassformer.core.lab.norms import batch_norm_statistics, layer_norms
from glassformer.core.lab.parts import attention_stages, build_unfilled
from glassformer.core.lab.softmax import normalize_scores
from glassformer.core.model.attention import MultiHeadAttention
from glassformer.core.model.embedding import dimension_frequency, position_encoding
from glassformer.core.model.masks import apply_mask, causal_mask, padding_mask, target_mask
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.tape import Recorder

Inputs = Mapping[str, Any]
Values = dict[str, Tensor]
ROUNDED = 0.5e-4  # half a unit of the last decimal that the inputs of self-similarity are given to


def _shapes(inputs: Inputs) -> Values:
    """Shapes for `ids`, `vocabulary`, `d_model`, `heads` and `d_ff`, each a row of whole numbers.

    One layer of each stack really runs; further layers have the same shapes.
    """
    config = ModelConfig(
        vocabulary_size=inputs["vocabulary"],
        d_model=inputs["d_model"],
        n_heads=inputs["heads"],
        encoder_layers=1,
        decoder_layers=1,
        d_ff=inputs["d_ff"],
        share_embeddings=True,
        tie_generator=True,
    )
    ids, tape = inputs["ids"].long(), Recorder()
    model = build_unfilled(lambda: Transformer(config))  # any numbers will do
    attention = build_unfilled(lambda: MultiHeadAttention(config))
    with torch.no_grad():
        memory = model.encode(ids, tape)  # (B, S, D)
        masks = target_mask(ids, config.pad_id), padding_mask(ids, config.pad_id)
        x = model.target_embedding(ids, tape / "target")  # (B, T, D)
        model.decoder(x, memory, *masks, tape / "decoder")
        heads = attention.split(tape.tensors["source/input"])  # (B, H, S, K)
    layer = "encoder/0/self_attention"
    found = {
        "embedding": tape.tensors["source/embedding"],
        "split": heads.transpose(1, 2),
        "per_head": tape.tensors[f"{layer}/q"],
        "weights": tape.tensors[f"{layer}/weights"],
        "concat": tape.tensors[f"{layer}/concat"],
        "d_ff": tape.tensors["encoder/0/feed_forward/activation"],
        "encoder": memory,
        "decoder": tape.tensors["decoder/0/feed_forward_norm/output"],
    }
    return {name: torch.tensor(value.shape) for name, value in found.items()}


def _position_matrix(inputs: Inputs) -> Values:
    length, width = inputs["max_len"], inputs["d_model"]
    table = position_encoding(length, width)
    return _angles(torch.arange(0, width, 2), length, width) | {"pe": table}


def _angles(exponents: Tensor, length: int, width: int) -> Values:
    """Frequencies (D / 2,), and positions times these, (max_len, D / 2)."""
    frequencies = dimension_frequency(exponents, width)
    return {"div_term": frequencies, "angles": torch.arange(length).double()[:, None] * frequencies}


def _same_word(inputs: Inputs) -> Values:
    places = [int(each) for each in inputs["positions"].tolist()]
    table = position_encoding(max(places) + 1, inputs["d_model"]).double()
    found = {f"pe_{place}": table[place] for place in places}
    return found | {f"input_{place}": inputs["embedding"] + table[place] for place in places}


def _self_attention(inputs: Inputs) -> Values:
    q, k, v = (inputs["X"] @ inputs[name] for name in ("W_Q", "W_K", "W_V"))
    return {"Q": q, "K": k, "V": v} | _attended(q, k, v)


def _attended(q: Tensor, k: Tensor, v: Tensor) -> Values:
    stages = attention_stages(q, k)
    kept = {name: stages[name] for name in ("scores", "scaled", "weights")}
    return kept | {"context": stages["weights"] @ v}


def _softmax(inputs: Inputs) -> Values:
    powers = inputs["scores"][0].exp()
    found = {"weights": normalize_scores(inputs["scores"]), "exp_row_0": powers}
    return found | dict(zip(("e_to_s_00", "e_to_s_01"), powers, strict=False))


def _self_similarity(inputs: Inputs) -> Values:
    x = inputs["X"]
    stages = attention_stages(x, x)
    return {
        "scores": stages["scores"],
        "weights_unscaled": normalize_scores(stages["scores"]),
        "weights_scaled": stages["weights"],
        "context_scaled": stages["weights"] @ x,
    }


def _four_axes(inputs: Inputs) -> Values:
    sizes = [int(each) for each in inputs["full_shape"].tolist()]
    many = int(torch.tensor(sizes).prod())
    full = torch.arange(1, many + 1, dtype=torch.float64).reshape(sizes)  # (B, H, S, K)
    full[0, 0] = inputs["query_sample0_head0"]
    return _attended(*[full[0, 0]] * 3)


def _layer_norm(inputs: Inputs) -> Values:
    found = layer_norms(inputs["x"], epsilon=inputs["eps"])
    population = found.formulas["population", "inside"]
    sample = found.formulas["sample", "outside"]
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
    sigmoid = normalize_scores(scores, "sigmoid")
    return {
        "softmax": normalize_scores(scores, "softmax"),
        "relu": normalize_scores(scores, "relu"),
        "sigmoid": sigmoid,
        "sigmoid_sum": sigmoid.sum(),
        "l2": normalize_scores(scores, "l2"),
    }


def _two_words(inputs: Inputs) -> Values:
    scores, width = inputs["scores"], inputs["d_k"]
    k = torch.zeros(len(scores), width, dtype=scores.dtype)
    k[:, 0] = scores  # q · k is the score: q is 1 in the first dimension, 0 in the others
    stages = attention_stages(torch.eye(1, width, dtype=scores.dtype), k)
    return {name: stages[name][0] for name in ("scaled", "weights")}


def _causal(inputs: Inputs) -> Values:
    scores = inputs["scores"]
    mask = causal_mask(len(scores))
    masked = apply_mask(scores[None, None], mask, "large_negative")[0, 0]
    return {"allowed": mask[0, 0].double(), "masked": masked, "weights": normalize_scores(masked)}


def _nothing_allowed(inputs: Inputs) -> Values:
    many = inputs["T"]
    scores = torch.arange(many, dtype=torch.float64)[None, None, None]  # any: no two are alike
    nothing = torch.zeros(1, 1, 1, many, dtype=torch.bool)
    large, infinite = (
        normalize_scores(apply_mask(scores, nothing, fill))[0, 0, 0]
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
    "soft-dictionary": lambda given: {"value": (given["weights"] @ given["values"][:, None])[0]},
    "two-word-weights": _two_words,
    "mask-softmax-3x3": _causal,
    "all-zero-mask": _nothing_allowed,
    "shapes-512": _shapes,
    "word-positions": _word_positions,
}


def _waves(places: Tensor, slipped: Tensor, width: int) -> Tensor:
    """Sines and cosines of §3.5 whose exponents are `slipped` / D: (N,) and (D / 2,) -> (N, D)."""
    angles = places.double()[:, None] * dimension_frequency(slipped, width)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)


def _exponent_halved(inputs: Inputs, _: Inputs) -> Values:
    length, width = inputs["max_len"], inputs["d_model"]
    slipped = torch.arange(width // 2, dtype=torch.float64)  # i where 2i belongs
    table = _waves(torch.arange(length), slipped, width)
    return _angles(slipped, length, width) | {"pe": table}


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
    return {"Q": q, "K": k, "V": v, "scores": attention_stages(q, k)["scores"]}


def _one_hot(inputs: Inputs, _: Inputs) -> Values:
    scores = inputs["scores"]
    return {"weights": functional.one_hot(scores.argmax(dim=-1), scores.size(-1)).double()}


def _weights_made_up(inputs: Inputs, printed: Inputs) -> Values:
    weights = torch.tensor(printed["weights"], dtype=torch.float64)
    v = inputs["query_sample0_head0"]
    return {"context": weights @ v} if weights.size(1) == v.size(0) else {}


def _numbers_of_the_other_formula(inputs: Inputs, _: Inputs) -> Values:
    found = layer_norms(inputs["x"], epsilon=inputs["eps"]).formulas["population", "inside"]
    return {"std": found.std.flatten()[0], "normalised": found.normalized[0, 0]}


def _counted_from_one(inputs: Inputs, _: Inputs) -> Values:
    places, words = _word_positions(inputs)["places"] + 1, len(inputs["words"])
    return {"places": places.double(), "count": torch.tensor(words).double()}


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
