"""What the file of an experiment says of the screen that it was saved from."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.errors import GlassformerError
from core.opening.kinds import as_object
from core.translator import DIRECTIONS

LONGEST = 10_000  # characters of a sentence


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
