"""How heads lie in memory: shapes, strides, and the view that torch refuses after a transpose."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from glassformer.core.lab.code_errata import error_of
from glassformer.core.lab.inputs import read_choice, read_whole_number

WAYS = ("concat", "split")
MOST_AXES = 6


@dataclass(frozen=True)
class Laid:
    """A tensor made from x, and where it has the number that is watched."""

    code: str  # what makes it from x or y
    shape: tuple[int, ...]  # () where torch refuses
    stride: tuple[int, ...]  # numbers of memory from one entry of an axis to the next
    contiguous: bool
    copied: bool  # it lies in memory of its own
    index: tuple[int, ...]  # of the number that is watched
    place: int  # of that number in memory: the sum of index times stride
    value: float
    error: str  # torch's own; "" where it runs


def lay_out(
    heads: Tensor, way: Any = "concat", watched: Sequence[int] = (0, 0, 0), shape: Any = (1, -1, 1)
) -> tuple[Laid, ...]:
    """The steps by which heads are put side by side, or a vector is split into them (§3.2.2).

    Args:
        heads: (B, H, S, K), what the heads of one attention hold.
        way: "concat": x is `heads`; "split": x is the same as (B, S, H K), before the split.
        watched: word, head and feature in the head of the first sentence, from 0.
        shape: what the transposed y is viewed as, up to 6 whole numbers, -1 for what is left.

    Returns:
        A row a step: x, what is made of it up to the transposed y, then `y.view(shape)` alone, and
        the ways that copy first.

    Raises:
        GlassformerError: `lab_…`, as `core.lab.inputs`.
    """
    read_choice("way", way, WAYS)
    sizes = list(shape) if isinstance(shape, list | tuple) else [shape]
    given = [read_whole_number("shape", each, -1, 10**6) for each in sizes]
    read_whole_number("shape", len(given), 1, MOST_AXES)
    x = heads.contiguous()
    word, head, feature = watched
    number = torch.arange(x.numel()).view(x.shape)  # names every number of x, on the way, too
    name = int(number[0, head, word, feature])
    if way == "split":
        x, number = (each.transpose(1, 2).flatten(-2) for each in (x, number))
    steps = _steps(tuple(heads.shape), way, given)
    return tuple(_laid(code, make, x, number, name) for code, make in steps)


def _steps(
    sizes: tuple[int, ...], way: str, shape: list[int]
) -> list[tuple[str, Callable[[Tensor], Tensor]]]:
    """Each step as code and as what it does to x."""
    batch, count, words, inside = sizes
    apart = (batch, words, count, inside)
    written = f"({', '.join(map(str, shape))})"

    def made(x: Tensor) -> Tensor:
        return (x.view(apart) if way == "split" else x).transpose(1, 2)

    first: list[tuple[str, Callable[[Tensor], Tensor]]] = [("x", lambda x: x)]
    if way == "split":
        first.append((f"x.view{apart}", lambda x: x.view(apart)))
    before = f"x.view{apart}" if way == "split" else "x"
    return [
        *first,
        (f"y = {before}.transpose(1, 2)", made),
        (f"y.view{written}", lambda x: made(x).view(shape)),
        ("y.contiguous()", lambda x: made(x).contiguous()),
        (f"y.contiguous().view{written}", lambda x: made(x).contiguous().view(shape)),
        (f"y.reshape{written}", lambda x: made(x).reshape(shape)),
    ]


def _laid(
    code: str, make: Callable[[Tensor], Tensor], x: Tensor, number: Tensor, name: int
) -> Laid:
    if error := error_of(lambda: make(x)):
        return Laid(code, (), (), False, False, (), 0, float("nan"), error)
    found = make(x)
    index = tuple((make(number) == name).nonzero()[0].tolist())
    return Laid(
        code=code,
        shape=tuple(found.shape),
        stride=found.stride(),
        contiguous=found.is_contiguous(),
        copied=found.untyped_storage().data_ptr() != x.untyped_storage().data_ptr(),
        index=index,
        place=sum(at * far for at, far in zip(index, found.stride(), strict=True)),
        value=float(found[index]),
        error="",
    )
