"""Every tensor of a folder is used, or known as not needed; every parameter has its numbers."""

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor

from core.config import ModelConfig
from core.errors import GlassformerError
from core.model.shell import shell_of
from core.weights.family import Family, Theirs
from core.weights.read import FLOATS, Shelf

SHOWN = 5  # problems in one sentence

Shape = tuple[int, ...]


def account(family: Family, config: ModelConfig, shelf: Shelf) -> dict[str, Theirs]:
    """Where each parameter of ours lies, by its name; shapes are compared before anything is built.

    Raises `weights_tensors` with the first five that are missing, misshapen or unknown,
    `weights_unsupported` for numbers that are no floating-point numbers.
    """
    expected = {name: tuple(each.shape) for name, each in shell_of(config).named_parameters()}
    found = dict[str, Theirs]()
    for name in expected:
        here = next((each for each in family.theirs(name) if each.name in shelf.stored), None)
        if here is not None:
            found[name] = here
    problems = list(_misfits(family, expected, found, shelf))
    if problems:
        problem = "; ".join(problems[:SHOWN])
        more = f" (and {len(problems) - SHOWN} more)" if len(problems) > SHOWN else ""
        raise GlassformerError("weights_tensors", path=shelf.folder.name, problem=problem + more)
    return found


def _misfits(
    family: Family, expected: Mapping[str, Shape], found: Mapping[str, Theirs], shelf: Shelf
) -> Iterator[str]:
    for name, shape in expected.items():
        if name not in found:
            if name not in family.optional:
                known = family.theirs(name)
                yield f"{known[0].name if known else name} is missing"
            continue
        theirs = found[name]
        given, needed = shelf.stored[theirs.name].shape, shape_in_file(theirs, shape)
        if given not in (needed, (1, *needed)):
            yield f"{theirs.name} is {given}, not {needed}"
    used = {each.name for each in found.values()}
    for name, stored in shelf.stored.items():
        if name not in used and not family.is_spare(name):
            yield f"{name} is unknown"
        elif name in used and stored.dtype not in FLOATS:
            raise GlassformerError(
                "weights_unsupported", path=shelf.folder.name, what=f"numbers of {stored.dtype}"
            )


def shape_in_file(theirs: Theirs, shape: Shape) -> Shape:
    """The shape of their tensor, of which a parameter of ours has that shape."""
    _, parts = theirs.part or (0, 1)
    whole = (shape[0] * parts, *shape[1:])
    return whole[::-1] if theirs.turned else whole


def as_ours(theirs: Theirs, tensor: Tensor, shape: Shape, dtype: torch.dtype | None) -> Tensor:
    """Their tensor as a parameter of ours; dtype None keeps what it is stored in."""
    whole = tensor.T if theirs.turned else tensor
    if theirs.part is not None:
        which, parts = theirs.part
        whole = whole.chunk(parts, dim=0)[which]
    return whole.reshape(shape).to(dtype or tensor.dtype).contiguous()
