"""A padded batch: the same numbers as alone, until the padding is let in."""

from pathlib import Path

import pytest
import torch

from glassformer import Trace, load_model
from glassformer.core.interventions import Experiment, run
from glassformer.core.interventions.heads import HeadsOff
from glassformer.core.interventions.masks import Fill, PaddingOff
from glassformer.core.interventions.padding import padded_runs
from glassformer.core.interventions.tensors import TensorNoise, TensorPatch
from glassformer.core.trace.shapes import shape_letters

SENTENCES = ("I have a cat", "The animal didn't cross the street because it was too tired")
MODEL = load_model("translator")
PLAIN = tuple(MODEL.trace(each) for each in SENTENCES)


def real(padded: Trace, plain: Trace, address: str) -> torch.Tensor:
    """The part of a padded tensor that belongs to the sentence's own words."""
    tensor = padded[address]
    for axis, letter in enumerate(shape_letters(address)):
        if letter in "ST":
            tensor = tensor.narrow(axis, 0, plain[address].size(axis))
    return tensor


def test_without_switches_every_number_is_that_of_its_own_run() -> None:
    for padded, plain in zip(padded_runs(MODEL, PLAIN), PLAIN, strict=True):
        assert list(padded) == list(plain)
        for address in plain:
            if plain[address].is_floating_point() and not address.endswith("masked"):
                found = real(padded, plain, address)
                assert torch.allclose(found, plain[address], atol=1e-4), address


def test_the_words_are_padded_and_the_padding_has_weight_zero() -> None:
    short, long = padded_runs(MODEL, PLAIN)
    words = len(PLAIN[0].source_tokens)
    assert short.source_tokens[:words] == PLAIN[0].source_tokens
    assert set(short.source_tokens[words:]) == {"<pad>"}
    assert len(short.source_tokens) == len(long.source_tokens) == len(PLAIN[1].source_tokens)
    for address in ("encoder/1/self_attention/weights", "decoder/0/cross_attention/weights"):
        assert bool((short[address][..., words:] == 0).all())


def test_padding_let_in_changes_the_short_sentence_alone() -> None:
    off = padded_runs(MODEL, PLAIN, Experiment((PaddingOff(),)))
    words = len(PLAIN[0].source_tokens)
    weights = off[0]["encoder/0/self_attention/weights"]
    assert bool((weights[..., words:] > 0).all())
    address = "output/logits"
    assert not torch.allclose(real(off[0], PLAIN[0], address), PLAIN[0][address], atol=1e-1)
    assert torch.allclose(off[1][address], PLAIN[1][address], atol=1e-4)


def test_other_switches_hold_for_the_whole_batch() -> None:
    off = HeadsOff("decoder/1/cross_attention", (2,))
    for trace in padded_runs(MODEL, PLAIN, Experiment((off, Fill("additive")))):
        context = trace["decoder/1/cross_attention/context"]
        assert torch.equal(context[:, 2], torch.zeros_like(context[:, 2]))
        assert trace.config.mask_fill == "additive"
        assert trace.edits == (off.text,)


def test_noise_and_patches_reach_every_sentence_as_they_do_alone() -> None:
    other = TensorPatch("source/input", (("position", (0,)),), "You like it")
    for switch in (TensorNoise("source/input", spread=0.5, draw=4), other):
        experiment = Experiment((switch,))
        for padded, plain in zip(padded_runs(MODEL, PLAIN, experiment), PLAIN, strict=True):
            alone = run(experiment, MODEL, plain.source_text, plain.output_text)
            for address in ("source/input", "memory", "output/logits"):
                found = real(padded, alone, address)
                assert torch.allclose(found, alone[address], atol=1e-4), address
            assert not torch.allclose(alone["memory"], plain["memory"], atol=1e-2)


@pytest.mark.parametrize("place", [0, 1])
def test_a_padded_run_is_a_trace_like_any_other(place: int, tmp_path: Path) -> None:
    trace = padded_runs(MODEL, PLAIN)[place]
    trace.save(tmp_path / "run")
    again = Trace.load(tmp_path / "run")
    assert again.source_tokens == trace.source_tokens
    assert torch.equal(again["memory"], trace["memory"])
    assert len(trace.table("decoder/0/cross_attention/weights", head=0)) == (
        len(trace.target_tokens) * len(trace.source_tokens)
    )
