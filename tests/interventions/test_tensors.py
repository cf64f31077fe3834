"""Any tensor: set, scaled, made noisy, patched from another sentence's run."""

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from glassformer.core.errors import GlassformerError
from glassformer.core.interventions.experiment import Experiment, run, setting_of
from glassformer.core.interventions.switch import Switch
from glassformer.core.interventions.tensors import (
    Slice,
    TensorNoise,
    TensorPatch,
    TensorScale,
    TensorSet,
    count_touched,
    normal_at,
    open_mesh,
)
from glassformer.core.text_models.checkpoints import load_model
from glassformer.core.text_models.translator import Translator
from glassformer.core.trace.trace import Trace

TIRED = "The animal didn't cross the street because it was too tired"
WIDE = "The animal didn't cross the street because it was too wide"
WORD = 10  # tired, wide
CONTEXT = "encoder/1/self_attention/context"


@pytest.fixture(scope="module")
def model() -> Translator:
    return load_model()


@pytest.fixture(scope="module")
def plain(model: Translator) -> Trace:
    return model.trace(TIRED)


def made(model: Translator, *switches: Switch, target: str | None = None) -> Trace:
    return run(Experiment(switches), model, TIRED, target)


def elsewhere(shape: torch.Size, *cells: tuple[int, ...]) -> Tensor:
    """True at all other cells."""
    mask = torch.ones(shape, dtype=torch.bool)
    for cell in cells:
        mask[cell] = False
    return mask


def test_set_writes_these_cells_and_no_others(model: Translator, plain: Trace) -> None:
    switch = TensorSet(CONTEXT, (("head", (1, 3)), ("position", (2,))), -1.5)
    was, now = plain[CONTEXT], made(model, switch)[CONTEXT]
    assert (now[0, [1, 3], 2] == -1.5).all()
    rest = elsewhere(was.shape, (0, 1, 2), (0, 3, 2))
    assert torch.equal(now[rest], was[rest])


def test_scale_and_patterns(model: Translator, plain: Trace) -> None:
    address = "encoder/0/feed_forward/output"
    now = made(model, TensorScale("encoder/*/feed_forward/output", by=3.0))
    assert torch.equal(now[address], plain[address] * 3.0)
    later = "encoder/1/feed_forward"  # its input has moved too, so its own output is recomputed
    layer = model.transformer.encoder.layers[1].feed_forward  # type: ignore[union-attr]
    output = layer(now["encoder/1/feed_forward_residual/branch_input"])
    torch.testing.assert_close(now[f"{later}/output"], output * 3.0, atol=1e-4, rtol=1e-5)


def test_scale_leaves_other_cells(model: Translator, plain: Trace) -> None:
    was = plain["source/input"]
    now = made(model, TensorScale("source/input", (("position", (4,)),), -2.0))["source/input"]
    assert torch.equal(now[0, 4], was[0, 4] * -2.0)
    rest = elsewhere(was.shape, (0, 4))
    assert torch.equal(now[rest], was[rest])


def test_what_is_patched_can_be_changed_whatever_was_switched_first(model: Translator) -> None:
    cells = (("position", (WORD,)),)
    patch, scale = TensorPatch("memory", cells, WIDE), TensorScale("memory", cells, 2.0)
    other = model.trace(WIDE)["memory"][0, WORD]
    for switches in ((patch, scale), (scale, patch)):
        assert torch.equal(made(model, *switches)["memory"][0, WORD], other * 2.0)


def test_a_mask_and_ids_can_be_set(model: Translator) -> None:
    cells = (("head", (0,)), ("query", (3,)), ("key", (4,)))
    where = "encoder/1/self_attention"
    now = made(model, TensorSet(f"{where}/mask", cells, 0))
    assert now[f"{where}/weights"][0, 0, 3, 4] == 0.0 < now[f"{where}/weights"][0, 1, 3, 4]
    wide = model.trace(WIDE)
    word = float(wide["source/ids"][0, WORD])
    now = made(model, TensorSet("source/ids", (("position", (WORD,)),), word))
    assert torch.equal(now["memory"], wide["memory"]) and now.output_text == wide.output_text


def test_noise_is_added_where_it_should_be(model: Translator, plain: Trace) -> None:
    cells = (("position", (2, 5)),)
    now = made(model, TensorNoise("source/input", cells, 0.5, 7))["source/input"]
    difference = (now - plain["source/input"])[0]
    assert not difference[[0, 1, 3, 4, 6]].any() and difference[[2, 5]].all()
    assert difference[[2, 5]].std().item() == pytest.approx(0.5, rel=0.2)  # of 160 numbers
    assert not torch.equal(difference[2], difference[5])
    same = made(model, TensorNoise("source/input", cells, 0.5, 7))["source/input"]
    other = made(model, TensorNoise("source/input", cells, 0.5, 8))["source/input"]
    assert torch.equal(same, now) and not torch.equal(other, now)


def test_noise_is_normal_and_a_matter_of_place() -> None:
    noise = normal_at(open_mesh([range(200), range(500)]), 3)
    moments = [noise.pow(power).mean().item() for power in (1, 2, 3, 4)]
    assert moments == pytest.approx([0.0, 1.0, 0.0, 3.0], abs=0.06)
    for one, two in ((noise[1:], noise[:-1]), (noise[:, 1:], noise[:, :-1])):
        together = torch.stack([one.flatten(), two.flatten()])
        assert abs(torch.corrcoef(together)[0, 1].item()) < 0.02
    part = normal_at(open_mesh([[7, 9], [3, 400]]), 3)
    assert torch.equal(part, noise[[7, 9]][:, [3, 400]])
    seeds = torch.stack([normal_at(open_mesh([range(5000)]), draw) for draw in range(4)])
    assert (torch.corrcoef(seeds) - torch.eye(4)).abs().max() < 0.06


@pytest.mark.parametrize("address", ["target/input", "decoder/0/self_attention/scaled"])
def test_noise_stays_while_the_target_grows(model: Translator, address: str) -> None:
    """Every step of decoding saw the numbers of the recorded pass."""
    now = made(model, TensorNoise(address, spread=0.7, draw=2))
    assert len(now.steps) > 3
    for row, step in enumerate(now.steps):
        probability = now["output/probabilities"][0, row, step.chosen].item()
        assert probability == pytest.approx(step.probability, abs=1e-4)


def test_patch_takes_the_other_sentences_numbers(model: Translator, plain: Trace) -> None:
    other, cells = model.trace(WIDE), (("head", (2,)), ("position", (3, WORD)))
    now = made(model, TensorPatch(CONTEXT, cells, WIDE))[CONTEXT]
    assert torch.equal(now[0, 2, [3, WORD]], other[CONTEXT][0, 2, [3, WORD]])
    rest = elsewhere(now.shape, (0, 2, 3), (0, 2, WORD))
    assert torch.equal(now[rest], plain[CONTEXT][rest])
    assert not torch.equal(now, plain[CONTEXT])


def test_patching_the_one_word_that_differs_is_the_other_sentence(model: Translator) -> None:
    other = model.trace(WIDE)
    now = made(model, TensorPatch("source/input", (("position", (WORD,)),), WIDE))
    assert now.output_text == other.output_text
    assert torch.equal(now["output/logits"], other["output/logits"])


def test_patch_from_another_place(model: Translator) -> None:
    short = "It was tired"
    other = model.trace(short)
    assert other.source_tokens[2] == "tired"
    switch = TensorPatch("memory", (("position", (WORD,)),), short, (("position", (2,)),))
    assert torch.equal(made(model, switch)["memory"][0, WORD], other["memory"][0, 2])


def test_a_whole_target_is_patched_as_far_as_both_go(model: Translator) -> None:
    short = "I have a cat"
    other = model.trace(short)["target/input"][0]
    now = made(model, TensorPatch("target/input", (), short), target="动物太累了")["target/input"][
        0
    ]
    few = min(len(other), len(now))
    assert torch.equal(now[:few], other[:few])


def key_of(act: Callable[[], object]) -> str:
    with pytest.raises(GlassformerError) as error:
        act()
    return error.value.key


def test_what_is_refused_when_it_is_made(model: Translator) -> None:
    assert key_of(lambda: TensorSet("memory", (("position", ()),))) == "experiment_value"
    assert key_of(lambda: TensorSet("memory", (("position", (-1,)),))) == "experiment_value"
    assert key_of(lambda: TensorSet("memory", (("position", (1, 1)),))) == "experiment_value"
    assert key_of(lambda: TensorSet("memory", value=math.nan)) == "experiment_value"
    twice = (("position", (1,)), ("position", (2,)))
    assert key_of(lambda: TensorSet("memory", twice)) == "experiment_value"
    assert key_of(lambda: TensorNoise("memory", spread=-1.0)) == "experiment_value"


def test_what_does_not_fit_a_run(model: Translator) -> None:
    def checked(switch: Switch) -> str:
        return key_of(lambda: switch.check(model.config, 12, 10))

    assert checked(TensorSet("memory", (("head", (0,)),))) == "unknown_axis"
    assert checked(TensorSet("memory", (("position", (12,)),))) == "out_of_range"
    assert checked(TensorSet("memories")) == "unknown_address"
    assert checked(TensorScale("source/ids")) == "experiment_value"
    assert checked(TensorSet("encoder/0/self_attention/mask", (), 0.5)) == "experiment_value"
    assert checked(TensorSet("source/ids", (), 1.5)) == "experiment_value"
    TensorSet("memory", (("position", (11,)),)).check(model.config, 12, 10)


def test_what_does_not_fit_a_run_is_refused_there_too(model: Translator) -> None:
    def ran(switch: Switch) -> str:
        return key_of(lambda: made(model, switch))

    assert ran(TensorSet("memory", (("position", (40,)),))) == "out_of_range"
    assert ran(TensorSet("source/ids", (), 1e6)) == "out_of_range"
    assert ran(TensorPatch("memory", (("position", (9,)),), "I have a cat")) == "out_of_range"
    assert ran(TensorPatch("memory", (), "I have a cat")) == "patch_shape"


def test_links_and_files(model: Translator) -> None:
    cells = (("head", (1,)), ("position", (2, 3)))
    kinds = (
        TensorSet("memory", (), 2.5),
        TensorScale(CONTEXT, cells, -1.0),
        TensorNoise(CONTEXT, cells, 0.1, 3),
        TensorPatch(CONTEXT, cells, "a (b), 猫: 'c'", (("head", (0,)), ("position", (0, 1)))),
    )
    experiment = Experiment(kinds)
    assert Experiment.from_text(experiment.text) == experiment
    assert Experiment.from_json(experiment.to_json(model), model) == experiment


def test_what_a_switch_takes_hold_of(model: Translator) -> None:
    asked = setting_of(model)
    trace = model.trace("I have a cat")
    address = "encoder/0/self_attention/weights"
    shape = trace[address].shape
    some = (("head", (1,)), ("query", (0, 2)))
    assert count_touched(TensorSet(address), trace, asked) == (shape.numel(), shape.numel())
    assert count_touched(TensorScale(address, some), trace, asked) == (2 * shape[-1], shape.numel())
    patch = TensorPatch("*/0/feed_forward/output", (), "I have a dog")
    both = sum(trace[f"{side}/0/feed_forward/output"].numel() for side in ("encoder", "decoder"))
    assert count_touched(patch, trace, asked) == (both, both)


@pytest.mark.parametrize(
    ("switch", "key"),
    [
        (TensorSet("encoder/9/nothing"), "unknown_address"),
        (TensorSet("memory", (("head", (0,)),)), "unknown_axis"),
        (TensorSet("memory", (("position", (99,)),)), "out_of_range"),
        (TensorSet("source/ids", (), 1e6), "out_of_range"),
        (TensorPatch("memory", (), "The animal is tired"), "patch_shape"),
        (TensorPatch("memory", (("position", (0,)),), "I", (("position", (9,)),)), "out_of_range"),
        (TensorPatch("memory", (), ""), "empty_text"),
    ],
)
def test_what_a_switch_cannot_take_hold_of(model: Translator, switch: Slice, key: str) -> None:
    with pytest.raises(GlassformerError) as error:
        count_touched(switch, model.trace("I like you and your cats"), setting_of(model))
    assert error.value.key == key
