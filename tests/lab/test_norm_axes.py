"""Five norms against torch's own, on the same numbers read as images and as sentences."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from glassformer.core.errors import GlassformerError
from glassformer.core.lab.norm_axes import NORMS, Norm, X, norm_axes

TENSOR = torch.tensor(X)  # (2, 4, 4)
IMAGES, WORDS = TENSOR.view(2, 4, 2, 2), TENSOR.mT  # (B, C, H, W); (B, D, S), as torch wants them


def of_torch(key: Norm, x: Tensor, shape: tuple[int, ...], groups: int = 2) -> Tensor:
    if key == "batch":
        return functional.batch_norm(x, None, None, training=True)
    if key == "instance":
        return functional.instance_norm(x)
    if key == "group":
        return functional.group_norm(x, groups)
    if key == "rms":
        return functional.rms_norm(x, shape, eps=1e-5)
    return functional.layer_norm(x, shape)


@pytest.mark.parametrize("key", NORMS)
def test_each_is_torchs_own(key: Norm) -> None:
    images = of_torch(key, IMAGES, (4, 2, 2)).view(2, 4, 4)
    torch.testing.assert_close(norm_axes().norms[key].output.float(), images)
    if key in ("layer", "rms"):
        sentences = of_torch(key, TENSOR, (4,))
    else:
        sentences = of_torch(key, WORDS, ()).mT
    torch.testing.assert_close(norm_axes(reading="words").norms[key].output.float(), sentences)


def test_what_shares_a_mean() -> None:
    found = norm_axes(at=6)  # example 0, row 1, column 1
    assert found.at == (0, 1, 1)
    shares = {key: each.together for key, each in found.norms.items()}
    assert shares["batch"].nonzero()[:, 1].unique().tolist() == [1]
    assert {key: int(each.sum()) for key, each in shares.items()} == {
        "batch": 8, "layer": 16, "instance": 4, "group": 8, "rms": 16,
    }  # fmt: skip
    assert found.norms["instance"].mean == 2  # of 2, 0, 5, 1
    words = norm_axes(reading="words", at=6).norms
    assert words["layer"].together.nonzero().tolist() == [[0, 1, at] for at in range(4)]
    assert words["batch"].together[:, :, 1].all()
    assert words["group"].together.sum() == 8


def test_means_and_variances_are_torchs_own() -> None:
    found = norm_axes().norms
    kept = nn.BatchNorm2d(4, momentum=1).train()  # keeps the last batch's, the variance by n − 1
    kept(IMAGES)
    mean, variance = kept.running_mean, kept.running_var
    assert mean is not None and variance is not None
    batch = found["batch"]
    assert batch.averages[0, :, 0].tolist() == pytest.approx(mean.tolist())
    assert (batch.variances[1, :, 0] * 8 / 7).tolist() == pytest.approx(variance.tolist())
    images = IMAGES.double().flatten(1)
    assert found["layer"].averages[:, 0, 0].tolist() == pytest.approx(images.mean(1).tolist())
    own = images.var(1, correction=0).tolist()
    assert found["layer"].variances[:, 3, 3].tolist() == pytest.approx(own)
    assert found["instance"].averages[0, 1].tolist() == pytest.approx([2] * 4)  # of 2, 0, 5, 1
    assert found["instance"].variances[0, 1].tolist() == pytest.approx([3.5] * 4)
    assert found["rms"].averages[0, 0, 0] == pytest.approx(float(images[0].square().mean()))
    for reading in ("image", "words"):
        for each in norm_axes(reading=reading).norms.values():
            along = each.averages.diff(dim=2 if each.by_row else 1)
            assert float(along.abs().max()) == 0  # one row, or one column, tells of all


@pytest.mark.parametrize("groups", [1, 2, 4])
def test_group_norm_lies_between_layer_norm_and_instance_norm(groups: int) -> None:
    found = norm_axes(groups=groups).norms
    own = of_torch("group", IMAGES, (), groups).view(2, 4, 4)
    torch.testing.assert_close(found["group"].output.float(), own)
    ends = {1: "layer", 4: "instance"}
    for end, key in ends.items():
        same = torch.allclose(found["group"].output, found[key].output)  # type: ignore[index]
        assert same == (groups == end)


def test_costs() -> None:
    layers = {
        "batch": nn.BatchNorm2d(4), "layer": nn.LayerNorm([4, 2, 2]),
        "instance": nn.InstanceNorm2d(4), "group": nn.GroupNorm(2, 4), "rms": nn.RMSNorm([4, 2, 2]),
    }  # fmt: skip
    for key, each in norm_axes().norms.items():
        assert each.parameters == sum(part.numel() for part in layers[key].parameters()), key
    found = norm_axes().norms
    assert found["batch"].kept == 8  # a mean and a variance a channel
    assert found["layer"].operations == 7 * 32 + 4 * 2
    assert found["rms"].operations == 4 * 32 + 3 * 2


def test_only_batch_norm_depends_on_the_other_example() -> None:
    other = [X[0], [[cell + 3 * row for row, cell in enumerate(line)] for line in X[1]]]
    for reading in ("image", "words"):
        pairs = zip(*(norm_axes(x, reading).norms.values() for x in (X, other)), strict=True)
        moved = [one.key for one, two in pairs if not torch.equal(one.output[0], two.output[0])]
        assert moved == ["batch"]


def test_features_go_in_pairs() -> None:
    with pytest.raises(GlassformerError, match="one of"):
        norm_axes(groups=3)
    with pytest.raises(GlassformerError, match="must be"):
        norm_axes([[[1, 2], [1, 2], [1, 2]]])
    with pytest.raises(GlassformerError, match="whole number"):
        norm_axes(at=33)
