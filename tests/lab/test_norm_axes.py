"""Five norms against torch's own, on the same numbers read as images and as sentences."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from glassformer.core.errors import GlassformerError
from glassformer.core.lab.norm_axes import NORMS, Norm, X, norm_axes

TENSOR = torch.tensor(X)  # (2, 4, 4)
IMAGES, WORDS = TENSOR.view(2, 4, 2, 2), TENSOR.mT  # (B, C, H, W); (B, D, S), as torch wants them


def of_torch(key: Norm, x: Tensor, shape: tuple[int, ...]) -> Tensor:
    if key == "batch":
        return functional.batch_norm(x, None, None, training=True)
    if key == "instance":
        return functional.instance_norm(x)
    if key == "group":
        return functional.group_norm(x, 2)
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
    with pytest.raises(GlassformerError, match="must be"):
        norm_axes([[[1, 2], [1, 2], [1, 2]]])
    with pytest.raises(GlassformerError, match="whole number"):
        norm_axes(at=33)
