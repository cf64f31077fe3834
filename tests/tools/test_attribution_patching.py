"""Attribution patching: exact where the metric is linear, else the slope of what patching does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from glassformer.core.analysis.metrics import logit_diff
from glassformer.core.errors import GlassformerError
from glassformer.core.text_models.batches import run_batch
from glassformer.core.text_models.checkpoints import load_model
from glassformer.core.tools.attribution_patching import EdgeAttribution, attribution_patch
from glassformer.core.tools.copies import Copied
from glassformer.core.tools.patched_places import find_places
from glassformer.core.tools.path_patching import values_received
from glassformer.core.trace.batch import Batch
from glassformer.core.trace.graph import stack_end
from glassformer.core.trace.tape import Edit
from tests.tools.small_models import CLEAN, CORRUPT, FAMILIES, contrast, exact_model, pair_of

SENTENCES = "The animal was too tired", "The animal was too wide"
TRANSLATION = "动物太累了"
PRE_NORM = ("t5", "mbart", "gpt2", "llama 3", "qwen3")


def both(model: Any, kind: str) -> tuple[Batch, Batch]:
    clean, corrupt, target = pair_of(kind)
    targets = None if target is None else [target]
    one, other = (run_batch(model, [each], targets=targets) for each in (clean, corrupt))
    return one, other


def attribution(model: Any, kind: str, **asked: Any) -> Any:
    clean, corrupt, target = pair_of(kind)
    return attribution_patch(model, clean, corrupt, contrast, target=target, **asked)


@pytest.mark.parametrize("kind", FAMILIES)
def test_it_is_exact_where_the_metric_is_linear(kind: str, tmp_path: Path) -> None:
    """From the last vectors on; so is the difference of the logits themselves."""
    model = exact_model(kind, tmp_path)
    found = attribution(model, kind)
    moved = found.notes["clean"] - found.notes["corrupt"]
    end = "output/norm/output" if kind == "bert" else stack_end(model.config, "decoder")
    for address in (end, "output/logits"):
        assert found.values[address].sum() == pytest.approx(moved, rel=1e-9)


@pytest.mark.parametrize("kind", FAMILIES)
def test_it_is_the_slope_of_patching(kind: str, tmp_path: Path) -> None:
    """A hundred-thousandth of the way to the clean run moves the metric by so much of it."""
    model, (given, own) = exact_model(kind, tmp_path), both(exact_model(kind, tmp_path), kind)
    found = attribution(model, kind)
    _, corrupt, target = pair_of(kind)
    targets = None if target is None else [target]
    scale = max(abs(each.sum()) for each in found.values.values())
    for address, values in list(found.values.items())[::7]:
        ends = []
        for step in (-1e-5, 1e-5):
            edit = Edit(address, lambda x, a=address, s=step: x + s * (given[a] - own[a]))
            ends.append(float(contrast(run_batch(model, [corrupt], targets=targets, edits=[edit]))))
        assert (ends[1] - ends[0]) / 2e-5 == pytest.approx(values.sum(), abs=1e-6 * scale), address


def test_it_orders_places_as_patching_does() -> None:
    """On the bundled translator, over all addresses; with integrated gradients no worse."""
    model, metric = load_model(), logit_diff("累", "宽", at=2)
    given, own = (run_batch(model, [each], targets=[TRANSLATION]) for each in SENTENCES)
    plain = attribution_patch(model, *SENTENCES, metric, target=TRANSLATION)
    smooth = attribution_patch(model, *SENTENCES, metric, target=TRANSLATION, steps=10)
    addresses = list(plain.values)
    real = [
        _patched(model, metric, {each: given[each]}) - plain.notes["corrupt"] for each in addresses
    ]
    for found in (plain, smooth):
        estimates = [found.values[each].sum() for each in addresses]
        moved = [at for at, each in enumerate(real) if abs(each) > 0.1]
        assert len(moved) > 100
        assert np.corrcoef(np.take(estimates, moved), np.take(real, moved))[0, 1] > 0.95
        assert np.mean(np.sign(np.take(estimates, moved)) == np.sign(np.take(real, moved))) > 0.9
    assert own.output_ids == given.output_ids


def _patched(model: Any, metric: Any, given: dict[str, Tensor]) -> float:
    edits = [Edit(address, lambda x, each=each: each.to(x)) for address, each in given.items()]
    return float(metric(run_batch(model, SENTENCES[1:], targets=[TRANSLATION], edits=edits)))


@pytest.mark.parametrize("kind", ["marian", "gpt2", "llama 3", "bert"])
def test_integrated_gradients_of_the_inputs_add_up(kind: str, tmp_path: Path) -> None:
    """To the whole difference of the metric: completeness (Sundararajan et al. 2017)."""
    found = attribution(exact_model(kind, tmp_path), kind, steps=200, sites="*/embedding")
    moved = found.notes["clean"] - found.notes["corrupt"]
    total = sum(each.sum() for each in found.values.values())
    assert total == pytest.approx(moved, abs=1e-3 * abs(moved) + 1e-5)


def edges_into(found: EdgeAttribution, *names: str) -> float:
    table = found.table()
    own = table[table["receiver"].str.partition("#")[0].isin(names)]
    return float(own[contrast.__name__].sum())


@pytest.mark.parametrize("kind", PRE_NORM)
@pytest.mark.parametrize("steps", [1, 3])
def test_edges_into_a_receiver_add_up_to_it(kind: str, steps: int, tmp_path: Path) -> None:
    model = exact_model(kind, tmp_path)
    nodes = attribution(model, kind, steps=steps)
    edges = attribution(model, kind, steps=steps, edges=True)
    for address, values in nodes.values.items():
        place, _, name = address.rpartition("/")
        if name != "branch_input":
            continue
        sublayer = place.removesuffix("_residual")
        if sublayer.endswith("cross_attention"):
            into = [f"{sublayer}/q"]
        elif sublayer.endswith("feed_forward"):
            into = [address]
        else:
            into = [f"{sublayer}/{each}" for each in "qkv"]
        assert edges_into(edges, *into) == pytest.approx(values.sum(), rel=1e-8, abs=1e-10)


@pytest.mark.parametrize("kind", FAMILIES)
def test_edges_are_the_slopes_of_path_patching(kind: str, tmp_path: Path) -> None:
    """The eight largest edges, whatever norms are on the way, in float64 by differences."""
    model = exact_model(kind, tmp_path)
    given, own = both(model, kind)
    found = attribution(model, kind, edges=True)
    _, corrupt, target = pair_of(kind)
    texts = Copied(model, [corrupt], None if target is None else [target])
    for _, edge in found.top(8).iterrows():
        [sender], [receiver] = (find_places(edge[n], model.config) for n in ("sender", "receiver"))
        ends = []
        for step in (-1e-5, 1e-5):
            at = sender.address
            sent = {at: own[at] + step * (given[at] - own[at])}
            arrived = values_received(texts, own.tensors, sent, [sender], [receiver])

            def put(x: Tensor, got: Any = arrived, to: Any = receiver) -> Tensor:
                return to.put(x, got[to.address])

            batch = texts.run(1, None, [Edit(receiver.address, put)])
            ends.append(float(contrast(batch)))
        slope = (ends[1] - ends[0]) / 2e-5
        assert slope == pytest.approx(edge[contrast.__name__], rel=1e-5, abs=1e-8), dict(edge)


def test_a_table_has_the_words_and_heads() -> None:
    model, metric = load_model(), logit_diff("累", "宽", at=2)
    found = attribution_patch(
        model, *SENTENCES, metric, target=TRANSLATION,
        sites=["encoder/*/self_attention/context", "decoder/0/cross_attention/weights"],
    )  # fmt: skip
    table = found.table()
    words = model.tokenizer.encode(SENTENCES[1], "en").surfaces
    size = len(words) * model.config.n_heads * model.config.encoder_layers
    own = table[table["address"].str.startswith("encoder")]
    assert len(own) == size and list(own["token"][: len(words)]) == list(words)
    assert own["key"].isna().all() and table["head"].max() == model.config.n_heads - 1
    assert set(table[table["address"].str.startswith("decoder")]["key_token"]) == set(words)
    top = found.top(5)[str(metric)].abs()
    assert list(top) == sorted(top, reverse=True) and len(top) == 5
    assert top.iloc[0] == table[str(metric)].abs().max()
    assert len(found.sites()) == len(found.values)
    assert "attribution patching" in repr(found)


def test_pairs_are_padded_without_a_trace(tmp_path: Path) -> None:
    """Each pair's estimates are those of the pair alone."""
    model = exact_model("gpt2", tmp_path)
    longer, other = (*CLEAN, 9), (*CORRUPT, 11)

    def at_end(batch: Batch) -> Tensor:
        rows = [batch.row(text, -1) for text in range(len(batch))]
        return batch["output/logits"][range(len(batch)), rows, 3]

    together = attribution_patch(model, [CLEAN, longer], [CORRUPT, other], at_end)
    for at, (one, two) in enumerate(((CLEAN, CORRUPT), (longer, other))):
        alone = attribution_patch(model, one, two, at_end)
        for address, values in alone.values.items():
            cut = together.values[address][at][tuple(map(slice, values.shape[1:]))]
            np.testing.assert_allclose(cut, values[0], atol=1e-10)
    assert set(together.table()["pair"]) == {0, 1}


def test_what_cannot_be_differentiated_is_a_sentence(tmp_path: Path) -> None:
    model = exact_model("gpt2", tmp_path)
    for metric, key in (
        (lambda batch: batch["output/logits"][:, -1], "metric_shape"),
        (lambda _: 3.0, "metric_shape"),
        (lambda batch: batch["output/logits"].detach()[:, -1, 3], "metric_flat"),
    ):
        with pytest.raises(GlassformerError) as caught:
            attribution_patch(model, CLEAN, CORRUPT, metric)
        assert caught.value.key == key
    with pytest.raises(GlassformerError) as caught:
        attribution_patch(model, CLEAN, CORRUPT, contrast, steps=0)
    assert caught.value.key == "decoding_range"
    assert torch.is_grad_enabled()
