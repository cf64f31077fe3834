"""Every family that can be opened computes what `transformers` computes with the same weights."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from glassformer.core.model.stack import model_of
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.graph import addresses
from glassformer.core.trace.shapes import shape_of_address
from glassformer.core.trace.tape import Recorder
from glassformer.core.weights.model_folder import load_weights, look_into_folder
from tests.weights.oracle import KINDS, WORDS, Answer, ask

LENGTHS = {"short": (7, 5), "one": (1, 1), "long": (200, 200)}

# What float32 may differ by where the same sums are made in another order: of logits as a share of
# the largest. A weight takes over the error of its score: those of T5, which nothing divides by
# √d_k, reach 5 here, and one kind of processor was seen 1.1e-6 apart, others less.
LOGITS, WEIGHTS = 1e-5, 4e-6


def words(kind: str, source: int, target: int, padded: int = 0) -> tuple[Tensor, Tensor, int]:
    """Two sentences, the second with padding at its end, and the padding's id."""
    config = KINDS[kind].config
    pad = config.get("pad_token_id", 0)
    pad = -1 if pad is None or "n_embd" in config else pad
    draw = torch.Generator().manual_seed(source)
    ids = torch.randint(3, WORDS - 2, (2, source), generator=draw)
    goal = torch.randint(3, WORDS - 2, (2, target), generator=draw)
    if "decoder_start_token_id" in config:
        goal[:, 0] = config["decoder_start_token_id"]
    if padded and pad >= 0:
        ids[1, -padded:] = pad
        goal[1, target - min(padded, target - 1) :] = pad
    return ids, goal, pad


def ours(model: Transformer, source: Tensor, target: Tensor) -> Answer:
    tape = Recorder()
    logits = model(source, target, tape)
    maps = {each: tape.tensors[each] for each in tape.tensors if each.endswith("attention/weights")}
    assert list(tape.tensors) == list(addresses(model.config))
    both = source if not model.config.decoder_layers else target
    lengths = source.size(1), both.size(1), len(source)
    for address, tensor in tape.tensors.items():
        assert tuple(tensor.shape) == shape_of_address(model.config, address, *lengths)
    return Answer(logits, maps)


def apart(one: Answer, other: Answer, rows: Tensor) -> tuple[float, float]:
    """The largest differences: of logits, as a share of the largest; of attention weights."""
    difference = (one.logits - other.logits)[rows].abs().max() / other.logits[rows].abs().max()
    assert one.weights.keys() == other.weights.keys()
    weights = max(
        float((one.weights[each] - other.weights[each]).abs().max()) for each in one.weights
    )
    return float(difference), weights


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("length", LENGTHS)
def test_logits_and_attention_are_the_oracles(kind: str, length: str, tmp_path: Path) -> None:
    oracle = KINDS[kind].make(tmp_path)
    model = load_weights(look_into_folder(tmp_path))
    source, target, pad = words(kind, *LENGTHS[length])
    found, told = ours(model, source, target), ask(oracle, source, target, pad)
    rows = torch.ones(told.logits.shape[:2], dtype=torch.bool)
    logits, weights = apart(found, told, rows)
    assert logits <= LOGITS and weights <= WEIGHTS


@pytest.mark.parametrize("kind", [k for k in KINDS if words(k, 2, 2)[2] >= 0])
def test_padding_is_hidden_as_the_oracle_hides_it(kind: str, tmp_path: Path) -> None:
    oracle = KINDS[kind].make(tmp_path)
    model = load_weights(look_into_folder(tmp_path))
    source, target, pad = words(kind, 9, 6, padded=3)
    found, told = ours(model, source, target), ask(oracle, source, target, pad)
    alone = not model.config.decoder_layers
    rows = (source if alone else target) != pad
    rows[:, 0] = True
    for name, each in found.weights.items():  # of rows that are words
        queries = (source if name.startswith("encoder") else target) != pad
        queries[:, 0] = True
        gap = (each - told.weights[name]).abs().amax(dim=(1, 3))
        assert float(gap[queries].max()) <= WEIGHTS, name
    gap = (found.logits - told.logits)[rows].abs().max()
    assert gap <= LOGITS * told.logits[rows].abs().max()


# What a family would be mistaken for, by the field that is wrong. The weights have to fit: without
# its offset a table of positions is longer than `max_length`, which therefore goes with it.
WRONG: dict[str, list[dict[str, Any]]] = {
    "marian": [
        {"positions": "paper"}, {"activation": "gelu"}, {"embedding_scale": False},
        {"norm_epsilon": 1e-1}, {"pad_id": 2}, {"mask_fill": "large_negative", "pad_id": -1},
    ],
    "bart": [
        {"position_offset": 0, "max_length": 258}, {"activation": "relu"}, {"norm_place": "pre"},
    ],
    "m2m100": [
        {"positions": "halves"}, {"position_offset": 0}, {"norm_place": "post"},
        {"embedding_scale": False},
    ],
    "t5": [
        {"score_scale": True}, {"generator_scale": False}, {"relative_distance": 33},
        {"embedding_scale": True}, {"norm_place": "post"},
    ],
    "t5 1.1": [{"activation": "silu"}, {"generator_scale": True}],
    "gpt2": [{"activation": "relu"}, {"embedding_scale": True}, {"norm_place": "post"}],
    "bert": [{"norm_place": "pre"}, {"activation": "relu"}, {"pad_id": -1}],
    "llama 3": [
        {"rotary_scaling": "unscaled"}, {"rotary_base": 5e5}, {"rotary_scaling": "linear"},
        {"rotary_high": 8.0}, {"score_scale": False}, {"positions": "none"},
    ],
    "qwen3": [{"rotary_base": 1e6}, {"norm_place": "post"}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "wrong"), [(kind, wrong) for kind, each in WRONG.items() for wrong in each], ids=str
)
def test_a_wrong_convention_would_be_seen(kind: str, wrong: dict[str, Any], tmp_path: Path) -> None:
    oracle = KINDS[kind].make(tmp_path)
    right = load_weights(look_into_folder(tmp_path))
    other = model_of(replace(right.config, **wrong))
    missing, _ = other.load_state_dict(right.state_dict(), strict=False)
    assert not [name for name in missing if "generator.weight" not in name]
    source, target, pad = words(kind, 40, 40, padded=5)
    rows = (source if not right.config.decoder_layers else target) != pad
    found, told = other(source, target), ask(oracle, source, target, pad).logits
    gap = (found - told)[rows].abs().max() / told[rows].abs().max()
    assert gap >= 1e-3
