"""A GPT-2-shaped folder, the oracle's model of it, hooks of torch: what tools are held against."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import torch
from torch import Tensor

from glassformer.core.weights.opened_model import OpenedModel, open_model
from tests.weights import folders

IDS = ([5, 17, 40, 41, 9, 33], [5, 17, 40, 12, 9, 33])  # two texts, one word apart
LONGER = [7, 30, 22, 19, 5, 17, 40, 3]


@cache
def gpt2() -> tuple[OpenedModel, Any]:
    """Ours and the oracle's, with the same random weights."""
    folder = Path(mkdtemp(prefix="glassformer-tools-"))
    theirs = folders.whole("gpt2", folder).eval().requires_grad_(False)
    return open_model(folder), theirs


@contextmanager
def entering(module: Any, change: Callable[[Tensor], Tensor]) -> Iterator[None]:
    """What a module reads is changed on the way in, by a hook of torch."""

    def hook(_: Any, given: tuple[Any, ...]) -> tuple[Any, ...]:
        return change(given[0].clone()), *given[1:]

    handle = module.register_forward_pre_hook(hook)
    try:
        yield
    finally:
        handle.remove()


@contextmanager
def leaving(module: Any, change: Callable[[Tensor], Tensor]) -> Iterator[None]:
    """What a module writes is changed on the way out."""
    handle = module.register_forward_hook(lambda _, __, found: change(found.clone()))
    try:
        yield
    finally:
        handle.remove()


def seen(module: Any, run: Callable[[], Any]) -> Tensor:
    """What a module reads in a run."""
    found: list[Tensor] = []
    handle = module.register_forward_pre_hook(lambda _, given: found.append(given[0].clone()))
    try:
        run()
    finally:
        handle.remove()
    return found[0]


@torch.no_grad()
def last_logits(theirs: Any, ids: list[int]) -> Tensor:
    """The oracle's logits of the last row, (V,)."""
    found: Tensor = theirs(torch.tensor([ids])).logits[0, -1]
    return found
