"""A device without float64, on a machine that has none: plain tensors that say they are elsewhere.

`Elsewhere` computes on the CPU and refuses what MPS refuses: float64, NumPy without a copy, and
arithmetic together with a tensor of the CPU. Every number that is copied to the CPU is counted.
Its tensors may be leaves of a graph, so gradients are followed there as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor
from torch.utils._pytree import tree_map

from glassformer.core.model.transformer import Transformer

DEVICE = torch.device("mps")
FACTORIES = ("tensor", "as_tensor", "arange", "zeros", "ones", "full", "empty", "eye", "rand")
NEW = ("new_tensor", "new_zeros", "new_ones", "new_full", "new_empty")
MIXED = (
    "__getitem__",
    "__setitem__",
    "copy_",
)  # an index may lie on the CPU, so may what is copied


class Copied:
    """How many numbers were copied to the CPU so far, and how many bytes they were."""

    numbers = 0
    bytes = 0


class Elsewhere(Tensor):
    """A tensor of the pretended device."""

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = dict(kwargs or {})
        name = getattr(func, "__name__", "")
        if func == Tensor.device.__get__:  # type: ignore[attr-defined]
            return DEVICE
        if name == "numpy" and not kwargs.get("force"):
            raise TypeError("can't convert mps device type tensor to numpy; use Tensor.cpu()")
        target = _target(name, args, kwargs)
        if target is None:
            _check_places(name, args, kwargs)
        given, options = args, kwargs
        if target is not None:
            given, options = _without_device(args, kwargs)
        with torch._C.DisableTorchFunctionSubclass():
            # The tensors themselves and no plain views of them: a leaf of a graph stays one.
            result = func(*given, **options)
        if name in ("numpy", "tolist", "item") or target == "cpu":
            if isinstance(args[0], Elsewhere):
                Copied.numbers += args[0].numel()
                Copied.bytes += args[0].nbytes
            return _plain(result).clone() if isinstance(result, Tensor) else result
        if name in NEW and target is not None:
            return _born(result)
        return result if isinstance(result, torch.Size) else tree_map(_moved, result)


def on_device(model: Transformer) -> Transformer:
    """The same model with its parameters on the pretended device."""
    there = {  # tied ones once
        parameter: torch.nn.Parameter(_moved(parameter.detach()), requires_grad=False)
        for parameter in model.parameters()
    }
    for module in model.modules():
        for name, parameter in list(module.named_parameters(recurse=False)):
            module.register_parameter(name, there[parameter])
    return model


# Forward differentiation compiles its rules when it is first used, from torch's own factories.
torch.autograd.forward_ad._maybe_load_decompositions()


@contextmanager
def fake_device() -> Iterator[type[Copied]]:
    """Tensors that are made with `device=` of the pretended device lie there."""
    Copied.numbers = Copied.bytes = 0
    made = {name: _made(getattr(torch, name)) for name in FACTORIES}
    own = torch.Generator
    with (
        patch.multiple(torch, **made, Generator=lambda device=None: own()),
        patch.object(Tensor, "to", _sent(Tensor.to)),
        patch.object(torch.func, "vmap", _mapped(torch.func.vmap)),
    ):
        yield Copied


def _sent(to: Callable[..., Tensor]) -> Callable[..., Tensor]:
    @wraps(to)  # an Elsewhere knows a call by its name
    def send(tensor: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        there = _target("to", (tensor, *args), kwargs) == DEVICE.type
        if isinstance(tensor, Elsewhere) or not there:
            return to(tensor, *args, **kwargs)
        args, kwargs = _without_device(*tree_map(_plain, (args, kwargs)))
        return _moved(to(tensor, *args, **kwargs))

    return send


def _made(factory: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def make(*args: Any, **kwargs: Any) -> Tensor:
        if kwargs.get("device") is None or torch.device(kwargs["device"]).type != DEVICE.type:
            return factory(*args, **kwargs)
        return _born(factory(*args, **{**kwargs, "device": "cpu"}))

    return make


def _mapped(vmap: Callable[..., Any]) -> Callable[..., Any]:
    """What it gives lies where what it is given lies; inside no tensor says where it is."""

    def over(func: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            found = vmap(func)(*args)
            there = any(isinstance(each, Elsewhere) for each in args)
            return tree_map(_moved, found) if there else found

        return call

    return over


def _moved(value: Any) -> Any:
    if not isinstance(value, Tensor) or isinstance(value, Elsewhere):
        return value
    if value.dtype == torch.float64:
        raise TypeError("Cannot convert a MPS Tensor to float64 dtype: MPS has no float64")
    with torch._C.DisableTorchFunctionSubclass():
        return value.as_subclass(Elsewhere)


def _born(value: Tensor) -> Tensor:
    """A new tensor over there: no view, so that it may be a leaf and be written into."""
    _moved(value)
    with torch._C.DisableTorchFunctionSubclass():
        return Tensor._make_subclass(Elsewhere, value, value.requires_grad)


def _plain(value: Any) -> Any:
    if not isinstance(value, Elsewhere):
        return value
    with torch._C.DisableTorchFunctionSubclass():
        return value.as_subclass(Tensor)


def _target(name: str, args: Any, kwargs: dict[str, Any]) -> str | None:
    """Where a call moves its tensor: "cpu", the pretended device, or None where it does not."""
    if name == "cpu":
        return "cpu"
    if name not in ("to", *NEW):
        return None
    given = kwargs.get("device")
    for each in args[1:] if name == "to" else ():
        if isinstance(each, Tensor):
            given = each.device
        elif isinstance(each, str | torch.device):
            given = each
    if given is None:
        return None if name == "to" else DEVICE.type
    return torch.device(given).type


def _without_device(args: Any, kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The same call on the CPU; `.to(other)` keeps the other's type of numbers."""
    args = tuple("cpu" if isinstance(each, str | torch.device) else each for each in args)
    return args, {n: "cpu" if n == "device" else each for n, each in kwargs.items()}


def _check_places(name: str, args: Any, kwargs: dict[str, Any]) -> None:
    found: list[Tensor] = []
    tree_map(lambda each: found.append(each) if isinstance(each, Tensor) else None, (args, kwargs))
    here = [
        each
        for each in found
        if not isinstance(each, Elsewhere) and each.dim() > 0
        and not torch._C._functorch.is_functorch_wrapped_tensor(each)  # it says no place
    ]  # fmt: skip
    if here and name not in MIXED:
        raise RuntimeError(f"{name}: expected all tensors to be on the same device")
