"""Where the names of points go so that they do not cover each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Box = tuple[float, float, float, float]  # left, top, right, bottom in pixels

# Plotly's names, the best place first; the shift of the name's middle, in its own half sizes.
PLACES = {
    "top center": (0, -1), "bottom center": (0, 1), "middle right": (1, 0), "middle left": (-1, 0),
    "top right": (1, -1), "top left": (-1, -1), "bottom right": (1, 1), "bottom left": (-1, 1),
}  # fmt: skip


@dataclass(frozen=True)
class Label:
    """The name of one point, sizes in pixels; `must`: rather covered than left out."""

    x: float
    y: float  # downwards
    width: float
    height: float
    gap: float  # from the middle of the point to its name
    must: bool = False


def label_places(labels: Sequence[Label], marks: Sequence[Box] = ()) -> list[str]:
    """A place of `PLACES` for each name, "" for one that has no free place.

    The first ones choose first. marks: what no name should cover, either.
    """
    taken: list[Box] = list(marks)
    chosen = []
    for label in labels:
        boxes = {place: _box(label, shift) for place, shift in PLACES.items()}
        covered = {place: sum(_shared(box, each) for each in taken) for place, box in boxes.items()}
        place = min(covered, key=covered.__getitem__)
        if covered[place] > 0 and not label.must:
            place = ""
        else:
            taken.append(boxes[place])
        chosen.append(place)
    return chosen


def _box(label: Label, shift: tuple[int, int]) -> Box:
    x = label.x + shift[0] * (label.gap + label.width / 2)
    y = label.y + shift[1] * (label.gap + label.height / 2)
    half_width, half_height = label.width / 2, label.height / 2
    return x - half_width, y - half_height, x + half_width, y + half_height


def _shared(a: Box, b: Box) -> float:
    """The area that two boxes share."""
    across = min(a[2], b[2]) - max(a[0], b[0])
    down = min(a[3], b[3]) - max(a[1], b[1])
    return max(across, 0.0) * max(down, 0.0)
