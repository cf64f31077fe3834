"""The tuned lens is closer to what the model writes than the plain one, on texts unseen."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import glassformer as gf
from glassformer.core.errors import GlassformerError
from glassformer.core.text_models.batches import run_batch
from tests.tools.opened import IDS, gpt2
from tests.weights import small_tokenizers

TEXTS, LEARNT = 150, 120


@pytest.fixture(scope="module")
def texts() -> list[str]:
    bundled = [each for each in small_tokenizers.texts() if each.isascii() and each.count(" ") > 4]
    return bundled[1::5][:TEXTS]


def test_it_is_better_than_the_plain_lens_on_other_texts(texts: list[str], tmp_path: Path) -> None:
    model = gf.load_model("small-gpt")
    fitted = gf.tuned_lens.fit(model, texts[:LEARNT], steps=80)
    held_out = fitted.measure(model, texts[LEARNT:])
    assert (held_out["tuned"] < held_out["plain"]).all()
    assert held_out["tuned"].sum() < 0.7 * held_out["plain"].sum()

    fitted.save(tmp_path / "lens.safetensors")
    again = gf.tuned_lens.TunedLens.load(tmp_path / "lens.safetensors")
    assert again.measure(model, texts[LEARNT:]).equals(held_out)
    batch = run_batch(model, [texts[-1]])
    read = again.read(batch)
    assert read.headline().startswith("tuned lens")
    assert (read.lens.divergence[-1] < 1e-5).all()  # the last state is the run's own
    plain = gf.logit_lens(batch)
    assert read.lens.divergence[:-1].mean() < plain.lens.divergence[:-1].mean()


def test_it_is_the_affine_map_and_the_models_own_end() -> None:
    model, theirs = gpt2()
    fitted = gf.tuned_lens.fit(model, [*IDS], steps=3)
    batch = run_batch(model, [IDS[0]])
    read = fitted.read(batch, k=1)
    with torch.no_grad():
        states = theirs.transformer(torch.tensor([IDS[0]]), output_hidden_states=True)
    for at, address in enumerate(read.states[:-1]):
        x = states.hidden_states[at][0]
        x = x + x @ fitted.matrices[address] + fitted.biases[address]
        logits = theirs.lm_head(theirs.transformer.ln_f(x))
        best = logits.softmax(-1).max(-1)
        assert read.lens.probabilities[at, :, 0] == pytest.approx(best.values.numpy(), abs=1e-5)
        assert read.lens.best[at, :, 0].tolist() == best.indices.tolist()


def test_a_damaged_lens_and_another_model(tmp_path: Path) -> None:
    (tmp_path / "lens").write_bytes(b"none")
    with pytest.raises(GlassformerError) as caught:
        gf.tuned_lens.TunedLens.load(tmp_path / "lens")
    assert caught.value.key == "lens_damaged"
    model, _ = gpt2()
    fitted = gf.tuned_lens.fit(model, [*IDS], steps=1)
    other = run_batch(gf.load_model("small-gpt"), ["The cat"])
    with pytest.raises(GlassformerError) as caught:
        fitted.read(other)
    assert caught.value.key == "lens_model"
