"""What turns gradients into steps: the rate, Adam as in §5.3, and Muon for the layers' matrices.

Muon takes the momentum of a matrix's gradient and makes all its singular values alike before it
steps, so that rare directions are learned as fast as common ones (Jordan et al., 2024; scaled to
Adam's size of step as in Liu et al., 2025, arXiv 2502.16982). Here it turns all matrices of one
shape at once: a model this small has some thirty of three shapes, and one by one, in sixteen bits
as `torch.optim.Muon` does it, they take twice as long, 30 ms of a training step of 190.

QK-clip keeps attention scores in bounds by the weights that make them (arXiv 2507.20534). In a
post-norm model the first layers read a stream that no norm has touched, and nothing bounds
‖W_q‖ ‖W_k‖: the scores grow until each row's softmax is one-hot. A head whose largest score in a
batch is above the cap gets smaller projections, so that the same score would be the cap.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, cast

import torch
from torch import Tensor, nn

from glassformer.core.model.attention import MultiHeadAttention
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.address import Address
from glassformer.core.training.training_config import TrainingConfig

SIZE = 0.2  # of a step's entries, root mean square: as large as Adam's (arXiv 2502.16982, eq. 4)
MOMENTS = ("exp_avg", "exp_avg_sq", "momentum_buffer")  # what either remembers of a parameter


def learning_rate(step: int, recipe: TrainingConfig) -> float:
    """The rate of a step (§5.3): d^−½ · min(step^−½, step · warmup^−3/2), scaled.

    The scale is the recipe's `learning_rate`. In the last `decay` share of the steps it falls
    linearly as well.

    Args:
        step: counted from 1.
        recipe: of the training.

    Returns:
        The learning rate.
    """
    noam: float = min(step**-0.5, step * recipe.warmup**-1.5) * recipe.d_model**-0.5
    left = (recipe.steps - step + 1) / max(1.0, recipe.steps * recipe.decay)
    return recipe.learning_rate * noam * min(1.0, left)


class StackedMuon(torch.optim.Muon):
    """`torch.optim.Muon` with Adam's size of step; what decays is the optimiser's business."""

    def __init__(self, matrices: list[Tensor]) -> None:
        super().__init__(matrices, weight_decay=0, adjust_lr_fn="match_rms_adamw")

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]  # noqa: ARG002
        """One step of every matrix that has a gradient.

        Args:
            closure: not used; the signature is torch's.
        """
        for group in self.param_groups:
            by_shape: dict[torch.Size, list[Tensor]] = defaultdict(list)
            for matrix in group["params"]:
                if matrix.grad is not None:
                    by_shape[matrix.shape].append(matrix)
            for shape, matrices in by_shape.items():
                moved = torch.stack([self._momentum(each, group) for each in matrices])
                moved = orthogonalize(
                    moved, group["ns_coefficients"], group["ns_steps"], group["eps"]
                )
                length = group["lr"] * SIZE * max(shape) ** 0.5
                for matrix, change in zip(matrices, moved, strict=True):
                    matrix.add_(change, alpha=-length)

    def _momentum(self, matrix: Tensor, group: dict[str, Any]) -> Tensor:
        """The gradient, carried on by those before it (Nesterov's way)."""
        assert matrix.grad is not None
        state, share = self.state[matrix], 1 - group["momentum"]
        buffer = state.setdefault("momentum_buffer", torch.zeros_like(matrix.grad))
        buffer.lerp_(matrix.grad, share)
        return matrix.grad.lerp(buffer, group["momentum"])


def orthogonalize(
    matrices: Tensor, coefficients: tuple[float, float, float], rounds: int, eps: float
) -> Tensor:
    """Matrices with their singular values brought near 1 by rounds of Newton and Schulz.

    Args:
        matrices: (N, R, C).
        coefficients: a, b, c of a round, X ← aX + (bG + cG²)X with G = XXᵀ.
        rounds: how many.
        eps: the least norm that a matrix is divided by before the first round.

    Returns:
        (N, R, C).
    """
    a, b, c = coefficients
    x = matrices.mT if matrices.size(1) > matrices.size(2) else matrices  # (N, short, long)
    x = x / x.norm(dim=(1, 2), keepdim=True).clamp(min=eps)
    for _ in range(rounds):
        gram = x @ x.mT  # (N, short, short)
        x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.mT if matrices.size(1) > matrices.size(2) else x


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
        """One step by the gradients that lie in the model, which are then forgotten.

        Args:
            rate: of the schedule; Adam beside Muon has its own factor.
        """
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
        """What is remembered of a parameter, by name; nothing before the first step.

        Args:
            parameter: of the model.

        Returns:
            Tensors of the parameter's shape, by their names in `MOMENTS`.
        """
        state = self._of(parameter).state[parameter]
        return {name: state[name] for name in MOMENTS if name in state}

    def remember(self, parameter: nn.Parameter, step: int, moments: Mapping[str, Tensor]) -> None:
        """Puts back what `moments` gave after so many steps.

        Args:
            parameter: of the model.
            step: steps done.
            moments: by name.
        """
        kept = {name: value.to(parameter.device) for name, value in moments.items()}
        self._of(parameter).state[parameter] = {"step": torch.tensor(float(step)), **kept}

    def _of(self, parameter: nn.Parameter) -> torch.optim.Optimizer:
        if self._muon is None:
            return self._adam
        mine = any(parameter is each for each in self._muon.param_groups[0]["params"])
        return self._muon if mine else self._adam


def layer_matrices(model: Transformer) -> list[Tensor]:
    """The weights of attention and feed-forward: all matrices but the embeddings' (§3.4).

    Args:
        model: any Transformer.

    Returns:
        The weights of its linear maps, themselves and not copies.
    """
    return [part.weight for part in model.modules() if isinstance(part, nn.Linear)]


@torch.no_grad()
def cap_logits(model: Transformer, largest: Mapping[str, Tensor], cap: float) -> None:
    """Multiplies W_q, W_k and their biases by √(cap / largest) in heads where that is below 1.

    Args:
        model: whose weights are changed in place.
        largest: (H,) by address ("encoder/0/self_attention"): each head's largest absolute scaled
            score among those that no mask forbids.
        cap: what such a score may be.
    """
    for address, scores in largest.items():
        attention = cast(MultiHeadAttention, model.get_submodule(Address.of(address).module))
        factor = (cap / scores).clamp(max=1).sqrt()  # (H,)
        rows = factor.repeat_interleave(attention.config.d_k)  # (D,)
        for projection in (attention.w_q, attention.w_k):
            projection.weight.mul_(rows[:, None])
            if projection.bias is not None:
                projection.bias.mul_(rows)
