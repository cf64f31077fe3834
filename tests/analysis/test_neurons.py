"""Hidden units, against the feed-forward network written out from the weights."""

from typing import Any

import numpy as np
import pytest
import torch

from glassformer.core.analysis.neurons import (
    direction,
    firings,
    most_active,
    promoted_words,
    sparsity,
)
from glassformer.core.errors import GlassformerError
from tests.seeded_runs import RUN_NAMES, all_runs, seeded_run

STACKS = ("encoder", "decoder")


def hidden(trace: Any, model: Any, stack: str, layer: int) -> tuple[np.ndarray, np.ndarray]:
    """Pre-activation and activation (T, F), computed again from what went in."""
    where = f"{stack}/{layer}/feed_forward"
    entered = "norm/output" if trace.config.norm_place == "pre" else "residual/branch_input"
    x = trace[f"{where}_{entered}"][0].double()
    w_1 = getattr(model, stack).layers[layer].feed_forward.w_1
    before = x @ w_1.weight.double().T + w_1.bias.double()
    if trace.config.activation == "gelu":
        after = before * 0.5 * (1 + torch.erf(before / 2**0.5))
    else:
        after = before.clamp_min(0)
    return before.numpy(), after.numpy()


def w_2(model: Any, stack: str, layer: int) -> tuple[np.ndarray, np.ndarray]:
    linear = getattr(model, stack).layers[layer].feed_forward.w_2
    return linear.weight.double().numpy().T, linear.bias.double().numpy()


@pytest.mark.parametrize("run", all_runs(), ids=RUN_NAMES)
@pytest.mark.parametrize("stack", STACKS)
def test_sparsity(run: Any, stack: Any) -> None:
    trace, model = run()
    found = sparsity(trace, stack)
    for layer, shares in enumerate(found.active):
        before, _ = hidden(trace, model, stack, layer)
        sure = np.abs(before) > 1e-5  # rounding may move the others over the edge
        assert shares == pytest.approx((before > 0).mean(axis=1), abs=(~sure).mean() + 1e-9)
        silent = int((~(before > 0).any(axis=0)).sum())
        assert abs(found.silent[layer] - silent) <= (~sure).sum()
    assert found.width == trace.config.d_ff
    assert found.means == pytest.approx(np.mean(found.active, axis=1))


@pytest.mark.parametrize("run", all_runs(), ids=RUN_NAMES)
@pytest.mark.parametrize("stack", STACKS)
def test_most_active(run: Any, stack: Any) -> None:
    trace, model = run()
    layer = len(getattr(model, stack).layers) - 1
    before, after = hidden(trace, model, stack, layer)
    rows, bias = w_2(model, stack, layer)
    position = len(after) - 1
    units = most_active(trace, model, stack, layer, position, trace.config.d_ff)
    best = np.sort(after[position])[::-1]
    assert [each.activation for each in units] == pytest.approx(best, abs=1e-5)
    for each in units:
        assert each.activation == pytest.approx(after[position, each.index], abs=1e-5)
        assert each.pre_activation == pytest.approx(before[position, each.index], abs=1e-5)
        reach = abs(after[position, each.index]) * np.linalg.norm(rows[each.index])
        assert each.push == pytest.approx(reach, abs=1e-4)
    total = bias + sum(
        each.activation * direction(model, stack, layer, each.index) for each in units
    )
    output = trace[f"{stack}/{layer}/feed_forward/output"][0, position].numpy()
    assert total == pytest.approx(output, abs=1e-4)
    assert most_active(trace, model, stack, layer, position, 3) == units[:3]


@pytest.mark.parametrize("run", all_runs(), ids=RUN_NAMES)
def test_what_a_unit_of_the_decoder_promotes(run: Any) -> None:
    trace, model = run()
    unit = most_active(trace, model, "decoder", 0, 0, 1)[0].index
    found = promoted_words(trace, model, "decoder", 0, unit, 5)
    effect = model.generator.weight.double().numpy() @ w_2(model, "decoder", 0)[0][unit]
    assert found.scale == "logit"
    assert [each.value for each in found.up] == pytest.approx(np.sort(effect)[::-1][:5])
    assert [each.value for each in found.down] == pytest.approx(np.sort(effect)[:5])
    for each in (*found.up, *found.down):
        assert effect[trace.vocabulary.index(each.piece)] == pytest.approx(each.value)
    # The generator is linear: one unit more of it changes the logits by just that.
    state = trace["decoder/0/feed_forward_residual/summed"][0, :1].double()
    moved = state + torch.tensor(direction(model, "decoder", 0, unit))
    weight = model.generator.weight.double()
    change = (moved @ weight.T - state @ weight.T)[0].numpy()
    assert change == pytest.approx(effect, abs=1e-9)


@pytest.mark.parametrize("run", all_runs(), ids=RUN_NAMES)
def test_a_unit_of_the_encoder_is_only_a_direction(run: Any) -> None:
    trace, model = run()
    found = promoted_words(trace, model, "encoder", 1, 7, 5)
    table = model.source_embedding.table.weight.double()
    row = torch.tensor(w_2(model, "encoder", 1)[0][7])
    nearest = torch.nan_to_num(torch.cosine_similarity(table, row[None], dim=-1)).numpy()
    assert found.scale == "cosine"
    assert [each.value for each in found.up] == pytest.approx(np.sort(nearest)[::-1][:5])
    assert [each.value for each in found.down] == pytest.approx(np.sort(nearest)[:5])


@pytest.mark.parametrize("stack", STACKS)
def test_chance_is_what_a_random_direction_finds(stack: Any) -> None:
    trace, model = seeded_run()
    table = model.source_embedding.table.weight if stack == "encoder" else model.generator.weight
    rows = np.nan_to_num(table.double().numpy())
    if stack == "encoder":
        rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    found = [promoted_words(trace, model, stack, 0, unit, 1) for unit in range(3)]
    drawn = np.random.default_rng(9).standard_normal((2000, rows.shape[1]))
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    best = np.quantile(np.abs(drawn @ rows.T).max(axis=1), 0.95)
    for unit, each in enumerate(found):
        size = np.linalg.norm(w_2(model, stack, 0)[0][unit]) if stack == "decoder" else 1
        assert each.chance == pytest.approx(size * best, rel=0.15)
        beyond = max(abs(each.up[0].value), abs(each.down[0].value)) > each.chance
        assert each.stands_out == beyond


@pytest.mark.parametrize("run", all_runs(), ids=RUN_NAMES)
@pytest.mark.parametrize("stack", STACKS)
def test_on_which_tokens_a_unit_fires(run: Any, stack: Any) -> None:
    trace, model = run()
    _, after = hidden(trace, model, stack, 0)
    unit = int(after.max(axis=0).argmax())
    found = firings(trace, stack, 0, unit, 3)
    assert [each.activation for each in found] == pytest.approx(
        np.sort(after[:, unit])[::-1][:3], abs=1e-5
    )
    tokens = trace.source_tokens if stack == "encoder" else trace.target_tokens
    for each in found:
        assert each.token == tokens[each.position]
        assert each.activation == pytest.approx(after[each.position, unit], abs=1e-5)


def test_a_dropped_unit_pushes_nothing() -> None:
    trace, model = seeded_run(dropout_seed=1, dropout=0.5)
    kept = trace["encoder/0/feed_forward/kept"][0, 2].tolist()
    rows, _ = w_2(model, "encoder", 0)
    for each in most_active(trace, model, "encoder", 0, 2, 20):
        sent = each.activation * kept[each.index] / 0.5
        assert each.push == pytest.approx(abs(sent) * np.linalg.norm(rows[each.index]), rel=1e-5)
    assert not all(kept)


def test_refusals() -> None:
    trace, model = seeded_run()
    for ask in (
        lambda: most_active(trace, model, "encoder", 2, 0),
        lambda: most_active(trace, model, "encoder", 0, 8),
        lambda: promoted_words(trace, model, "decoder", 3, 0),
        lambda: promoted_words(trace, model, "decoder", 0, 20),
        lambda: firings(trace, "decoder", 0, -1),
    ):
        with pytest.raises(GlassformerError, match="does not exist"):
            ask()
