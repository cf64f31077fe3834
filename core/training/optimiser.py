"""What turns gradients into steps: Adam as in §5.3, and Muon for the matrices of the layers.

Muon takes the momentum of a matrix's gradient and makes all its singular values alike before it
steps, so that rare directions are learned as fast as common ones (Jordan et al., 2024; scaled to
Adam's size of step as in Liu et al., 2025, arXiv 2502.16982).
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from core.model.transformer import Transformer
from core.training.muon import StackedMuon

MOMENTS = ("exp_avg", "exp_avg_sq", "momentum_buffer")  # what either remembers of a parameter


class Optimiser:
    """Adam for embeddings, norms and biases; for the layers' matrices Muon, or Adam, too.

    The matrices decay: after each step they are multiplied by 1 − weight_decay · rate (decoupled
    weight decay, arXiv 1711.05101). Under Muon, whose steps are all of one size, nothing else
    bounds them.
    """

    def __init__(
        self, model: Transformer, muon: bool, adam_rate: float = 1.0, weight_decay: float = 0.0
    ) -> None:
        self._matrices = layer_matrices(model)
        matrices = self._matrices if muon else []
        self._adam_rate = adam_rate  # in rates of the schedule
        self._weight_decay = weight_decay
        inside = {id(parameter) for parameter in matrices}
        others = [each for each in model.parameters() if id(each) not in inside]
        fused = model.generator.weight.device.type != "mps"
        self._adam = torch.optim.Adam(others, betas=(0.9, 0.98), eps=1e-9, fused=fused)
        self._muon = StackedMuon(matrices) if matrices else None

    @torch.no_grad()
    def step(self, rate: float) -> None:
        """One step by the gradients that lie in the model, which are then forgotten."""
        for optimiser, share in ((self._adam, self._adam_rate), (self._muon, 1.0)):
            if optimiser is None:
                continue
            for group in optimiser.param_groups:
                group["lr"] = rate * share
            optimiser.step()
            optimiser.zero_grad()
        if self._weight_decay:
            torch._foreach_mul_(self._matrices, 1 - self._weight_decay * rate)

    def moments(self, parameter: nn.Parameter) -> dict[str, Tensor]:
        """What is remembered of a parameter, by name; nothing before the first step."""
        state = self._of(parameter).state[parameter]
        return {name: state[name] for name in MOMENTS if name in state}

    def remember(self, parameter: nn.Parameter, step: int, moments: Mapping[str, Tensor]) -> None:
        """Puts back what `moments` gave after so many steps."""
        kept = {name: value.to(parameter.device) for name, value in moments.items()}
        self._of(parameter).state[parameter] = {"step": torch.tensor(float(step)), **kept}

    def _of(self, parameter: nn.Parameter) -> torch.optim.Optimizer:
        if self._muon is None:
            return self._adam
        mine = any(parameter is each for each in self._muon.param_groups[0]["params"])
        return self._muon if mine else self._adam


def layer_matrices(model: Transformer) -> list[Tensor]:
    """The weights of attention and feed-forward: all matrices but the embeddings' (§3.4)."""
    return [part.weight for part in model.modules() if isinstance(part, nn.Linear)]
