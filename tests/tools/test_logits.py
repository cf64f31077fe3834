"""Attribution and lens of a run: sums and words that the oracle gives, too."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import glassformer as gf
from glassformer.core.errors import GlassformerError
from glassformer.core.text_models.batches import run_batch
from tests.tools.opened import IDS, gpt2, seen

WORD, OTHER = 21, 60


def test_heads_are_their_columns_of_the_output_times_the_word() -> None:
    model, theirs = gpt2()
    found = gf.direct_logit_attribution(run_batch(model, [IDS[0]]), WORD, OTHER)
    ids = torch.tensor([IDS[0]])
    with torch.no_grad():
        last = seen(theirs.transformer.ln_f, lambda: theirs(ids))[0, -1].double()
        norm = theirs.transformer.ln_f
        direction = (theirs.lm_head.weight[WORD] - theirs.lm_head.weight[OTHER]).double()
        direction = direction * norm.weight / (last.var(correction=0) + norm.eps).sqrt()
        direction = direction - direction.mean()
        logits = theirs(ids).logits[0, -1]
    assert found.found.logit == pytest.approx(float(logits[WORD] - logits[OTHER]), abs=1e-5)
    assert found.table()["adds"].sum() == pytest.approx(found.found.logit, abs=1e-5)
    grid = found.by_head()
    for layer, block in enumerate(theirs.transformer.h):
        heads = seen(block.attn.c_proj, lambda: theirs(ids))[0, -1].view(4, 6).double()
        columns = block.attn.c_proj.weight.view(4, 6, 24).double()
        adds = torch.einsum("hk,hkd,d->h", heads, columns, direction)
        assert grid.values[layer] == pytest.approx(adds.numpy(), abs=1e-5)
    assert sum(found.by_layer().values()) == pytest.approx(found.found.logit, abs=1e-5)


def test_words_of_a_translation_and_a_run_of_another_row() -> None:
    model = gf.load_model()
    batch = run_batch(model, ["The animal was too tired."])
    found = gf.direct_logit_attribution(batch, "累", "宽", at=2)
    assert "logit of 累 − logit of 宽 at row 2" in repr(found)
    assert found.by_head().values.shape == (4, 4)
    trace = batch.at(0)
    ids = [trace.vocabulary.index(word) for word in ("累", "宽")]
    logits = trace["output/logits"][0, 2]
    logits_of = float(logits[ids[0]] - logits[ids[1]])
    assert found.found.logit == pytest.approx(logits_of, abs=1e-4)
    assert gf.direct_logit_attribution(trace, "累", "宽", at=2).found.logit == found.found.logit
    metric = gf.logit_diff("累", "宽", at=2)  # of a run as of a batch of one
    assert metric(trace).item() == pytest.approx(metric(batch).item()) == pytest.approx(logits_of)


def test_the_lens_reads_what_the_oracle_reads() -> None:
    model, theirs = gpt2()
    read = gf.logit_lens(run_batch(model, [IDS[0]]))
    with torch.no_grad():
        states = theirs.transformer(torch.tensor([IDS[0]]), output_hidden_states=True)
        for at in range(3):  # the last of them is after the final norm already
            logits = theirs.lm_head(theirs.transformer.ln_f(states.hidden_states[at][0]))
            assert read.lens.best[at, :, 0].tolist() == logits.argmax(-1).tolist()
    table = read.table()
    assert len(table) == 4 * 6 and table["divergence"].iloc[-1] == pytest.approx(0, abs=1e-6)
    array = read.to_xarray()
    assert array["p_written"].dims == ("state", "row")
    assert np.array_equal(array["rank"].values, read.lens.rank)
    assert "<table>" in read.show().html


def test_a_run_of_one_text_knows_its_model_and_its_words() -> None:
    model = gf.load_model("small-gpt")
    run, batch = model.run("The cat was here. The"), run_batch(model, ["The cat was here. The"])
    for word in ("cat", " cat"):
        one, other = (gf.direct_logit_attribution(each, word, " man") for each in (run, batch))
        assert one.found.logit == pytest.approx(other.found.logit, abs=1e-5)
    with pytest.raises(GlassformerError) as caught:
        gf.direct_logit_attribution(run, "no such word")
    assert caught.value.key == "word_unknown"
    assert gf.logit_lens(run).best[-1][-1] == "␣cat"


def test_what_cannot_be_read_is_said() -> None:
    model, _ = gpt2()
    two = run_batch(model, list(IDS))
    for run, key in ((two, "one_run"), (model.trace("a b"), "run_model")):
        with pytest.raises(GlassformerError) as caught:
            gf.logit_lens(run)
        assert caught.value.key == key
    assert gf.logit_lens(model.trace("a b"), model=model).states
    for at, key in ((6, "out_of_range"), (-7, "out_of_range")):
        with pytest.raises(GlassformerError) as caught:
            gf.direct_logit_attribution(two.at(0), WORD, at=at)
        assert caught.value.key == key
