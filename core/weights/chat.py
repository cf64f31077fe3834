"""A model's chat template: how its makers wrap what a user says, before the model answers.

It is a program in the language of jinja2, in the tokenizer's folder, and is run in a process of its
own (`chat_worker.py`): it may loop for ever, fill the memory or refuse.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from glassformer.core.errors import GlassformerError
from glassformer.core.untrusted import UNREADABLE, problem_of, read_json_file
from glassformer.core.weights.read import file_inside

WORKER = Path(__file__).with_name("chat_worker.py")
ALONE, WITH_OTHERS, OF_PROCESSOR = (
    "chat_template.jinja", "tokenizer_config.json", "chat_template.json",
)  # fmt: skip
NAMES = ("bos", "eos", "unk", "sep", "pad", "cls", "mask")  # of special tokens
LONGEST_TEMPLATE = 100_000  # characters; published ones have up to 20,000
LONGEST_SENT = 10_000  # characters that a template may write, as many as a run's file may hold
SECONDS = 1  # of the processor, the start of the process included
LONGEST_WAIT = 30.0  # seconds, on a busy machine
LONGEST_PROBLEM = 300  # characters of what a template says


@dataclass(frozen=True)
class ChatTemplate:
    """A template with the special tokens that it may name ("bos_token", …); of a model's folder."""

    path: str
    source: str
    tokens: tuple[tuple[str, str], ...] = ()

    def wrap(self, text: str) -> str:
        """A text as the message of a user, with all special tokens, up to where the answer begins.

        The same text gives the same again, also of a template that tells the time.

        Args:
            text: what the user says.

        Returns:
            The prompt that the template writes.

        Raises:
            GlassformerError: `chat_slow`, `chat_long`, `chat_memory`, or `chat_template` with what
                the template says.
        """
        found = _rendered(self.source, self.tokens, text)
        if "text" in found:
            return found["text"]
        raise GlassformerError(
            found["error"], path=self.path, limit=f"{LONGEST_SENT:,}", seconds=SECONDS,
            problem=found.get("problem", "")[:LONGEST_PROBLEM].rstrip("."),
        )  # fmt: skip


def wrap_message(template: ChatTemplate | GlassformerError, text: str, or_as_typed: bool) -> str:
    """What a model in chat gets for a text.

    Args:
        template: the model's, or why it cannot be read.
        text: what the user says.
        or_as_typed: whether a text that the template cannot wrap is taken as it is.

    Returns:
        The prompt; "" for a text that is taken as it is.

    Raises:
        GlassformerError: as `ChatTemplate.wrap`, or why the template cannot be read; with
            `or_as_typed` never.
    """
    try:
        if isinstance(template, GlassformerError):
            raise template
        return template.wrap(text)
    except GlassformerError:
        if not or_as_typed:
            raise
        return ""


def chat_template_of(folder: Path) -> ChatTemplate | GlassformerError | None:
    """The chat template in a model's folder.

    Args:
        folder: of the model, with its tokenizer's files.

    Returns:
        The template; None where there is none; where it cannot be read the error `chat_template`
        with why, returned and not raised, or `weights_…` for a file that lies elsewhere or is
        damaged.
    """
    try:
        about = dict(_object(folder, WITH_OTHERS))
        source = next(_sources(folder, about), None)
        if source is None:
            return None
        if not isinstance(source, str):
            raise ValueError("it is no text")
        if len(source) > LONGEST_TEMPLATE:
            most = f"at most {LONGEST_TEMPLATE:,} are read"
            raise ValueError(f"it has {len(source):,} characters; {most}")
        if "added_tokens_decoder" not in about:  # of older days
            about |= _object(folder, "special_tokens_map.json")
    except GlassformerError as error:
        return error
    except UNREADABLE as error:
        return GlassformerError("chat_template", path=folder.name, problem=problem_of(error))
    tokens = ((f"{name}_token", about.get(f"{name}_token")) for name in NAMES)
    spelled = ((n, each["content"] if isinstance(each, dict) else each) for n, each in tokens)
    return ChatTemplate(
        folder.name, source, tuple((n, e) for n, e in spelled if isinstance(e, str))
    )


def _sources(folder: Path, about: Mapping[str, Any]) -> Iterator[Any]:
    """The templates that lie there, the one that counts first."""
    if (folder / ALONE).is_file():
        path = file_inside(folder, ALONE)
        if path.stat().st_size > 4 * LONGEST_TEMPLATE:  # bytes
            raise ValueError(f"{ALONE} has {path.stat().st_size:,} bytes")
        yield path.read_text("utf-8")
    for found in (about, _object(folder, OF_PROCESSOR)):
        each = found.get("chat_template")
        if isinstance(each, list):
            named = {one["name"]: one["template"] for one in each}
            if "default" not in named:
                raise ValueError(f"of {', '.join(map(str, named))} none is the default")
            each = named["default"]
        if each is not None:
            yield each


def _object(folder: Path, name: str) -> Mapping[str, Any]:
    return read_json_file(file_inside(folder, name)) if (folder / name).is_file() else {}


@lru_cache(maxsize=256)
def _rendered(source: str, tokens: tuple[tuple[str, str], ...], text: str) -> dict[str, str]:
    asked = {
        "source": source, "text": text, "tokens": dict(tokens), "most": LONGEST_SENT,
        "seconds": SECONDS,
    }  # fmt: skip
    try:
        done = subprocess.run(
            [sys.executable, "-P", str(WORKER)], input=json.dumps(asked).encode(),
            capture_output=True, timeout=LONGEST_WAIT, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return {"error": "chat_slow"}
    if done.returncode < 0:  # ended by a signal
        return {"error": "chat_slow"}
    if done.returncode:
        told = done.stderr.decode("utf-8", "replace").strip().splitlines()
        return {"error": "chat_template", "problem": told[-1] if told else "its process ended"}
    found: dict[str, str] = json.loads(done.stdout)
    return found
