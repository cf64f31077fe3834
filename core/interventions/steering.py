"""Edits that steer: a direction added, a value set, a factor; each to all positions alike.

As they treat each position alone, a model that writes under them keeps its keys and values:

    model.generate(text, edits=[steer("decoder/3/feed_forward_residual/summed", direction, 4.0)])
"""

from collections.abc import Callable

import torch
from torch import Tensor

from glassformer.core.errors import GlassformerError
from glassformer.core.trace.tape import Edit


def steer(address: str, vector: Tensor, scale: float = 1.0, head: int | None = None) -> Edit:
    """Adds a direction to the vectors at an address, at every position ("activation addition").

    Source: Turner et al. 2023, arXiv 2308.10248, who add it in the residual stream. That a text
    changes as hoped does not establish that the model uses the direction: a random direction of
    equal length is the control.

    Args:
        address: of the vectors, wildcards allowed, such as
            `decoder/3/feed_forward_residual/summed`.
        vector: (D,), of the last axis of what is recorded there: (K,) at a head's site, (F,) at
            the units of a feed-forward network.
        scale: by which it is multiplied.
        head: of a site with heads, the one that is steered, from 0; None for all.

    Returns:
        The edit, for `trace`, `run` and `generate`.

    Raises:
        GlassformerError: when it meets a tensor: `edit_shape` for a vector of another width,
            `out_of_range` for a head that is not there.
    """

    def add(x: Tensor) -> Tensor:
        return x + scale * _fitting(vector, x, address)

    return _edit(address, add, head, f"{scale:g} × a direction at {address}")


def set_to(address: str, value: float | Tensor, head: int | None = None) -> Edit:
    """Sets what is recorded at an address, at every position: 0 ablates it.

    Args:
        address: wildcards allowed.
        value: a number, or one for each entry of the last axis, (D,).
        head: of a site with heads, the one that is set, from 0; None for all.

    Returns:
        The edit.

    Raises:
        GlassformerError: as `steer`, when it meets a tensor.
    """

    def put(x: Tensor) -> Tensor:
        if isinstance(value, Tensor):
            return _fitting(value, x, address).expand_as(x).clone()
        return torch.full_like(x, value)

    return _edit(address, put, head, f"{address} set")


def scale(address: str, factor: float, head: int | None = None) -> Edit:
    """Multiplies what is recorded at an address, at every position: 0 ablates it, 1 does nothing.

    Args:
        address: wildcards allowed.
        factor: by which each number is multiplied.
        head: of a site with heads, the one that is scaled, from 0; None for all.

    Returns:
        The edit.

    Raises:
        GlassformerError: `out_of_range`, when it meets a tensor without such a head.
    """
    return _edit(address, lambda x: x * factor, head, f"{factor:g} × {address}")


def _edit(address: str, change: Callable[[Tensor], Tensor], head: int | None, name: str) -> Edit:
    if head is None:
        return Edit(address, change, name, each_position=True)

    def change_head(x: Tensor) -> Tensor:
        heads = x.size(1) if x.dim() == 4 else 0  # (B, H, T, …)
        if not 0 <= head < heads:
            raise GlassformerError("out_of_range", name="head", given=head, last=heads - 1)
        x[:, head] = change(x[:, head])
        return x

    return Edit(address, change_head, f"{name}, head {head}", each_position=True)


def _fitting(vector: Tensor, x: Tensor, address: str) -> Tensor:
    if vector.dim() != 1 or len(vector) != x.size(-1):
        given, needed = tuple(vector.shape), (x.size(-1),)
        raise GlassformerError("edit_shape", address=address, given=given, needed=needed)
    return vector.detach().to(x)
