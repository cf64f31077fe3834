"""What a file is, by its content alone: its name may say anything. An experiment's facts."""

import codecs
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from glassformer.core.errors import GlassformerError
from glassformer.core.text_models.model import DIRECTIONS

Kind = Literal["run", "experiment", "model"]
MEGABYTE = 2**20
MOST_BYTES: dict[Kind, int] = {
    "run": 32 * MEGABYTE,  # one of the bundled translator takes at most 10
    "experiment": MEGABYTE,
    "model": 32 * MEGABYTE,
}
MOST_TENSORS = 20_000  # of a safetensors file: 64 layers record some 5,000
MOST_HEADER = 16 * MEGABYTE  # of a safetensors file: names, shapes and facts as JSON
SHAPE = b'"shape"'  # stands with each tensor: they are counted before they are read
ZIP = b"PK\x03\x04"
EXPERIMENT = "glassformer-experiment"
LONGEST = 10_000  # characters of a sentence
SENTENCE = ("text", "text_pair", "direction", "second")


def kind_of(data: bytes) -> Kind:
    """What kind of file these bytes are; a zip counts as a model until it is unpacked.

    Args:
        data: the whole file.

    Returns:
        `run`, `experiment` or `model`.

    Raises:
        GlassformerError: `file_foreign`, `file_damaged`, `file_large` for more than the kind may
            have.
    """
    kind = _kind(data)
    refuse_large(len(data), MOST_BYTES[kind])
    return kind


def refuse_large(given: int, limit: int) -> None:
    """Raises for more bytes than the limit.

    Args:
        given: bytes that there are.
        limit: bytes that there may be.

    Raises:
        GlassformerError: `file_large`.
    """
    if given > limit:
        sizes = [f"{size / MEGABYTE:,.1f} MB" for size in (given, limit)]
        raise GlassformerError("file_large", given=sizes[0], limit=sizes[1])


def require_facts(*facts: bool) -> None:
    """Raises unless all hold.

    Args:
        *facts: what must be so of a file.

    Raises:
        GlassformerError: `file_damaged`.
    """
    if not all(facts):
        raise GlassformerError("file_damaged")


@contextmanager
def damaged_by(*failures: type[Exception]) -> Iterator[None]:
    """Such a failure inside says that the file is damaged; what is said of files already stays.

    Args:
        *failures: classes of exceptions.

    Yields:
        Nothing: it is for a `with` statement.

    Raises:
        GlassformerError: `file_damaged`, or the one raised inside whose key begins with `file_`.
    """
    try:
        yield
    except failures as error:
        if isinstance(error, GlassformerError) and error.key.startswith("file_"):
            raise
        raise GlassformerError("file_damaged") from error


def header_of(data: bytes) -> dict[str, Any]:
    """What the header of safetensors tells; no number is read.

    Args:
        data: the whole file.

    Returns:
        Tensors by name, and the facts under `__metadata__` where there are any.

    Raises:
        GlassformerError: `file_damaged`, `file_large`.
    """
    size = int.from_bytes(data[:8], "little")
    refuse_large(size, MOST_HEADER)
    require_facts(len(data) >= 8 + size, data.count(SHAPE, 8, 8 + size) <= MOST_TENSORS)
    header = as_object(data[8 : 8 + size])
    require_facts(len(header) <= MOST_TENSORS)
    return header


def as_object(data: bytes, lost: bool = False) -> dict[str, Any]:
    """A JSON object.

    Args:
        data: its text.
        lost: True where numbers may be lost: NaN and ∞ are taken only then.

    Returns:
        The object.

    Raises:
        GlassformerError: `file_damaged`.
    """
    with damaged_by(ValueError, RecursionError):
        found = json.loads(data, parse_constant=float if lost else _refuse_constant)
    require_facts(isinstance(found, dict))
    return dict(found)


def _kind(data: bytes) -> Kind:
    if data.startswith(ZIP):
        return "model"
    # Eight bytes with the size of a header that begins as a JSON object.
    if data[8:9] == b"{" and int.from_bytes(data[:8], "little") <= 100 * MEGABYTE:
        about = header_of(data).get("__metadata__")
        if isinstance(about, dict) and "glassformer_trace" in about:
            return "run"
        raise GlassformerError("file_foreign")
    is_object = data.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"{")
    if is_object and EXPERIMENT.encode() in data[: MOST_BYTES["experiment"]]:
        return "experiment"
    raise GlassformerError("file_foreign")


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


@dataclass(frozen=True)
class MadeOn:
    """Name and fingerprint of the model; of the sentence what `SENTENCE` names and it has."""

    model: str
    fingerprint: str
    sentence: dict[str, str] = field(default_factory=dict)


def made_on(data: bytes) -> MadeOn:
    """What a file of an experiment says of its model and sentence.

    `Experiment.from_json` reads its switches.

    Args:
        data: the whole file.

    Returns:
        Name and fingerprint of the model, and the sentence.

    Raises:
        GlassformerError: `file_damaged`.
    """
    about = as_object(data.removeprefix(codecs.BOM_UTF8))
    model, sentence = about.get("model"), about.get("sentence", {})
    if not (isinstance(model, dict) and isinstance(sentence, dict)):
        raise GlassformerError("file_damaged")
    known = {name: sentence[name] for name in SENTENCE if name in sentence}
    told = [model.get("name"), model.get("fingerprint"), *known.values()]
    require_facts(*(isinstance(each, str) and len(each) <= LONGEST for each in told))
    require_facts(known.get("direction", "auto") in ("auto", *DIRECTIONS))
    return MadeOn(str(model["name"]), str(model["fingerprint"]), known)
