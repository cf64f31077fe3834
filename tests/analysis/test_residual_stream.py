"""Lengths and directions along depth, against the model run again layer by layer in plain torch."""

from typing import Any

import pytest
import torch
from torch import Tensor

from glassformer.core.analysis.residual_stream import additions, stream_depth
from glassformer.core.model.masks import padding_mask, target_mask
from glassformer.core.trace.graph import states
from glassformer.core.trace.tape import SILENT
from tests.seeded_runs import CONVENTIONS, RUN_NAMES, all_runs, bundled_run, seeded_run

STACKS = ("encoder", "decoder")


def norm(x: Tensor, layer_norm: Any, config: Any) -> Tensor:
    """Layer norm written out again."""
    centred = x - x.mean(-1, keepdim=True)
    if config.norm_formula == "sample":
        scale = x.std(-1, keepdim=True) + config.norm_epsilon
    else:
        scale = (x.var(-1, keepdim=True, correction=0) + config.norm_epsilon).sqrt()
    return layer_norm.gamma * centred / scale + layer_norm.beta


def walked(trace: Any, model: Any, stack: Any) -> tuple[list[Tensor], list[tuple[Tensor, Tensor]]]:
    """The states (T, D) and the pairs (stream, added), computed without the recorded ones."""
    config, found, pairs = trace.config, [], []
    source, target = trace["source/ids"], trace["target/ids"]
    ids = source if stack == "encoder" else target
    masks = padding_mask(source, config.pad_id), target_mask(target, config.pad_id)
    embedding = model.source_embedding if stack == "encoder" else model.target_embedding
    x, memory = embedding(ids), trace["memory"]
    found.append(x[0])
    for layer in getattr(model, stack).layers:
        parts = {
            "self_attention": lambda y, a=layer.self_attention: a(y, y, masks[stack == "decoder"]),
            "feed_forward": layer.feed_forward,
        }
        if stack == "decoder":
            cross = lambda y, a=layer.cross_attention: a(y, memory, masks[0])  # noqa: E731
            parts = {
                "self_attention": parts["self_attention"],
                "cross_attention": cross,
                "feed_forward": parts["feed_forward"],
            }
        for name, part in parts.items():
            own = getattr(layer, f"{name}_residual").norm
            pre = config.norm_place == "pre"
            added = part(norm(x, own, config) if pre else x)
            pairs.append((x[0], added[0]))
            x = x + added if pre else norm(x + added, own, config)
            found.append(x[0])
    if config.final_norm:
        found.append(norm(x, getattr(model, stack).norm, config)[0])
    return found, pairs


@pytest.mark.parametrize("run", all_runs(), ids=RUN_NAMES)
@pytest.mark.parametrize("stack", STACKS)
def test_depth(run: Any, stack: Any) -> None:
    trace, model = run()
    expected, _ = walked(trace, model, stack)
    found = stream_depth(trace, stack)
    assert found.lengths.shape == (len(expected), len(found.tokens)) == (
        len(found.states), len(trace.axes(found.states[0].address)[1].labels or ())
    )  # fmt: skip
    for n, x in enumerate(expected):
        assert found.lengths[n] == pytest.approx(x.norm(dim=-1).numpy(), rel=1e-4)
        final = torch.cosine_similarity(x, expected[-1], dim=-1)
        assert found.to_final[n] == pytest.approx(final.numpy(), abs=1e-4)
    assert found.to_final[-1] == pytest.approx(1)


@pytest.mark.parametrize("run", all_runs(), ids=RUN_NAMES)
@pytest.mark.parametrize("stack", STACKS)
def test_additions(run: Any, stack: Any) -> None:
    trace, model = run()
    states_found, pairs = walked(trace, model, stack)
    found = additions(trace, stack)
    assert len(found) == len(pairs)
    for n, (each, (x, added)) in enumerate(zip(found, pairs, strict=True)):
        after = states_found[n + 1]
        assert each.stream == pytest.approx(x.norm(dim=-1).numpy(), rel=1e-4)
        assert each.added == pytest.approx(added.norm(dim=-1).numpy(), rel=1e-3, abs=1e-4)
        assert each.summed == pytest.approx((x + added).norm(dim=-1).numpy(), rel=1e-4)
        cosine = torch.cosine_similarity(x, added, dim=-1).numpy()
        assert each.cosine == pytest.approx(cosine, abs=1e-3)
        turned = torch.cosine_similarity(x, after, dim=-1).numpy()
        assert each.turned == pytest.approx(turned, abs=1e-4)
        assert each.ratio == pytest.approx(each.added / each.stream)
        final = torch.cosine_similarity(added, states_found[-1], dim=-1).numpy()
        assert each.to_final == pytest.approx(final, abs=1e-3)
        assert f"{each.address}/output" in trace


@pytest.mark.parametrize("config", CONVENTIONS.values(), ids=CONVENTIONS)
def test_the_last_state_is_what_leaves_the_stack(config: dict[str, Any]) -> None:
    trace, model = seeded_run(**config)
    end = states(trace.config, "encoder")[-1].address
    assert torch.equal(trace[end], trace["memory"])
    end = states(trace.config, "decoder")[-1].address
    logits = model.generator(trace[end], SILENT)
    assert torch.allclose(logits, trace["output/logits"], atol=1e-5)


def test_in_pre_norm_the_parts_add_up() -> None:
    trace, _ = seeded_run(**CONVENTIONS["pre"])
    total = trace["target/input"][0].double()
    for each in additions(trace, "decoder"):
        total = total + trace[f"{each.address}/output"][0].double()
    last = trace["decoder/2/feed_forward_residual/summed"][0].double()
    torch.testing.assert_close(total, last, atol=1e-5, rtol=1e-5)


def test_dropout_is_in_what_is_added() -> None:
    trace, _ = seeded_run(dropout_seed=3, dropout=0.5)
    each = additions(trace, "encoder")[1]
    kept = trace["encoder/0/feed_forward_residual/kept"][0]
    output = trace["encoder/0/feed_forward/output"][0] * kept / 0.5
    assert each.added == pytest.approx(output.norm(dim=-1).numpy(), rel=1e-4)


def test_keys() -> None:
    trace, _ = bundled_run("猫")
    keys = [each.key for each in states(trace.config, "decoder")]
    assert keys[:3] == ["stream.states.input", "stream.states.self_attention",
                        "stream.states.cross_attention"]  # fmt: skip
