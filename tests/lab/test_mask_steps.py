"""The decoder's steps: one masked pass against a pass a step, and against no mask."""

import torch

from glassformer.core.config import ModelConfig
from glassformer.core.lab.mask_steps import target_steps
from glassformer.core.model.transformer import Transformer


def test_one_pass_is_every_step_and_the_mask_is_what_makes_it_so() -> None:
    torch.manual_seed(3)
    config = ModelConfig(vocabulary_size=11, d_model=8, n_heads=2)
    model = Transformer(config).eval().requires_grad_(False)
    source, target = torch.tensor([[4, 5, 6]]), torch.tensor([[1, 7, 8, 9]])
    found = target_steps(model, source, target)
    assert found.allowed.tolist() == torch.ones(4, 4).tril().bool().tolist()
    assert found.masked.shape == found.alone.shape == (4, 11)
    assert float(found.apart.max()) < 1e-6
    again = model(source, target[:, :2])[0, -1].softmax(-1)
    torch.testing.assert_close(found.masked[1], again)
    open_rows = (found.unmasked - found.masked).abs().amax(dim=-1)
    assert bool((open_rows[:-1] > 1e-4).all())
    torch.testing.assert_close(found.masked.sum(dim=-1), torch.ones(4))
