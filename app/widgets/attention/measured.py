"""What the model card measured of the heads of the model on screen, and the head to open on."""

from __future__ import annotations

from contextlib import suppress

from app import service
from core.errors import GlassformerError
from core.reading.attention_views import Kind
from core.reading.measured_heads import CLEAR, MeasuredHead, best_by_role, telling
from core.trace.trace import Trace


def first_head(trace: Trace) -> tuple[Kind, int, int | None]:
    """Kind, layer and head that show most of a sentence; without measures a layer's mean."""
    found = telling(measured(), trace.direction, trace.source_tokens)
    return (found.kind, found.layer, found.head) if found else ("encoder", 0, None)


def measured() -> tuple[MeasuredHead, ...]:
    """What was measured of the heads of the model on screen; () where nothing was."""
    with suppress(GlassformerError):  # a run of another model's
        return service.get_heads(service.made_by()[0])
    return ()


def role_of(direction: str, place: tuple[Kind, int, int | None]) -> tuple[str, MeasuredHead] | None:
    """The role that a head plays most of all heads, and clearly; the first of `ROLES`, if several.

    None for the mean of a layer and for heads that play none.
    """
    for role, head in best_by_role(measured(), direction).items():
        if (head.kind, head.layer, head.head) == place and head.roles[direction][role] >= CLEAR:
            return role, head
    return None
