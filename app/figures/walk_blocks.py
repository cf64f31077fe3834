"""The split into heads and its merge as blocks: the same numbers in three arrangements."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from app.figures.colours import head_colour
from app.figures.labels import visible
from app.figures.picture import bulk
from app.figures.theme import Look
from core.trace.sites import Axis

_LEVELS = 254
FORMS = {"": "heads", "apart": "apart", "joined": "joined"}


def blocks(
    values: np.ndarray,
    axes: Sequence[Axis],
    at: Mapping[str, int],
    forms: Sequence[str],
    look: Look,
) -> dict[str, Any]:
    """What is drawn of a regrouping.

    values (H, T, K) with their axes (batch, head, place, feature); forms: of the arrangements
    from first to last, "heads", "apart" or "joined".
    """
    _, head, place, feature = axes
    limit = bulk(values)
    levels = np.rint(np.clip(np.nan_to_num(np.abs(values)) / limit, 0, 1) * _LEVELS)
    return {
        "forms": list(forms),
        "levels": base64.b64encode(levels.astype(np.uint8).tobytes()).decode(),
        "size": [head.size, place.size, feature.size],
        "at": [at[axis.name] for axis in (head, place, feature)],
        "labels": [visible(label) for label in place.labels or ()],
        "hues": [head_colour(index, look.dark) for index in range(head.size)],
        "limit": limit,
    }


def form_of(form: str) -> str:
    """The arrangement of a wire's form; a recorded (B, T, D) is "joined"."""
    return FORMS[form]
