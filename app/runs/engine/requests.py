"""What can be asked of an engine: a run of a model, and what is computed with its weights."""

import json
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any, Self
from urllib.parse import quote, unquote

from glassformer.core.untrusted import read_json

Given = tuple[Any, ...]  # texts, numbers and tuples of them


class Ask(StrEnum):
    """The kinds of requests, and what each has beside its key."""

    RUN = "run"
    FORCED = "forced"  # ids of words
    ABLATED = "ablated"  # "zero" or "mean"
    BATCH = "batch"  # (line, direction) of each sentence
    MEANS = "means"
    REPLAY = "replay"  # steps of the training
    WORDS = "words"  # what the runs of a model leave out on their way


@dataclass(frozen=True)
class RunKey:
    """What names a run.

    model: the place of its files, as `models.place_of` has it; on the way, where and what they are
    (`ModelAddress`). step: of its training, "" for the end. direction: as the state has it.
    experiment: its `text`. target: what is forced, None to decode.
    """

    model: str
    step: str = ""
    text: str = ""
    direction: str = "auto"
    experiment: str = ""
    target: str | None = None


@dataclass(frozen=True)
class Request:
    """A kind, a key, and what the kind has beside it."""

    ask: Ask
    key: RunKey
    given: Given = ()

    def sent_to(self, address: "ModelAddress") -> Self:
        """The same, of the model at an address."""
        return replace(self, key=replace(self.key, model=address.text))

    def to_json(self, version: str) -> bytes:
        """What travels; version: of the app that asks."""
        return json.dumps({**asdict(self), "version": version}).encode()

    @classmethod
    def from_json(cls, data: bytes) -> tuple[Self, str]:
        """The request, and the version of the app that asks.

        Errors: ValueError, KeyError, TypeError for anything else.
        """
        found = read_json(data)
        key = RunKey(**found["key"])
        if not all(isinstance(each, str | None) for each in vars(key).values()):
            raise ValueError("a key of texts")
        return cls(Ask(found["ask"]), key, _tuples(found["given"])), str(found["version"])


@dataclass(frozen=True)
class ModelAddress:
    """Where a worker finds a model, and by what it knows that it is the same.

    source: "bundled", "folder" for the operator's, "blob". fingerprint: of its files.
    """

    source: str
    fingerprint: str
    name: str

    @property
    def text(self) -> str:
        """In one word of ASCII: it also says which worker has the model already."""
        return f"{self.source}:{self.fingerprint}:{quote(self.name, safe='')}"

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Reads `text` again. Errors: ValueError."""
        source, fingerprint, name = text.split(":")
        found = cls(source, fingerprint, unquote(name))
        if found.name in ("", ".", "..") or "/" in found.name or "\\" in found.name:
            raise ValueError("a name is that of a folder")
        return found


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
