"""What the map is drawn with, as plain data for the SVG: shapes, wires, buttons, rows of words.

A fill or a stroke is a colour, or the name of its role, which `compact_item` replaces.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import dist
from typing import Any

from glassformer.app.plots.labels import visible, widest

Item = dict[str, Any]
COLOURED = ("fill", "stroke", "after_fill")
LOOK = {
    *COLOURED, "kind", "stroke-width", "font-size", "font-weight", "text-anchor", "rx", "r",
    "preserveAspectRatio",
}  # fmt: skip
Point = tuple[float, float]
CORNER = 6.0
HEAD = 6.0  # length of an arrow's head
WIRE = 1.75  # its width
GAP = 5.0
LONGEST = 120.0  # pixels of one word; more is cut
TAIL = 2  # how many words at the end stay visible
_Words = list[tuple[int | None, str]]
_Line = list[tuple[int | None, str, float]]


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
    def around(cx: float, y: float, w: float, h: float) -> "Box":
        """A box centred on a vertical line, by its upper edge."""
        return Box(cx - w / 2, y, w, h)


def rect_item(
    box: Box, fill: str, stroke: str = "none", radius: float = 6, width: float = 1.25
) -> Item:
    """A rounded rectangle."""
    place = {"x": box.x, "y": box.y, "width": box.w, "height": box.h, "rx": radius}
    return {"kind": "rect", **place, "fill": fill, "stroke": stroke, "stroke-width": width}


def plus_item(cx: float, cy: float, radius: float, stroke: str) -> list[Item]:
    """A circle in which two streams are added."""
    return [
        {"kind": "circle", "cx": cx, "cy": cy, "r": radius, "fill": "page", "stroke": stroke,
         "stroke-width": 1.5},
        line_item(f"M{cx - 4} {cy} H{cx + 4} M{cx} {cy - 4} V{cy + 4}", stroke),
    ]  # fmt: skip


def text_item(
    x: float, y: float, words: str, size: float, fill: str = "text", anchor: str = "start",
    weight: int = 400,
) -> Item:  # fmt: skip
    """A line of text; y is the base line, anchor "start", "middle" or "end"."""
    return {"kind": "text", "x": x, "y": y, "text": words, "font-size": size, "fill": fill,
            "text-anchor": anchor, "font-weight": weight}  # fmt: skip


def strip_item(block: str, box: Box) -> Item:
    """Where the browser draws what comes out of a block for the words in focus (strips.py)."""
    place = {"x": box.x, "y": box.y, "width": box.w, "height": box.h}
    return {"kind": "image", **place, "preserveAspectRatio": "none", "data-strip": block}


def line_item(d: str, stroke: str, width: float = 1.5) -> Item:
    """An open path."""
    return {"kind": "path", "d": d, "fill": "none", "stroke": stroke, "stroke-width": width}


def wire_item(
    points: Sequence[Point], stroke: str = "data", arrow: bool = True, halo: str = ""
) -> list[Item]:
    """A wire along right-angled points with round corners, its arrow at the last one.

    halo: the colour of a seam on both sides, so that a crossing reads as a bridge.
    """
    foot = _towards(points[-1], points[-2], HEAD * 0.8)
    d = rounded_path([*points[:-1], foot] if arrow else points)
    items = [line_item(d, halo, WIRE + 4)] if halo else []
    items.append(line_item(d, stroke, WIRE))
    if arrow:
        items.append({"kind": "path", "d": _head(points), "fill": stroke, "stroke": "none"})
    return items


def compact_item(item: Item, colour: Callable[[str], str]) -> Item:
    """The same with colours for roles, and tenths of a pixel: a sixth of the bytes is enough."""

    def short(name: str, value: Any) -> Any:
        if name == "items":
            return [compact_item(each, colour) for each in value]
        if name == "ring":
            return compact_item(value, colour)
        if name in COLOURED and value != "none" and not value.startswith("#"):
            return colour(value)
        return round(value, 1) if isinstance(value, float) else value

    return {name: short(name, value) for name, value in item.items()}


def share_looks(items: Sequence[Item]) -> tuple[list[Item], list[Item]]:
    """What items have in common but their places, told once; and the items, which refer to it.

    An item's "look" is its place in the first list.
    """
    looks: dict[tuple[tuple[str, Any], ...], int] = {}

    def shared(item: Item) -> Item:
        if item["kind"] == "button":
            inside = [shared(each) for each in item["items"]]
            return item | {"items": inside, "ring": shared(item["ring"])}
        look = tuple((name, value) for name, value in item.items() if name in LOOK)
        rest = {name: value for name, value in item.items() if name not in LOOK}
        return rest | {"look": looks.setdefault(look, len(looks))}

    found = [shared(item) for item in items]
    return [dict(look) for look in looks], found


def rounded_path(points: Sequence[Point]) -> str:
    """The SVG path along the points, its corners cut round."""
    parts = [f"M{_at(points[0])}"]
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        cut = min(CORNER, dist(before, corner) / 2, dist(corner, after) / 2)
        parts.append(f"L{_at(_towards(corner, before, cut))}")
        parts.append(f"Q{_at(corner)} {_at(_towards(corner, after, cut))}")
    return " ".join([*parts, f"L{_at(points[-1])}"])


def _head(points: Sequence[Point]) -> str:
    tip, before = points[-1], points[-2]
    foot = _towards(tip, before, HEAD)
    x, y = (tip[0] - foot[0]) * 0.6, (tip[1] - foot[1]) * 0.6
    left, right = (foot[0] - y, foot[1] + x), (foot[0] + y, foot[1] - x)
    return f"M{_at(tip)} L{_at(left)} L{_at(right)} Z"


def _towards(start: Point, goal: Point, distance: float) -> Point:
    share = distance / (dist(start, goal) or 1.0)
    return start[0] + (goal[0] - start[0]) * share, start[1] + (goal[1] - start[1]) * share


def _at(point: Point) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"


@dataclass(frozen=True)
class Chip:
    """One word in its place; `index` is None for the chip that counts the words left out."""

    text: str
    box: Box
    index: int | None


def chips_in_rows(
    tokens: Sequence[str], span: tuple[float, float], y: float, rows: int, font: float,
    height: float = 22, least: float = 0,
) -> list[Chip]:  # fmt: skip
    """The words centred in rows; where they do not all fit, the middle becomes "⋯ 40"."""
    whole: _Words = [(at, shorten_token(token, font)) for at, token in enumerate(tokens)]
    lines = _wrapped(whole, span[1] - span[0], font, least)
    for kept in range(len(tokens) - 1, 0, -1):
        if len(lines) <= rows:
            break
        head = max(kept - TAIL, 1)
        tail = len(tokens) - (kept - head)
        shown = [*whole[:head], (None, f"⋯ {tail - head}"), *whole[tail:]]
        lines = _wrapped(shown, span[1] - span[0], font, least)
    return [
        chip
        for at, line in enumerate(lines)
        for chip in _centred(line, span, y + (height + GAP) * at, height)
    ]


def shorten_token(token: str, font: float) -> str:
    """A word as it is shown, cut to the width of a chip."""
    shown = visible(token)
    while widest(shown, font) > LONGEST:
        shown = f"{shown.removesuffix('…')[:-1]}…"
    return shown


def _wrapped(shown: _Words, width: float, font: float, least: float) -> list[_Line]:
    lines: list[_Line] = [[]]
    used = 0.0
    for index, token in shown:
        room = max(widest(token, font) + 11, least)
        if lines[-1] and used + room > width:
            lines.append([])
            used = 0.0
        lines[-1].append((index, token, room))
        used += room + GAP
    return lines


def _centred(line: _Line, span: tuple[float, float], y: float, height: float) -> list[Chip]:
    x = (span[0] + span[1] - sum(room + GAP for *_, room in line) + GAP) / 2
    chips = []
    for index, token, room in line:
        chips.append(Chip(token, Box(x, y, room, height), index))
        x += room + GAP
    return chips
