"""The mark of a head that was told in training where to look: its picture proves nothing."""

from __future__ import annotations

from contextlib import suppress

from app import service
from app.words import say
from core.errors import GlassformerError
from core.reading.attention_views import Kind, attention_at

SIGN = "◥"  # as in the corner of a thumbnail


def taught_as(kind: Kind, layer: int, head: int | None) -> str:
    """What a head of the model in use was taught, "alignment" or "antecedent"; "" if nothing."""
    address = f"{attention_at(kind, layer)}/weights"
    with suppress(GlassformerError):  # a model that cannot be read is said by the stage bar
        for lesson, place in service.get_taught(service.made_by()[0]).items():
            if (place.get("address"), place.get("head")) == (address, head):
                return str(lesson)
    return ""


def taught_note(kind: Kind, layer: int, head: int | None) -> str:
    """What to say of a head that was taught, in a sentence or two; "" of any other."""
    lesson = taught_as(kind, layer, head)
    return say(f"attention.taught_{lesson}") if lesson else ""


def with_mark(title: str, note: str, joint: str = " · ") -> str:
    """A title in markdown, with the mark behind it where there is a note."""
    return f"{title}{joint}**{SIGN} {say('attention.taught')}**" if note else title
