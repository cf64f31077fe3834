"""What the map is drawn with: rectangles, wires, texts and buttons, as plain data for the SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Item = dict[str, Any]
Point = tuple[float, float]
CORNER = 6.0
HEAD = 6.0  # length of an arrow's head


@dataclass(frozen=True)
class Box:
    """A place on the drawing; y grows downwards."""

    x: float
    y: float
    w: float
    h: float

    @property
    def cx(self) -> float:
        return self.x + self.w / 2

    @property
    def cy(self) -> float:
        return self.y + self.h / 2

    @property
    def right(self) -> float:
        return self.x + self.w

    @property
    def bottom(self) -> float:
        return self.y + self.h

    @staticmethod
    def around(cx: float, y: float, w: float, h: float) -> Box:
        """A box centred on a vertical line, by its upper edge."""
        return Box(cx - w / 2, y, w, h)


def rect(box: Box, fill: str, stroke: str = "none", radius: float = 6, width: float = 1.25) -> Item:
    """A rounded rectangle."""
    place = {"x": box.x, "y": box.y, "width": box.w, "height": box.h, "rx": radius}
    return {"kind": "rect", **place, "fill": fill, "stroke": stroke, "stroke-width": width}


def circle(cx: float, cy: float, radius: float, fill: str, stroke: str) -> Item:
    """A circle."""
    return {"kind": "circle", "cx": cx, "cy": cy, "r": radius, "fill": fill, "stroke": stroke,
            "stroke-width": 1.5}  # fmt: skip


def text(
    x: float, y: float, words: str, size: float, fill: str, anchor: str = "start", weight: int = 400
) -> Item:
    """A line of text; y is the base line, anchor "start", "middle" or "end"."""
    return {"kind": "text", "x": x, "y": y, "text": words, "font-size": size, "fill": fill,
            "text-anchor": anchor, "font-weight": weight}  # fmt: skip


def line(d: str, stroke: str, width: float = 1.5) -> Item:
    """An open path."""
    return {"kind": "path", "d": d, "fill": "none", "stroke": stroke, "stroke-width": width}


def wire(
    points: Sequence[Point], stroke: str, arrow: bool = True, width: float = 1.75, halo: str = ""
) -> list[Item]:
    """A wire along right-angled points with round corners, its arrow at the last one.

    halo: the colour of a seam on both sides, so that a crossing reads as a bridge.
    """
    end = _shortened(points) if arrow else points
    d = rounded(end)
    items = [line(d, halo, width + 4)] if halo else []
    items.append(line(d, stroke, width))
    if arrow:
        items.append({"kind": "path", "d": _head(points), "fill": stroke, "stroke": "none"})
    return items


def button(
    block: str, box: Box, inside: Sequence[Item], tip: Sequence[str], pressed: bool, ring: str,
    radius: float = 6,
) -> Item:  # fmt: skip
    """Something to point at and to click: a block of the map. tip: its name, then what it says."""
    return {"kind": "button", "id": block, "label": ". ".join(part for part in tip if part),
            "tip": list(tip), "pressed": pressed, "items": list(inside),
            "ring": rect(box, "none", ring, radius, 2.5)}  # fmt: skip


def compact(item: Item) -> Item:
    """The same with tenths of a pixel: a sixth of the bytes of a coordinate is enough."""
    small: Item = {}
    for name, value in item.items():
        if isinstance(value, float):
            small[name] = round(value, 1)
        elif isinstance(value, dict):
            small[name] = compact(value)
        elif name == "items":
            small[name] = [compact(inner) for inner in value]
        else:
            small[name] = value
    return small


def rounded(points: Sequence[Point], radius: float = CORNER) -> str:
    """The SVG path along the points, its corners cut round."""
    parts = [f"M{_at(points[0])}"]
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        cut = min(radius, _length(before, corner) / 2, _length(corner, after) / 2)
        parts.append(f"L{_at(_towards(corner, before, cut))}")
        parts.append(f"Q{_at(corner)} {_at(_towards(corner, after, cut))}")
    return " ".join([*parts, f"L{_at(points[-1])}"])


def _shortened(points: Sequence[Point]) -> list[Point]:
    return [*points[:-1], _towards(points[-1], points[-2], HEAD * 0.8)]


def _head(points: Sequence[Point]) -> str:
    tip, before = points[-1], points[-2]
    foot = _towards(tip, before, HEAD)
    x, y = (tip[0] - foot[0]) * 0.6, (tip[1] - foot[1]) * 0.6
    left, right = (foot[0] - y, foot[1] + x), (foot[0] + y, foot[1] - x)
    return f"M{_at(tip)} L{_at(left)} L{_at(right)} Z"


def _towards(start: Point, goal: Point, distance: float) -> Point:
    share = distance / (_length(start, goal) or 1.0)
    return start[0] + (goal[0] - start[0]) * share, start[1] + (goal[1] - start[1]) * share


def _length(a: Point, b: Point) -> float:
    return float(((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5)


def _at(point: Point) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"
