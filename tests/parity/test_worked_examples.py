"""Every "true" value of the worked examples, computed by core's own functions."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from glassformer.core.config import ModelConfig
from glassformer.core.lab.example_rules import RULES
from glassformer.core.lab.norms import batch_norm_statistics
from glassformer.core.lab.softmax import normalize_scores
from glassformer.core.model.attention import attention_maps
from glassformer.core.model.embedding import dimension_frequency, position_encoding
from glassformer.core.model.layer_norm import LayerNorm
from glassformer.core.model.masks import apply_mask, causal_mask
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.tape import Recorder

EXAMPLES: dict[str, Any] = {
    example["id"]: example
    for example in json.loads(
        Path(__file__).with_name("worked_examples.json").read_text(encoding="utf-8")
    )
}


def example(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    return EXAMPLES[name]["inputs"], EXAMPLES[name]["true"]


def close(found: Tensor, expected: Any) -> None:
    """Equal to the four decimals that the examples print."""
    wanted = torch.tensor(expected, dtype=torch.float64)
    assert found.shape == wanted.shape
    torch.testing.assert_close(found.double(), wanted, atol=6e-5, rtol=6e-5)


def tensor(values: Any) -> Tensor:
    return torch.tensor(values, dtype=torch.float32)


def maps(q: Tensor, k: Tensor) -> tuple[Recorder, Tensor]:
    tape = Recorder()
    everything = torch.ones(1, 1, 1, 1, dtype=torch.bool)
    weights = attention_maps(q, k, everything, "large_negative", tape)
    return tape, weights


def test_positional_encoding_matrix() -> None:
    inputs, true = example("pe-matrix")
    width = inputs["d_model"]
    close(dimension_frequency(torch.arange(0, width, 2), width), true["div_term"])
    close(position_encoding(inputs["max_len"], width), true["pe"])


def test_same_word_at_two_positions() -> None:
    inputs, true = example("pe-same-word")
    table = position_encoding(7, inputs["d_model"])
    for position in inputs["positions"]:
        close(table[position], true[f"pe_{position}"])
        close(tensor(inputs["embedding"]) + table[position], true[f"input_{position}"])


def test_self_attention() -> None:
    inputs, true = example("self-attention-3x4")
    x = tensor(inputs["X"])
    q, k, v = (x @ tensor(inputs[name]) for name in ("W_Q", "W_K", "W_V"))
    close(q, true["Q"])
    close(k, true["K"])
    close(v, true["V"])
    tape, weights = maps(q[None, None], k[None, None])
    close(tape.tensors["scores"][0, 0], true["scores"])
    close(tape.tensors["scaled"][0, 0], true["scaled"])
    close(weights[0, 0], true["weights"])
    close(weights[0, 0] @ v, true["context"])


def test_softmax_of_a_score_matrix() -> None:
    inputs, true = example("softmax-4x4")
    scores = torch.tensor(inputs["scores"], dtype=torch.float64)
    close(normalize_scores(scores), true["weights"])
    close(scores[0].exp(), true["exp_row_0"])


def test_self_similarity() -> None:
    inputs, true = example("self-similarity-8d")
    x = tensor(inputs["X"])
    tape, weights = maps(x[None, None], x[None, None])
    torch.testing.assert_close(
        tape.tensors["scores"][0, 0], tensor(true["scores"]), atol=6e-4, rtol=0
    )  # the inputs are printed to four decimals, their products hold three
    torch.testing.assert_close(
        normalize_scores(tape.tensors["scores"][0, 0]),
        tensor(true["weights_unscaled"]),
        atol=1e-4,
        rtol=0,
    )
    torch.testing.assert_close(weights[0, 0], tensor(true["weights_scaled"]), atol=1e-4, rtol=0)
    torch.testing.assert_close(weights[0, 0] @ x, tensor(true["context_scaled"]), atol=3e-4, rtol=0)


def test_four_dimensional_attention() -> None:
    inputs, true = example("four-dim-attention")
    full = torch.arange(1, 25, dtype=torch.float32).reshape(inputs["full_shape"])
    close(full[0, 0], inputs["query_sample0_head0"])
    tape, weights = maps(full, full)
    close(tape.tensors["scores"][0, 0], true["scores"])
    close(tape.tensors["scaled"][0, 0], true["scaled"])
    close(weights[0, 0], true["weights"])
    close((weights @ full)[0, 0], true["context"])


@pytest.mark.parametrize("formula", ["population", "sample"])
def test_layer_norm(formula: str) -> None:
    inputs, true = example("layer-norm")
    x = tensor(inputs["x"])
    config = ModelConfig.from_dict(
        {
            "vocabulary_size": 1,
            "d_model": 4,
            "n_heads": 1,
            "norm_formula": formula,
            "norm_epsilon": inputs["eps"],
        }
    )
    tape = Recorder()
    LayerNorm(config)(x, tape)
    close(tape.tensors["mean"].reshape(-1, 1), true["mean"])
    close(tape.tensors["std"].flatten(), [true[f"{formula}_std"]] * 6)
    close(tape.tensors["normalized"].reshape(6, 4), [true[f"normalised_{formula}"]] * 6)


def test_batch_norm_averages_another_axis() -> None:
    inputs, true = example("layer-norm")
    mean, deviation = batch_norm_statistics(tensor(inputs["x"]))
    close(mean, true["batch_norm_mean_per_feature"])
    close(deviation, true["batch_norm_population_std_per_feature"])


def test_alternatives_to_softmax() -> None:
    inputs, true = example("softmax-alternatives")
    scores = tensor(inputs["scores"])
    close(normalize_scores(scores, "softmax"), true["softmax"])
    close(normalize_scores(scores, "relu"), true["relu"])
    close(normalize_scores(scores, "sigmoid"), true["sigmoid"])
    close(normalize_scores(scores, "sigmoid").sum(), true["sigmoid_sum"])
    close(normalize_scores(scores, "l2"), true["l2"])


def test_soft_dictionary() -> None:
    inputs, true = example("soft-dictionary")
    close(
        RULES["soft-dictionary"]({each: tensor(inputs[each]) for each in ("weights", "values")})[
            "value"
        ],
        true["value"],
    )


def test_two_words() -> None:
    inputs, true = example("two-word-weights")
    d_k = inputs["d_k"]
    key = torch.zeros(1, 1, 2, d_k)
    key[..., 0] = tensor(inputs["scores"])
    query = torch.zeros(1, 1, 1, d_k)
    query[..., 0] = 1
    tape, weights = maps(query, key)
    close(tape.tensors["scaled"].flatten(), true["scaled"])
    close(weights.flatten(), true["weights"])


@pytest.mark.parametrize("fill", ["large_negative", "minus_infinity", "additive"])
def test_causal_mask(fill: Any) -> None:
    _, true = example("mask-softmax-3x3")
    scores = torch.randn(1, 1, 3, 3, generator=torch.Generator().manual_seed(0))
    weights = apply_mask(scores, causal_mask(3), fill).softmax(dim=-1)[0, 0]
    for row, pattern in zip(weights, true["weights_pattern"], strict=True):
        for weight, wanted in zip(row.tolist(), pattern, strict=True):
            if isinstance(wanted, str):  # a letter: anything between
                assert 0 < weight < 1
            else:
                assert weight == wanted
        assert float(row.sum()) == pytest.approx(1)


def test_nothing_allowed() -> None:
    inputs, true = example("all-zero-mask")
    scores = torch.randn(1, 1, 1, inputs["T"], generator=torch.Generator().manual_seed(0))
    nothing = torch.zeros(1, 1, 1, inputs["T"], dtype=torch.bool)
    uniform = apply_mask(scores, nothing, "large_negative").softmax(dim=-1)
    close(uniform.flatten(), true["weights_fill_-1e9"])
    assert true["weights_fill_-inf"] == "NaN"
    for fill in ("minus_infinity", "additive"):
        assert apply_mask(scores, nothing, fill).softmax(dim=-1).isnan().all()


def test_shapes() -> None:
    inputs, true = example("shapes-512")
    config = ModelConfig(vocabulary_size=inputs["vocabulary"], d_ff=1024, encoder_layers=1)
    model, tape = Transformer(config), Recorder()
    ids = torch.tensor(inputs["ids"])
    with torch.no_grad():
        model(ids, ids, tape)
        split = model.encoder.layers[0].self_attention.split(tape.tensors["source/input"])
    layer = "encoder/0/self_attention"
    shapes = {
        "embedding": tape.tensors["source/embedding"].shape,
        "split": split.transpose(1, 2).shape,
        "per_head": tape.tensors[f"{layer}/q"].shape,
        "weights": tape.tensors[f"{layer}/weights"].shape,
        "concat": tape.tensors[f"{layer}/concat"].shape,
        "d_ff": tape.tensors["encoder/0/feed_forward/activation"].shape,
        "encoder": tape.tensors["memory"].shape,
        "decoder": tape.tensors["decoder/5/feed_forward_norm/output"].shape,
    }
    assert {name: list(shape) for name, shape in shapes.items()} == true


def test_no_example_is_left_out() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    assert set(EXAMPLES) == set(re.findall(r'= example\("([\w-]+)"\)', source))
