"""Path patching against the same computed by hand, with torch's own functions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from glassformer.core.errors import GlassformerError
from glassformer.core.text_models.batches import run_batch
from glassformer.core.tools.path_patching import path_patch
from glassformer.core.trace.batch import Batch
from glassformer.core.trace.tape import Edit
from tests.tools.small_models import CLEAN, CORRUPT, contrast, exact_model, pair_of

GPT2 = Any  # the Transformer, whose layers are read by hand


def norm(x: Tensor, module: Any) -> Tensor:
    return functional.layer_norm(x, x.shape[-1:], module.gamma, module.beta, module.epsilon)


def heads_of(x: Tensor, linear: Any, count: int) -> Tensor:
    return (
        functional.linear(x, linear.weight, linear.bias).unflatten(-1, (count, -1)).transpose(0, 1)
    )


def attend(layer: Any, x: Tensor, q_reads: Tensor | None = None) -> Tensor:
    """What the heads of a GPT-2 layer mix, (T, D); the queries may read something else."""
    of, count = layer.self_attention, layer.self_attention.config.n_heads
    q = heads_of(x if q_reads is None else q_reads, of.w_q, count)
    k, v = heads_of(x, of.w_k, count), heads_of(x, of.w_v, count)
    mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    return mixed.transpose(0, 1).flatten(1)


def out_of(layer: Any, mixed: Tensor) -> Tensor:
    return functional.linear(mixed, layer.self_attention.w_o.weight, layer.self_attention.w_o.bias)


def feed(layer: Any, x: Tensor) -> Tensor:
    of = layer.feed_forward
    hidden = functional.linear(
        norm(x, layer.feed_forward_residual.norm), of.w_1.weight, of.w_1.bias
    )
    return functional.linear(
        functional.gelu(hidden, approximate="tanh"), of.w_2.weight, of.w_2.bias
    )


def entrance(model: GPT2, ids: tuple[int, ...]) -> Tensor:
    of = model.target_embedding
    return of.table.weight[list(ids)] + of.position_table.weight[: len(ids)]


def end(model: GPT2, x: Tensor) -> Tensor:
    return functional.linear(norm(x, model.decoder.norm), model.generator.weight)


def read(layer: Any, x: Tensor) -> Tensor:
    return norm(x, layer.self_attention_residual.norm)


def test_one_head_to_queries_of_another_layer(tmp_path: Path) -> None:
    """Head 1 of layer 0 reaches head 2's queries of layer 2; layer 1 and the networks are held."""
    model = exact_model("gpt2", tmp_path)
    own: GPT2 = model.transformer
    first, second, third = own.decoder.layers
    x, other = entrance(own, CLEAN), entrance(own, CORRUPT)
    mixed, mixed_other = attend(first, read(first, x)), attend(first, read(first, other))
    width = own.config.d_k
    sent = mixed.clone()
    sent[:, width : 2 * width] = mixed_other[:, width : 2 * width]
    moved = out_of(first, sent) - out_of(first, mixed)
    x = x + out_of(first, mixed)
    x = x + feed(first, x)
    x = x + out_of(second, attend(second, read(second, x)))
    x = x + feed(second, x)  # as it is when nothing is changed
    changed = attend(third, read(third, x), read(third, x + moved))
    plain = attend(third, read(third, x))
    plain[:, 2 * width : 3 * width] = changed[:, 2 * width : 3 * width]
    x = x + out_of(third, plain)
    logits = end(own, x + feed(third, x))
    found = path_patch(
        model, CLEAN, CORRUPT, contrast, senders="decoder/0/self_attention/context#1",
        receivers="decoder/2/self_attention/q#2",
    )  # fmt: skip
    assert found.patched[0] == pytest.approx(float(logits[-1, 3] - logits[-1, 5]), rel=1e-10)
    assert abs(found.effect) > 1e-6


def test_what_enters_reaches_the_logits_past_everything(tmp_path: Path) -> None:
    model = exact_model("gpt2", tmp_path)
    own: GPT2 = model.transformer
    x = entrance(own, CLEAN)
    moved = entrance(own, CORRUPT) - x
    for layer in own.decoder.layers:
        x = x + out_of(layer, attend(layer, read(layer, x)))
        x = x + feed(layer, x)
    logits = end(own, x + moved)
    found = path_patch(
        model, CLEAN, CORRUPT, contrast, senders="target/input", receivers="output/logits"
    )
    assert found.patched[0] == pytest.approx(float(logits[-1, 3] - logits[-1, 5]), rel=1e-10)


def measured(model: Any, text: Any, target: Any, *edits: Edit) -> float:
    targets = None if target is None else [target]
    return float(contrast(run_batch(model, [text], targets=targets, edits=edits))[0])


@pytest.mark.parametrize("kind", ["marian", "t5", "mbart"])
def test_all_that_reads_the_memory_is_the_memory(kind: str, tmp_path: Path) -> None:
    model = exact_model(kind, tmp_path)
    clean, corrupt, target = pair_of(kind)
    donor = run_batch(model, [corrupt], targets=[target])
    expected = measured(model, clean, target, Edit("memory", lambda x: donor["memory"].to(x)))
    found = path_patch(
        model, clean, corrupt, contrast, senders="memory", target=target,
        receivers=["decoder/*/cross_attention/k", "decoder/*/cross_attention/v"],
    )  # fmt: skip
    assert found.patched[0] == pytest.approx(expected, rel=1e-10)
    assert found.clean[0] == pytest.approx(measured(model, clean, target), rel=1e-12)
    assert found.corrupt[0] == pytest.approx(measured(model, corrupt, target), rel=1e-12)


@pytest.mark.parametrize("kind", ["marian", "t5"])
def test_receivers_within_a_sublayer_see_no_other_receiver(kind: str, tmp_path: Path) -> None:
    """What arrives at each does not depend on which others are looked at."""
    model = exact_model(kind, tmp_path)
    clean, corrupt, target = pair_of(kind)
    receivers = [f"decoder/{at}/{part}/output" for at in (1, 2) for part in (
        "self_attention", "cross_attention", "feed_forward")]  # fmt: skip
    asked: dict[str, Any] = {"senders": "decoder/0/self_attention/context", "target": target}
    arrived = {}

    def keep(batch: Batch) -> Tensor:
        arrived.update({each: batch[each].clone() for each in receivers})
        return contrast(batch)

    path_patch(model, clean, corrupt, keep, receivers=receivers, **asked)
    together = dict(arrived)
    for each in receivers:
        path_patch(model, clean, corrupt, keep, receivers=each, **asked)
        torch.testing.assert_close(arrived[each], together[each], rtol=1e-10, atol=1e-12)


def test_several_pairs_are_measured_each_by_itself(tmp_path: Path) -> None:
    model = exact_model("gpt2", tmp_path)
    asked: dict[str, Any] = {"senders": "decoder/0/*/output", "receivers": "decoder/2/*/q"}
    longer, other = (*CLEAN, 9), (*CORRUPT, 11)
    together = path_patch(model, [CLEAN, longer], [CORRUPT, other], contrast_at_end, **asked)
    alone = [
        path_patch(model, one, two, contrast_at_end, **asked)
        for one, two in ((CLEAN, CORRUPT), (longer, other))
    ]
    assert together.patched == pytest.approx([each.patched[0] for each in alone], rel=1e-9)
    assert list(together.table()["effect"]) == pytest.approx([each.effect for each in alone])


def contrast_at_end(batch: Batch) -> Tensor:
    rows = [batch.row(text, -1) for text in range(len(batch))]
    logits = batch["output/logits"][range(len(batch)), rows]
    return logits[:, 3] - logits[:, 5]


@pytest.mark.parametrize(
    ("senders", "key"),
    [
        ("decoder/0/self_attention/contexts", "unknown_address"),
        ("decoder/0/self_attention/mask", "gradient_of_marks"),
        ("decoder/0/self_attention/output#1", "unknown_axis"),
        ("decoder/0/self_attention/context#4", "out_of_range"),
        ("decoder/0/self_attention/context#x", "unknown_address"),
    ],
)
def test_a_place_that_is_not_there_is_a_sentence(senders: str, key: str, tmp_path: Path) -> None:
    with pytest.raises(GlassformerError) as caught:
        path_patch(
            exact_model("gpt2", tmp_path), CLEAN, CORRUPT, contrast, senders=senders,
            receivers="output/logits",
        )  # fmt: skip
    assert caught.value.key == key


def test_texts_of_two_lengths_are_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(GlassformerError) as caught:
        path_patch(
            exact_model("gpt2", tmp_path), CLEAN, CORRUPT[:-1], contrast, senders="target/input",
            receivers="output/logits",
        )  # fmt: skip
    assert caught.value.key == "patching_lengths"
