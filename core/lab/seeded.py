"""Untrained parts of the model whose weights depend on a seed alone.

torch's global random generator belongs to all sessions at once; nothing here draws from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

Module = TypeVar("Module", bound=nn.Module)


def unfilled(build: Callable[[], Module]) -> Module:
    """What `build` makes, its drawn weights left as memory holds them: for shapes alone."""
    with _NothingDrawn():
        return build().requires_grad_(False)


def seeded(build: Callable[[], Module], seed: int = 0) -> Module:
    """What `build` makes, started as the model starts: Xavier-uniform matrices, zero biases."""
    module = unfilled(build)
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
        self,
        func: Callable[..., Any],
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        given = dict(kwargs or {})
        drawn = func in (torch.Tensor.uniform_, torch.Tensor.normal_)
        if drawn or getattr(func, "__module__", "") == "torch.nn.init":
            return given.get("tensor", args[0] if args else None)
        return func(*args, **given)
