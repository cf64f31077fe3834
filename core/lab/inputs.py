"""What people type into the Lab, read as numbers or refused with a reason.

Every reader takes the input's name (a key), what was given (numbers, or text as typed) and what is
allowed. All of them raise `GlassformerError`: `lab_number`, `lab_range`, `lab_whole`, `lab_empty`,
`lab_lengths`, `lab_shape`, `lab_large` or `lab_choice`, with the name among its values.
"""

import math
from collections.abc import Collection, Sequence
from typing import Any

import torch
from torch import Tensor

from glassformer.core.errors import GlassformerError

LARGEST = 1e6  # of a number typed: its square still has room in float32
CELLS = 1024  # of an array typed
SHOWN = 24  # characters of a wrong input that are repeated to the reader

Shape = tuple[int | None, ...]  # None: any size


def read_number(name: str, given: Any, low: float = -LARGEST, high: float = LARGEST) -> float:
    """One finite number; text may have a true minus (−) or full-width digits.

    Args:
        name: of the input, a key, for the error.
        given: a number, or text as typed.
        low: the least that is allowed, itself included.
        high: the largest that is allowed, itself included.

    Returns:
        The number.

    Raises:
        GlassformerError: `lab_number` for what is no finite number, `lab_range` for one that is not
            allowed.
    """
    found = _parsed(given)
    if found is None or not math.isfinite(found):
        raise GlassformerError("lab_number", name=name, given=_shown(given))
    if not low <= found <= high:
        raise GlassformerError("lab_range", name=name, given=_shown(given), low=low, high=high)
    return found


def read_whole_number(name: str, given: Any, low: int, high: int, multiple_of: int = 1) -> int:
    """One whole number between two others.

    Args:
        name: of the input, a key, for the error.
        given: a number, or text as typed; 3.0 is whole, True is no number.
        low: the least that is allowed, itself included.
        high: the largest that is allowed, itself included.
        multiple_of: what must divide the number.

    Returns:
        The number.

    Raises:
        GlassformerError: `lab_number` for what is no number, `lab_whole` for one that is not whole
            or not allowed, `lab_shape` for one that is no multiple.
    """
    found = _parsed(given)
    if found is None or math.isnan(found):
        raise GlassformerError("lab_number", name=name, given=_shown(given))
    if not low <= found <= high or found != int(found):
        raise GlassformerError("lab_whole", name=name, given=_shown(given), low=low, high=high)
    if found % multiple_of:
        needed = f"{multiple_of} × n"
        raise GlassformerError("lab_shape", name=name, given=int(found), needed=needed)
    return int(found)


def read_choice(name: str, given: Any, allowed: Collection[str]) -> str:
    """One of some keys.

    Args:
        name: of the input, a key, for the error.
        given: what was chosen.
        allowed: the keys.

    Returns:
        The key.

    Raises:
        GlassformerError: `lab_choice` for anything else.
    """
    if not isinstance(given, str) or given not in allowed:
        options = ", ".join(allowed)
        raise GlassformerError("lab_choice", name=name, given=_shown(given), allowed=options)
    return given


def array(
    name: str, given: Any, axes: int = 1, shape: Shape | None = None, limit: int = CELLS
) -> Tensor:
    """Numbers on some axes, of nested rows or a tensor.

    Args:
        name: of the input, a key, for the error.
        given: nested rows of numbers or of text as typed, or a tensor.
        axes: how many; 0 for a single number.
        shape: what another input asks for, a size an axis, None where any size will do; None alone
            for any shape.
        limit: numbers at most.

    Returns:
        float64, of the shape that was given.

    Raises:
        GlassformerError: `lab_number`, `lab_range`, `lab_empty`, `lab_lengths` for rows of
            different lengths, `lab_large`, `lab_shape`.
    """
    sizes, cells = _walk(name, _listed(given), axes, limit)
    if len(cells) > limit:
        raise GlassformerError("lab_large", name=name, given=len(cells), limit=limit)
    if shape is not None and not all(a in (None, b) for a, b in zip(shape, sizes, strict=True)):
        raise GlassformerError("lab_shape", name=name, given=_size(sizes), needed=_size(shape))
    return torch.tensor(cells, dtype=torch.float64).reshape(sizes)


def flags(name: str, given: Any, axes: int = 2, shape: Shape | None = None) -> Tensor:
    """Zeros and ones on some axes; True and False are read as 1 and 0.

    Args:
        name: of the input, a key, for the error.
        given: nested rows or a tensor.
        axes: how many.
        shape: as `array` takes it.

    Returns:
        bool, of the shape that was given.

    Raises:
        GlassformerError: as `array`; `lab_whole` for another number than 0 and 1.
    """
    found = array(name, _as_numbers(given), axes, shape)
    for cell in found.flatten().tolist():
        if cell not in (0.0, 1.0):
            raise GlassformerError("lab_whole", name=name, given=f"{cell:g}", low=0, high=1)
    return found.bool()


def _walk(name: str, given: Any, axes: int, limit: int) -> tuple[tuple[int, ...], list[float]]:
    if axes == 0:
        return (), [read_number(name, given)]
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise GlassformerError("lab_number", name=name, given=_shown(given))
    if not given:
        raise GlassformerError("lab_empty", name=name)
    if len(given) > limit:
        raise GlassformerError("lab_large", name=name, given=len(given), limit=limit)
    parts = [_walk(name, part, axes - 1, limit) for part in given]
    sizes = [size for size, _ in parts]
    if len(set(sizes)) > 1:
        raise GlassformerError("lab_lengths", name=name, given=", ".join(map(_size, sizes)))
    return (len(given), *sizes[0]), [cell for _, cells in parts for cell in cells]


def _listed(given: Any) -> Any:
    return given.tolist() if hasattr(given, "tolist") else given


def _as_numbers(given: Any) -> Any:
    given = _listed(given)
    if isinstance(given, Sequence) and not isinstance(given, str):
        return [_as_numbers(part) for part in given]
    return int(given) if isinstance(given, bool) else given


def _parsed(given: Any) -> float | None:
    if isinstance(given, bool) or given is None:
        return None
    try:
        return float(given.replace("−", "-") if isinstance(given, str) else given)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        return None


def _shown(given: Any) -> str:
    text = str(given)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def _size(sizes: Shape) -> str:
    return " × ".join("n" if size is None else str(size) for size in sizes)
