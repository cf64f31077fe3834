"""Patched grids: each cell is what hooks of torch give one by one, whatever the batch."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
import torch
from torch import Tensor

import glassformer as gf
from glassformer.core.errors import GlassformerError
from glassformer.core.text_models import batches
from glassformer.core.text_models.batches import run_batch
from tests.tools.opened import IDS, LONGER, entering, gpt2, last_logits, seen

CLEAN, CORRUPT = IDS
WORD, OTHER = 21, 60
HEADS, WIDTH = 4, 6  # of the oracle: n_embd 24


def difference(logits: Tensor) -> float:
    return float(logits[WORD] - logits[OTHER])


def test_heads_are_those_of_torch_hooks_one_by_one() -> None:
    model, theirs = gpt2()
    found = gf.patch(model, CLEAN, CORRUPT, gf.logit_diff(WORD, OTHER), batch_size=5)
    assert [axis.name for axis in found.axes] == ["layer", "head"]
    for layer, block in enumerate(theirs.transformer.h):
        module = block.attn.c_proj  # what it reads are the heads side by side
        clean = seen(module, lambda: last_logits(theirs, CLEAN))
        for head in range(HEADS):
            part = slice(head * WIDTH, (head + 1) * WIDTH)

            def change(x: Tensor, part: slice = part, clean: Tensor = clean) -> Tensor:
                x[..., part] = clean[..., part]
                return x

            with entering(module, change):
                expected = difference(last_logits(theirs, CORRUPT))
            assert found.values[layer, head] == pytest.approx(expected, abs=1e-5)
    assert found.notes["clean"] == pytest.approx(difference(last_logits(theirs, CLEAN)), abs=1e-5)
    assert found.notes["corrupt"] == pytest.approx(
        difference(last_logits(theirs, CORRUPT)), abs=1e-5
    )
    assert found.values.std() > 1e-3  # heads matter, or nothing was tried


def test_the_stream_is_patched_whole_at_each_position() -> None:
    model, theirs = gpt2()
    metric = gf.logit_diff(WORD, OTHER)
    found = gf.patch(model, CLEAN, CORRUPT, metric, over=("layer", "position"), site="stream")
    for layer, block in enumerate(theirs.transformer.h):
        clean = seen(block, lambda: last_logits(theirs, CLEAN))
        for position in range(len(CORRUPT)):

            def change(x: Tensor, at: int = position, clean: Tensor = clean) -> Tensor:
                x[:, at] = clean[:, at]
                return x

            with entering(block, change):
                expected = difference(last_logits(theirs, CORRUPT))
            assert found.values[layer, position] == pytest.approx(expected, abs=1e-5)
    recovered = found.recovered().values
    assert recovered[0, 3] == pytest.approx(1.0, abs=1e-5)  # the one word that differs
    assert recovered[0, 0] == pytest.approx(0.0, abs=1e-5)
    words = model.tokens.read(CORRUPT, False).tokens
    assert found.axes[1].labels == tuple(words)
    assert list(found.table()["position_token"][: len(words)]) == list(words)
    same = gf.patch(
        model, CLEAN, CORRUPT, metric, over=("layer", "position"), site="blocks.*.hook_resid_pre"
    )
    assert (same.values == found.values).all()


def test_several_pairs_are_each_as_alone_and_a_metric_may_be_anybodys() -> None:
    model, _ = gpt2()

    def margin(batch: Any) -> Tensor:
        rows = torch.tensor([batch.row(text, -1) for text in range(len(batch))])
        logits = batch["output/logits"][torch.arange(len(batch)), rows]
        best: Tensor = logits.topk(2).values
        return best[:, 0] - best[:, 1] + batch["decoder/1/feed_forward/output"].mean(dim=(1, 2))

    pairs = [CLEAN, CLEAN[::-1]], [CORRUPT, CORRUPT[::-1]]
    both = gf.patch(model, *pairs, margin, site="*/k", over=("layer", "head"))
    assert both.axes[-1].name == "pair" and both.measure == "margin"
    for at in range(2):
        alone = gf.patch(model, pairs[0][at], pairs[1][at], margin, site="*/k")
        assert both.values[..., at] == pytest.approx(alone.values, abs=1e-5)
    assert both.over("pair").values == pytest.approx(both.values.mean(-1))


@pytest.mark.parametrize("longer", [False, True], ids=["as long", "longer elsewhere"])
def test_both_texts_in_one_pass_or_each_in_its_own(longer: bool) -> None:
    """A metric that says what it reads spares a pass; one that does not is asked first."""
    model = gf.load_model()
    texts = ["The cat sat.", "The old dog sat." if longer else "The dog sat."]
    goal = model.trace(texts[0]).output_ids
    metric = gf.logit(goal[1], at=1)

    def unsaid(batch: Any) -> Tensor:
        return metric(batch)

    given: dict[str, Any] = {"site": "decoder/*/self_attention/context", "target": goal}
    one = gf.patch(model, *texts, metric, **given)
    two = gf.patch(model, *texts, unsaid, **given)
    assert one.values == pytest.approx(two.values, abs=1e-5)
    assert one.notes == pytest.approx(two.notes, abs=1e-5)
    assert one.notes["clean"] != pytest.approx(one.notes["corrupt"], abs=1e-3)


def test_some_texts_of_a_batch_are_a_batch() -> None:
    model, _ = gpt2()
    every = model.run([CLEAN, [*CORRUPT, 7], CORRUPT], keep=("*/q", "target/positions"))
    last = every.some(slice(1, None))
    assert len(last) == 2 and list(last) == list(every)
    for address in every:
        assert torch.equal(last[address], every[address][1:])
    for at in range(2):
        one, same = last.at(at), every.at(1 + at)
        assert one.target_tokens == same.target_tokens
        assert all(torch.equal(one[address], same[address]) for address in one)


def test_an_encoder_decoder_is_watched_where_its_two_texts_part() -> None:
    model = gf.load_model()
    texts = "The animal was too tired.", "The animal was too wide."
    before = digest(model)
    found = gf.patch(model, *texts, gf.logit_diff("累", "宽"), site="*/cross_attention/context")
    plain = run_batch(model, list(texts)).output_pieces
    assert plain[0][:2] == plain[1][:2] == ("动物", "太") and plain[0][2] != plain[1][2]
    ids = run_batch(model, [texts[0]]).output_ids[0][:3]
    source = torch.tensor([model.ids(run_batch(model, [texts[1]]).source_pieces[0], "source")])
    goal = torch.tensor([[model.tokenizer.vocabulary.id("<zh>"), *ids[:2]]])
    words = [model.ids([word])[0] for word in ("累", "宽")]
    given = torch.tensor([model.ids(run_batch(model, [texts[0]]).source_pieces[0], "source")])
    for layer in range(model.config.decoder_layers):
        module = model.transformer.decoder.layers[layer].cross_attention.w_o
        clean = seen(module, lambda: model.transformer(given, goal))
        width = model.config.d_k
        for head in range(model.config.n_heads):
            part = slice(head * width, (head + 1) * width)

            def change(x: Tensor, part: slice = part, clean: Tensor = clean) -> Tensor:
                x[..., part] = clean[..., part]
                return x

            with entering(module, change), torch.no_grad():
                logits = model.transformer(source, goal)[0, -1]
            expected = float(logits[words[0]] - logits[words[1]])
            assert found.values[layer, head] == pytest.approx(expected, abs=1e-5)
    assert digest(model) == before


def digest(model: Any) -> str:
    found = hashlib.sha256()
    for tensor in model.transformer.state_dict().values():
        found.update(tensor.numpy().tobytes())
    return found.hexdigest()


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"corrupt": LONGER}, "patching_lengths"),
        ({"over": ("layer", "query")}, "over_axis"),
        ({"over": ("layer", "layer")}, "over_axis"),
        ({"site": "*/no_such"}, "unknown_address"),
        ({"site": "blocks.0.attn.hook_result"}, "unknown_hook"),
        ({"site": "target/ids"}, "site_numbers"),
        ({"site": "target/positions"}, "site_shared"),
        ({"clean": [CLEAN, CLEAN]}, "run_targets"),
        ({"clean": [], "corrupt": []}, "run_nothing"),
        ({"metric": lambda batch: batch["output/logits"]}, "metric_shape"),
        ({"metric": lambda batch: 1.0}, "metric_shape"),
        ({"metric": gf.logit(10**6)}, "out_of_range"),
        ({"metric": gf.logit(3, at=99)}, "out_of_range"),
    ],
)
def test_what_cannot_be_patched_is_said(changes: dict[str, Any], key: str) -> None:
    model, _ = gpt2()
    given = {"clean": CLEAN, "corrupt": CORRUPT, "metric": gf.logit(3), **changes}
    with pytest.raises(GlassformerError) as caught:
        gf.patch(model, **given)
    assert caught.value.key == key


def test_stacks_of_other_lengths_are_not_one_grid() -> None:
    model = gf.load_model()
    with pytest.raises(GlassformerError) as caught:
        gf.patch(model, "A dog.", "A cat.", gf.logit(3), over=("layer", "position"), site="stream")
    assert caught.value.key == "over_sizes"
    found = gf.patch(
        model, "A dog.", "A cat.", gf.logit(3), over=("layer", "position"), site="encoder/stream"
    )
    assert found.axes[1].counted and found.axes[0].labels == (0, 1)


def test_less_memory_means_smaller_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    model, _ = gpt2()
    metric = gf.logit_diff(WORD, OTHER)
    expected = gf.patch(model, CLEAN, CORRUPT, metric).values
    sizes: list[int] = []

    def counted(batch: Any) -> Tensor:
        sizes.append(len(batch))
        return metric(batch)

    counted.reads = metric.reads  # type: ignore[attr-defined]
    logits = len(CLEAN) * model.config.vocabulary_size * 4
    monkeypatch.setattr(batches, "NOTICED", 0)
    monkeypatch.setattr(batches, "free_bytes", lambda _: 40 * logits)
    found = gf.patch(model, CLEAN, CORRUPT, counted)
    assert found.values == pytest.approx(expected, abs=1e-5)
    assert 1 <= max(sizes) < expected.size == sum(sizes) - 2
    monkeypatch.setattr(batches, "free_bytes", lambda _: 0)
    with pytest.raises(GlassformerError) as caught:
        gf.patch(model, CLEAN, CORRUPT, metric)
    assert caught.value.key == "run_memory"
