"""Every tensor of a folder is used, or known as not needed; every parameter has its numbers."""

from collections.abc import Iterator, Mapping, Sequence

import torch
from torch import Tensor

from glassformer.core.config import ModelConfig
from glassformer.core.errors import GlassformerError
from glassformer.core.model.shell import shell_of
from glassformer.core.weights.family import Family, Theirs
from glassformer.core.weights.read import FLOATS, Shelf

SHOWN = 5  # problems in one sentence

Shape = tuple[int, ...]


SOURCE, TARGET, GENERATOR = TABLES = (
    "source_embedding.table.weight", "target_embedding.table.weight", "generator.weight",
)  # fmt: skip


def locate_tables(family: Family, config: ModelConfig, shelf: Shelf) -> dict[str, Theirs]:
    """Where each of `TABLES` lies in a folder, whether the config ties it or not.

    What lies nowhere by itself is what it is tied to: a folder may hold it by any of the names.

    Args:
        family: says by which names the folder may hold a table.
        config: which of the tables are one.
        shelf: the tensors of the folder.

    Returns:
        By our name of the table, their tensor; without a table that lies nowhere and is tied to
        none that does.
    """
    own = {name: here for name in TABLES if (here := _first(family, name, shelf)) is not None}
    tied = _tied(config)
    lent = next((own[each] for each in TABLES if each in tied and each in own), None)
    return own | ({} if lent is None else {each: lent for each in tied if each not in own})


def _tied(config: ModelConfig) -> list[str]:
    """Which of `TABLES` the config takes for one."""
    shared = [SOURCE, TARGET] if config.share_embeddings and config.has_both else []
    written = TARGET if config.decoder_layers else SOURCE
    return [*dict.fromkeys([*shared, *([written, GENERATOR] if config.tie_generator else [])])]


def _first(family: Family, name: str, shelf: Shelf) -> Theirs | None:
    return next((each for each in family.theirs(name) if each.name in shelf.stored), None)


def locate_parameters(family: Family, config: ModelConfig, shelf: Shelf) -> dict[str, Theirs]:
    """Where each parameter of ours lies; shapes are compared before anything is built.

    Args:
        family: says by which names the folder may hold a parameter.
        config: the model that is to be built.
        shelf: the tensors of the folder.

    Returns:
        By our name of the parameter, their tensor; without the family's optional ones that the
        folder has not.

    Raises:
        GlassformerError: `weights_tensors` with the first five that are missing or misshapen,
            `weights_unknown` with those that are not known, `weights_unsupported` for numbers that
            are no floating-point numbers.
    """
    expected = {name: tuple(each.shape) for name, each in shell_of(config).named_parameters()}
    found = dict[str, Theirs]()
    own = locate_tables(family, config, shelf)
    for name in expected:
        here = own.get(name) or _first(family, name, shelf)
        if here is not None:
            found[name] = here
    problems = [
        *_misfits(family, expected, found, shelf),
        *_other_tables(config, own, found, shelf),
    ]
    path, unknown = shelf.folder.name, _unknown(family, expected, shelf)
    if problems:
        raise GlassformerError("weights_tensors", path=path, problem=_listed(problems))
    if unknown:
        raise GlassformerError("weights_unknown", path=path, names=_listed(unknown))
    return found


def _listed(each: Sequence[str]) -> str:
    more = f" (and {len(each) - SHOWN} more)" if len(each) > SHOWN else ""
    return "; ".join(each[:SHOWN]) + more


def _unknown(family: Family, expected: Mapping[str, Shape], shelf: Shelf) -> list[str]:
    """Tensors that no parameter of the family's is read from, and that are no known addition."""
    names = {each.name for name in (*expected, *TABLES) for each in family.theirs(name)}
    return [name for name in shelf.stored if name not in names and not family.is_spare(name)]


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
        if name in used and stored.dtype not in FLOATS:
            raise GlassformerError(
                "weights_unsupported", path=shelf.folder.name, what=f"numbers of {stored.dtype}"
            )


def _other_tables(
    config: ModelConfig, own: Mapping[str, Theirs], found: Mapping[str, Theirs], shelf: Shelf
) -> Iterator[str]:
    """Tables that the config ties and the folder holds, too: those of another shape."""
    for name in own.keys() - found.keys():
        rows = config.source_vocabulary_size if name == SOURCE else 0
        shape = (rows or config.vocabulary_size, config.d_model)
        stored = shelf.stored[own[name].name]
        if stored.shape != shape or not stored.is_float:
            yield f"{own[name].name} is {stored.shape} of {stored.dtype}, not {shape}"


def shape_in_file(theirs: Theirs, shape: Shape) -> Shape:
    """The shape of their tensor, of which a parameter of ours has that shape.

    Args:
        theirs: how the parameter lies in their tensor: rows and columns exchanged, or one of
            several equal parts.
        shape: of our parameter.

    Returns:
        The shape that the whole tensor has to have in the file.
    """
    _, parts = theirs.part or (0, 1)
    whole = (shape[0] * parts, *shape[1:])
    return whole[::-1] if theirs.turned else whole


def as_ours(theirs: Theirs, tensor: Tensor, shape: Shape, dtype: torch.dtype | None) -> Tensor:
    """Their tensor as a parameter of ours.

    Args:
        theirs: how the parameter lies in the tensor.
        tensor: all of it, as it was read from the file.
        shape: of our parameter.
        dtype: of the result; None keeps what the tensor is stored in.

    Returns:
        The parameter's numbers, contiguous, of that shape.
    """
    return view_as_ours(theirs, tensor, shape).to(dtype or tensor.dtype).contiguous()


def view_as_ours(theirs: Theirs, tensor: Tensor, shape: Shape) -> Tensor:
    """The part of their tensor that is a parameter of ours, where it lies.

    Args:
        theirs: how the parameter lies in the tensor.
        tensor: all of it.
        shape: of our parameter.

    Returns:
        A view of that shape: it shares the tensor's memory.
    """
    whole = tensor.T if theirs.turned else tensor
    if theirs.part is not None:
        which, parts = theirs.part
        whole = whole.chunk(parts, dim=0)[which]
    return whole.view(shape) if whole.shape != shape else whole
