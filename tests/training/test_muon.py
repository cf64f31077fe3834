"""Stacked, the matrices step as torch's own Muon moves them one by one."""

import pytest
import torch
from torch import Tensor

from glassformer.core.training.optimiser import StackedMuon, orthogonalize

SHAPES = [(6, 6), (9, 6), (6, 6), (6, 9), (9, 6)]


def test_it_steps_as_the_library_does() -> None:
    generator = torch.Generator().manual_seed(3)
    mine, theirs = ([torch.nn.Parameter(torch.ones(shape)) for shape in SHAPES] for _ in range(2))
    stacked = StackedMuon(list[Tensor](mine))
    plain = torch.optim.Muon(theirs, weight_decay=0, adjust_lr_fn="match_rms_adamw")
    for _ in range(4):
        for one, other in zip(mine, theirs, strict=True):
            one.grad = torch.randn(one.shape, generator=generator)
            other.grad = one.grad.clone()
        stacked.step()
        plain.step()
    rate = stacked.param_groups[0]["lr"]
    for one, other in zip(mine, theirs, strict=True):
        assert (one - other).abs().max().item() < 0.05 * rate  # the library's turning has 16 bits
        assert (one - 1).abs().max().item() > 0.5 * rate


def test_a_matrix_without_a_gradient_stays() -> None:
    matrices = [torch.nn.Parameter(torch.ones(4, 4)) for _ in range(2)]
    matrices[0].grad = torch.eye(4)
    StackedMuon(list[Tensor](matrices)).step()
    assert not torch.equal(matrices[0], torch.ones(4, 4))
    assert torch.equal(matrices[1], torch.ones(4, 4))


@pytest.mark.parametrize("shape", [(2, 5, 5), (3, 8, 4), (1, 4, 8)])
def test_singular_values_come_near_one(shape: tuple[int, int, int]) -> None:
    start = torch.randn(shape, generator=torch.Generator().manual_seed(1))
    sizes = torch.linalg.svdvals(orthogonalize(start, (3.4445, -4.7750, 2.0315), 5, 1e-7))
    assert sizes.max() < 1.3
    assert sizes.min() > 0.3
