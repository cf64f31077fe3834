"""QK-clip: heads above the cap come down to it, the others stay."""

from dataclasses import replace

import pytest
import torch

from glassformer.core.corpus import load_grammar
from glassformer.core.text.tokenizer import Tokenizer
from glassformer.core.training.data import Batch, Examples, batches_from
from glassformer.core.training.loop import Trainer, new_model
from glassformer.core.training.loss import MapTape
from glassformer.core.training.optimiser import cap_logits
from tests.training.tiny import TINY

SITE = "encoder/0/self_attention"


@pytest.fixture(scope="module")
def batch(tokenizer: Tokenizer) -> Batch:
    trainer = Trainer.of_grammar(TINY, load_grammar(), tokenizer)
    return next(batches_from(0, trainer.stream, Examples(tokenizer.vocabulary), 1, 12))


def scores(model: torch.nn.Module, batch: Batch) -> dict[str, torch.Tensor]:
    """Each head's largest absolute scaled score, by attention."""
    tape = MapTape(1, scores=True)
    model.decode(batch.source, batch.target_input, tape)  # type: ignore[operator]
    return tape.largest


def test_a_head_above_the_cap_comes_down_to_it(batch: Batch, tokenizer: Tokenizer) -> None:
    model = new_model(TINY, len(tokenizer.vocabulary))
    attention = model.encoder.layers[0].self_attention
    with torch.no_grad():
        attention.w_q.weight[: TINY.d_model // 2] *= 40  # the first of two heads
    before, kept = scores(model, batch), attention.w_k.weight.detach().clone()
    cap = float(before[SITE].mean())
    cap_logits(model, {SITE: before[SITE]}, cap)
    after = scores(model, batch)[SITE]
    assert after[0].item() == pytest.approx(cap, rel=1e-4)
    assert after[1] == pytest.approx(before[SITE][1].item(), rel=1e-5)
    half = TINY.d_model // 2
    assert torch.equal(attention.w_k.weight[half:], kept[half:])
    assert not torch.equal(attention.w_k.weight[:half], kept[:half])


def test_what_no_query_may_see_does_not_count(batch: Batch, tokenizer: Tokenizer) -> None:
    model = new_model(replace(TINY, dropout=0.0), len(tokenizer.vocabulary))
    found = scores(model, batch)
    assert sorted(found) == ["decoder/0/cross_attention", "decoder/0/self_attention", SITE]
    alone = [batch.source[i : i + 1, : int((row != 0).sum())] for i, row in enumerate(batch.source)]
    single = []
    for ids in alone:
        tape = MapTape(1, scores=True)
        model.encode(ids, tape)
        single.append(tape.largest[SITE])
    assert torch.stack(single).amax(dim=0).max() <= found[SITE].max() + 1e-5


def test_training_keeps_below_the_cap(tokenizer: Tokenizer, batch: Batch) -> None:
    found = []
    for cap in (2.0, 0.0):
        recipe = replace(TINY, dropout=0.0, cap_every=1, logit_cap=cap)
        trainer = Trainer.of_grammar(recipe, load_grammar(), tokenizer)
        trainer.train(lambda _: None, 20)
        found.append(max(float(each.max()) for each in scores(trainer.model, batch).values()))
    # The cap is held on the batch that is trained on: other sentences may go a little beyond it.
    assert found[0] < 4.0 and found[1] > 20
