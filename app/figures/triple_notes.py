"""What is written around the pictures of two runs, and the frames in and about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.figures.labels import broken, escape
from app.figures.theme import Look
from app.figures.triple_layout import TITLE, Frame, axis_names
from core.reading.beside import Beside

LEGEND, LINE = 110, 20  # pixels: both colour bars, and a line of text below them
SAID = 13  # pixels of its type


@dataclass(frozen=True)
class TripleTexts:
    """What the figure says, in the reader's language, as plain text."""

    titles: tuple[str, str, str]  # of the pictures
    rows: str
    columns: str
    number: str  # what a cell is: "weight"
    steps: str  # "after − before"
    forbidden: str
    only: tuple[str, str]  # of a cell that the first, or the second run alone has
    said: Sequence[str] = ()  # lines beside the difference, where there is room
    waiting: tuple[str, str] | None = None  # in the places of the second and the difference


def notes(frame: Frame, texts: TripleTexts) -> list[dict[str, Any]]:
    """The titles of the pictures, and what stands beside the difference."""
    look, colours = frame.look, ("text", "text", "changed")
    found = []
    for place, (text, box, colour) in enumerate(
        zip(texts.titles, frame.boxes, colours, strict=True)
    ):
        labels = frame.label_height if frame.shows_columns(place) else 0.0
        above = box.top - labels - look.px(TITLE)
        found.append(_note(f"<b>{escape(text)}</b>", box.left, above, 14, colour, frame))
    first = frame.boxes[0]
    found += [
        _note(escape(f"{title} {sign}"), left, first.top + down, 12, "faint", frame)
        | {"xanchor": "right", "yanchor": "bottom"}
        for title, sign, left, down in (
            (texts.rows, "↓", first.left - 4, -2),
            (texts.columns, "→", first.right, -frame.label_height - look.px(4)),
        )
        if title
    ]
    for text, box in zip(texts.waiting or (), frame.boxes[1:], strict=False):
        left, top = box.left + look.px(14), box.top + look.px(14)
        lines = "<br>".join(map(escape, text.split("|")))
        found.append(_note(lines, left, top, 13, "faint", frame))
    if not frame.in_a_row:
        start = beside_top(frame) + look.px(LEGEND)
        for line, text in enumerate(lines_beside(frame, texts.said)):
            colour, height = "text" if line else "faint", start + line * look.px(LINE)
            found.append(_note(escape(text), frame.boxes[1].left, height, SAID, colour, frame))
    return found


def has_room(frame: Frame, said: Sequence[str]) -> bool:
    """Whether these lines, broken where they must be, can stand beside the difference."""
    lines = len(lines_beside(frame, said))
    return beside_top(frame) + frame.look.px(LEGEND + lines * LINE) <= frame.layout.height


def lines_beside(frame: Frame, said: Sequence[str]) -> list[str]:
    """The lines beside the difference, none wider than its place."""
    room = frame.layout.width - frame.boxes[1].left
    return [line for text in said for line in broken(text, room, frame.look.px(SAID))]


def beside_top(frame: Frame) -> float:
    """Where the legend beside the difference begins, in pixels from the top."""
    labels = frame.label_height if frame.shows_columns(2) else 0.0
    return frame.boxes[2].top - labels


def _note(
    text: str, left: float, top: float, size: int, colour: str, frame: Frame
) -> dict[str, Any]:
    return {
        "text": text,
        "font": {"size": frame.look.px(size), "color": frame.look.colour(colour)},
        "showarrow": False,
        "xref": "paper",
        "yref": "paper",
        "x": left / frame.layout.width,
        "y": 1 - top / frame.layout.height,
        "xanchor": "left",
        "yanchor": "top",
        "align": "left",
    }


def places(frame: Frame, texts: TripleTexts) -> list[dict[str, Any]]:
    """Where the second and the difference will stand."""
    if texts.waiting is None:
        return []
    line = {"color": frame.look.colour("line"), "width": 1, "dash": "dot"}
    shared = {"type": "rect", "line": line, "xref": "paper", "yref": "paper"}
    boxes = [box.domains(frame.layout) for box in frame.boxes[1:]]
    return [
        shared | {"x0": across[0], "x1": across[1], "y0": up[0], "y1": up[1]}
        for across, up in boxes
    ]


def pin(
    found: Beside,
    pinned: tuple[int | None, int | None] | None,
    look: Look,
    drawn: Sequence[int],
) -> list[dict[str, Any]]:
    """A frame around the pinned cell or line, in every picture."""
    if pinned is None:
        return []
    ends = [
        (0, len(edge) - 1) if at is None else (at, at)
        for at, edge in zip(pinned, (found.rows, found.columns), strict=True)
    ]
    (top, bottom), (left, right) = ends
    box = {"x0": left - 0.5, "x1": right + 0.5, "y0": top - 0.5, "y1": bottom + 0.5}
    line = {"color": look.colour("text"), "width": 2}
    names = [axis_names(at) for at in drawn]
    return [
        {"type": "rect", "name": "pinned", "line": line, "xref": x, "yref": y} | box
        for x, y, _, _ in names
    ]
