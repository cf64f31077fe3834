"""A folder of safetensors: names, types and shapes from the headers, numbers when asked for."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from safetensors import safe_open
from torch import Tensor

from glassformer.core.errors import GlassformerError
from glassformer.core.untrusted import (
    UNREADABLE,
    Stored,
    problem_of,
    read_json_file,
    regular_file,
    table_of,
    tensor_header,
)

WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"
PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl")
LARGEST_BESIDE = 256 * 2**20  # bytes of a file that is no weights; a tokenizer's has 35 MB
FLOATS = ("F32", "F16", "BF16", "F64")
# What training on several devices, compiling, and an adapter that was merged put before a name.
WRAPPERS = re.compile(r"(^|\.)((module|_orig_mod|_forward_module|base_model\.model)\.)+")
OF_HEADS = ("lm_head.", "cls.", "vocab_")  # before which a trainer's own "model." may stand, too
# The norms of the first BERTs, as they were called in another library.
OLDER = {"LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"}


@dataclass(frozen=True)
class Shelf:
    """The tensors of a folder, by their names as `plain_name` has them: what each one is."""

    folder: Path
    stored: Mapping[str, Stored]
    places: Mapping[str, tuple[str, str]]  # name -> (file, the name that it has there)

    def read(self) -> Iterator[tuple[str, Tensor]]:
        """Each tensor once, file by file."""
        by_file: dict[str, list[str]] = {}
        for name, (file, _) in self.places.items():
            by_file.setdefault(file, []).append(name)
        for file, names in by_file.items():
            with safe_open(self.folder / file, framework="pt") as opened:
                for name in names:
                    yield name, opened.get_tensor(self.places[name][1])

    def tensor(self, name: str) -> Tensor:
        """One of the tensors alone.

        Args:
            name: as `plain_name` has it.

        Returns:
            Its numbers, as they are stored.

        Raises:
            KeyError: no tensor has the name.
        """
        file, own = self.places[name]
        with safe_open(self.folder / file, framework="pt") as opened:
            found: Tensor = opened.get_tensor(own)
            return found


def plain_name(name: str, prefixes: Sequence[str]) -> str:
    """A tensor's name without what may stand before it, and as it is called today.

    Args:
        name: in the file.
        prefixes: of the family; the first that fits is taken off.

    Returns:
        The name by which families know the tensor.
    """
    name = WRAPPERS.sub(r"\1", name)
    if (inner := name.removeprefix("model.")).startswith((*prefixes, *OF_HEADS)):
        name = inner
    name = name.removeprefix(next((each for each in prefixes if name.startswith(each)), ""))
    own = next((each for each in OLDER if name.endswith(each)), "")
    return name.removesuffix(own) + OLDER[own] if own else name


def shelf_of(folder: Path, prefixes: Sequence[str]) -> Shelf:
    """What lies in a folder; no number is read.

    Args:
        folder: with model.safetensors, or with several files and their index.
        prefixes: what may stand before the names of the family's tensors.

    Returns:
        The tensors of all files, by their plain names.

    Raises:
        GlassformerError: `weights_pickle`, `weights_missing`, `weights_shard`, `weights_outside`,
            `weights_damaged`, the last also for two tensors of one plain name.
    """
    stored, places = dict[str, Stored](), dict[str, tuple[str, str]]()
    for file in _files(folder):
        try:
            _, header = tensor_header(folder / file)
        except UNREADABLE as error:
            raise damaged_folder(folder, f"{file}: {problem_of(error)}") from error
        for name, each in header.items():
            own = plain_name(name, prefixes)
            if own in stored:
                raise damaged_folder(folder, f"{name} is in it twice")
            stored[own], places[own] = each, (file, name)
    return Shelf(folder, stored, places)


def damaged_folder(folder: Path, problem: str) -> GlassformerError:
    """What is said of a folder that cannot be read.

    Args:
        folder: of the model; its name is told, not where it lies.
        problem: what is wrong, in words.

    Returns:
        The error `weights_damaged`, to be raised.
    """
    return GlassformerError("weights_damaged", path=folder.name, problem=problem)


def file_inside(folder: Path, file: str) -> Path:
    """A file of a folder, or of none.

    Args:
        folder: of the model.
        file: a name without any folder.

    Returns:
        The path; the file need not be there.

    Raises:
        GlassformerError: `weights_outside` for one that lies elsewhere, `weights_damaged` for a
            pipe, a device, a folder, and for more than any file beside the weights takes.
    """
    path = folder / file
    if Path(file).name != file or path.resolve().parent != folder.resolve():
        raise GlassformerError("weights_outside", path=folder.name, file=file)
    try:
        beside = regular_file(path).exists() and path.suffix != ".safetensors"
    except ValueError as error:
        raise damaged_folder(folder, f"{file}: {error}") from error
    if beside and path.stat().st_size > LARGEST_BESIDE:
        raise damaged_folder(folder, f"{file} has more than {LARGEST_BESIDE:,} bytes")
    return path


def _files(folder: Path) -> tuple[str, ...]:
    """The files that hold the weights, each there."""
    if file_inside(folder, WEIGHTS).is_file():
        return (WEIGHTS,)
    if not (folder / INDEX).is_file():
        found = sorted(each.name for each in folder.iterdir() if each.suffix in PICKLES)
        if found:
            raise GlassformerError("weights_pickle", path=folder.name, file=found[0])
        raise GlassformerError("weights_missing", path=folder.name)
    try:
        index = table_of(
            read_json_file(file_inside(folder, INDEX))["weight_map"], str, "weight_map"
        )
    except UNREADABLE as error:
        raise damaged_folder(folder, problem_of(error)) from error
    files = tuple(sorted(set(index.values())))
    for file in files:
        if not file_inside(folder, file).is_file():
            raise GlassformerError("weights_shard", path=folder.name, file=file)
    return files
