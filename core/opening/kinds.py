"""What a file is, by its content alone: its name may say anything. An experiment's facts."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Literal

from core.errors import GlassformerError
from core.translator import DIRECTIONS

Kind = Literal["run", "experiment", "model"]
MEGABYTE = 2**20
MOST_BYTES: dict[Kind, int] = {
    "run": 32 * MEGABYTE,  # one of the bundled translator takes at most 10
    "experiment": MEGABYTE,
    "model": 32 * MEGABYTE,
}
MOST_HEADER = 16 * MEGABYTE  # of a safetensors file: names, shapes and facts as JSON
ZIP = b"PK\x03\x04"
EXPERIMENT = "glassformer-experiment"
LONGEST = 10_000  # characters of a sentence


def kind_of(data: bytes) -> Kind:
    """What kind of file these bytes are; a zip counts as a model until it is unpacked.

    Raises `GlassformerError`: file_foreign, file_damaged, file_large for more than the kind may
    have.
    """
    kind = _kind(data)
    refuse_large(len(data), MOST_BYTES[kind])
    return kind


def refuse_large(given: int, limit: int) -> None:
    """Raises `file_large` for more bytes than the limit."""
    if given > limit:
        sizes = [f"{size / MEGABYTE:,.1f} MB" for size in (given, limit)]
        raise GlassformerError("file_large", given=sizes[0], limit=sizes[1])


def header_of(data: bytes) -> dict[str, Any]:
    """The header of a safetensors file: tensors by name, and `__metadata__`.

    Raises `GlassformerError`: file_damaged, file_large.
    """
    size = int.from_bytes(data[:8], "little")
    refuse_large(size, MOST_HEADER)
    header = as_object(data[8 : 8 + size])
    if len(data) < 8 + size:
        raise GlassformerError("file_damaged")
    return header


def as_object(data: bytes, lost: bool = False) -> dict[str, Any]:
    """A JSON object; NaN and ∞, which are no JSON, are refused unless numbers may be `lost`.

    Raises `GlassformerError("file_damaged")` for anything else.
    """
    try:
        found = json.loads(data, parse_constant=float if lost else _refuse_constant)
    except (ValueError, RecursionError) as error:
        raise GlassformerError("file_damaged") from error
    if not isinstance(found, dict):
        raise GlassformerError("file_damaged")
    return found


def _kind(data: bytes) -> Kind:
    if data.startswith(ZIP):
        return "model"
    if _is_safetensors(data):
        about = header_of(data).get("__metadata__")
        if isinstance(about, dict) and "glassformer_trace" in about:
            return "run"
    elif EXPERIMENT.encode() in data[: MOST_BYTES["experiment"]]:
        text = data.removeprefix(b"\xef\xbb\xbf").lstrip()
        if text.startswith(b"{"):
            return "experiment"
    raise GlassformerError("file_foreign")


def _is_safetensors(data: bytes) -> bool:
    """Eight bytes with the size of a header that begins as a JSON object."""
    return data[8:9] == b"{" and int.from_bytes(data[:8], "little") <= 100 * MEGABYTE


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


@dataclass(frozen=True)
class MadeOn:
    """Name and fingerprint of the model; text, direction and second sentence where it has them."""

    model: str
    fingerprint: str
    sentence: dict[str, str] = field(default_factory=dict)


def made_on(data: bytes) -> MadeOn:
    """Reads that part of a file; its switches are read by `Experiment.from_json`.

    Raises `GlassformerError("file_damaged")`.
    """
    about = as_object(data.removeprefix(b"\xef\xbb\xbf"))
    model, sentence = about.get("model"), about.get("sentence", {})
    if not (isinstance(model, dict) and isinstance(sentence, dict)):
        raise GlassformerError("file_damaged")
    known = {name: sentence[name] for name in ("text", "direction", "second") if name in sentence}
    told = [model.get("name"), model.get("fingerprint"), *known.values()]
    if not all(isinstance(each, str) and len(each) <= LONGEST for each in told):
        raise GlassformerError("file_damaged")
    if known.get("direction", "auto") not in ("auto", *DIRECTIONS):
        raise GlassformerError("file_damaged")
    return MadeOn(str(model["name"]), str(model["fingerprint"]), known)
