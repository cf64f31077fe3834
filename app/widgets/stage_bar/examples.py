"""The sentences to pick from."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

EXAMPLES = Path(__file__).parents[3] / "assets" / "sentences" / "examples.json"


@dataclass(frozen=True)
class Example:
    """A sentence worth looking at, and why, in both languages."""

    id: str
    text: str
    direction: str
    note_en: str
    note_zh: str

    def note(self, language: str) -> str:
        """Why the sentence is here, in the language of the screen."""
        return self.note_zh if language == "zh" else self.note_en


@cache
def examples() -> tuple[Example, ...]:
    """All examples in the order of the file."""
    rows = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    return tuple(Example(**row) for row in rows)
