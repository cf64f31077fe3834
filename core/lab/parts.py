"""Untrained parts of the model, and what several experiments of the Lab measure of one.

Weights depend on a seed alone: torch's global random generator belongs to all sessions at once, and
nothing here draws from it.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from glassformer.core.model.attention import attention_maps
from glassformer.core.trace.tape import Recorder

Module = TypeVar("Module", bound=nn.Module)
EVERYTHING = torch.ones(1, 1, 1, 1, dtype=torch.bool)  # a mask: every word may look at all


def build_unfilled(build: Callable[[], Module]) -> Module:
    """A module whose drawn weights are left as memory holds them: for shapes alone.

    Args:
        build: makes the module.

    Returns:
        What it makes, without gradients.
    """
    with _NothingDrawn():
        return build().requires_grad_(False)


def build_seeded(build: Callable[[], Module], seed: int = 0) -> Module:
    """A module started as the model starts: Xavier-uniform matrices, zero biases.

    Args:
        build: makes the module.
        seed: of the matrices; torch's global random state is left alone.

    Returns:
        What it makes, without gradients; the same seed gives the same weights.
    """
    module = build_unfilled(build)
    generator = torch.Generator().manual_seed(seed)
    for name, parameter in module.named_parameters():
        if parameter.dim() > 1:
            nn.init.xavier_uniform_(parameter, generator=generator)
        elif "bias" in name:
            nn.init.zeros_(parameter)
    return module


class _NothingDrawn(TorchFunctionMode):
    """Skips every draw of starting weights."""

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        given = dict(kwargs or {})
        drawn = func in (torch.Tensor.uniform_, torch.Tensor.normal_)
        if drawn or getattr(func, "__module__", "") == "torch.nn.init":
            return given.get("tensor", args[0] if args else None)
        return func(*args, **given)


def jacobian(normalise: Callable[[Tensor], Tensor], scores: Tensor) -> Tensor:
    """∂ weight_i / ∂ score_j by backpropagation.

    Args:
        normalise: (…, S) -> (…, S), such as a softmax.
        scores: (…, S).

    Returns:
        (…, S, S): row i has the gradient of weight i.
    """
    with torch.enable_grad():
        leaf = scores.detach().clone().requires_grad_()
        weights = normalise(leaf)  # (…, S)
        rows = [
            torch.autograd.grad(weights[..., i].sum(), leaf, retain_graph=True)[0]
            for i in range(scores.size(-1))
        ]
    return torch.stack(rows, dim=-2)  # (…, S, S)


def attention_stages(q: Tensor, k: Tensor) -> dict[str, Tensor]:
    """One head's stages by the model's own function, §3.2.1, every word looking at all.

    Args:
        q: (T, K), or (B, T, K).
        k: (S, K), or (B, S, K).

    Returns:
        `scores`, `scaled`, `mask`, `masked` and `weights`, each (T, S) or (B, T, S).
    """
    tape = Recorder()
    heads = [each.reshape(-1, 1, *each.shape[-2:]) for each in (q, k)]  # (B, 1, T, K)
    attention_maps(heads[0], heads[1], EVERYTHING, "large_negative", tape)
    shape = (*q.shape[:-1], k.size(-2))
    return {name: value.reshape(shape) for name, value in tape.tensors.items()}
