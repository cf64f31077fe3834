"""Where the three pictures of two runs lie, their axes, and what is written around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

from app.plots.axes import Side, sheet_axes
from app.plots.labels import broken, escape, fitted, text_width, visible
from app.plots.marks import frame as cells_frame
from app.plots.marks import note, suffix
from app.plots.theme import Look, is_numbered
from core.analysis.comparison import Beside, Edge

Arrangement = Literal["row", "corner"]
RUNS = (0, 1, None)  # first, second, difference
CELLS = (0, 1, 2)  # the traces of the figure that are cells
TITLE, BARS, GAP, EDGE, SLANT = 24, 50, 18, 6, 30  # pixels
LONGEST = 9  # em of the labels of rows
READ_WRITTEN = "▸"  # between what a row of the decoder reads and what it writes
HIGHEST = 96  # pixels of the slanting labels of columns
NOBODY = "–"
LEGEND, LINE = 110, 20  # pixels: both colour bars, and a line of text below them
SAID = 13  # pixels of its type


@dataclass(frozen=True)
class TripleLayout:
    """How large the figure is, in pixels, how it is arranged, and what is pinned."""

    width: int = 1000
    height: int = 480
    arrangement: Arrangement = "row"
    # (row, column) of the lines; a None stands for all of them
    pinned: tuple[int | None, int | None] | None = None


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


@dataclass(frozen=True)
class Box:
    """Pixels from the left and from the top."""

    left: float
    right: float
    top: float
    bottom: float

    def domains(self, layout: TripleLayout) -> tuple[list[float], list[float]]:
        """The same as shares of the figure, across and up."""
        across = [self.left / layout.width, self.right / layout.width]
        up = [max(0.0, 1 - edge / layout.height) for edge in (self.bottom, self.top)]
        return across, up


def label(edge: Edge, run: int | None, at: int) -> str:
    """The word of a line; of the difference the second one behind the first where they differ."""
    if run is not None:
        word = edge.word(run, at)
        return NOBODY if word is None else visible(word)
    one, two = (label(edge, each, at) for each in (0, 1))
    if NOBODY in (one, two):
        return two if one == NOBODY else one
    return _both(one, two)


def _both(one: str, two: str) -> str:
    """Both words with what they share written once: "to▸Beijing|Shanghai"."""
    parts = one.split(READ_WRITTEN), two.split(READ_WRITTEN)
    if len(parts[0]) != len(parts[1]):
        return f"{one}|{two}"
    pairs = zip(*parts, strict=True)
    return READ_WRITTEN.join(a if a == b else f"{a}|{b}" for a, b in pairs)


def side(edge: Edge, run: int | None, title: str) -> Side:
    """The lines of one picture, counted from 1; words by their line, the same in all pictures."""
    if not edge.is_worded:
        return Side(title, [int(at) + 1 for at in edge.places[0]], None, edge.step)
    lines = range(len(edge))
    return Side(title, [at + 1 for at in lines], [label(edge, run, at) for at in lines])


def same_words(edge: Edge) -> bool:
    """Whether both runs have the same words on every line."""
    return all(edge.word(0, at) == edge.word(1, at) for at in range(len(edge)))


@dataclass(frozen=True)
class Frame:
    """The boxes of the three pictures, and the type that their words fit in."""

    found: Beside
    titles: tuple[str, str]  # of rows and columns
    look: Look
    layout: TripleLayout

    @property
    def in_a_row(self) -> bool:
        """Whether the three stand beside each other."""
        return self.layout.arrangement == "row"

    @cached_property
    def boxes(self) -> tuple[Box, Box, Box]:
        """First, second, difference."""
        above = self.look.px(TITLE) + self.label_height
        height, gap = self.layout.height, self.look.px(10)
        one, two, three = self._across
        high, below = height - self.look.px(BARS) - above, above
        if not self.in_a_row:
            lower = above if self.shows_columns(2) else self.look.px(TITLE)
            high = (height - above - lower - 2 * gap) / 2
            below = above + high + gap + lower
        return (
            Box(*one, above, above + high),
            Box(*two, above, above + high),
            Box(*three, below, below + high),
        )

    @cached_property
    def numbered(self) -> bool:
        """Whether the columns have no room for their words and show numbers instead."""
        tokens = self.sides(None)[1].tokens
        axis = self._columns_axis(self.type)
        return tokens is not None and is_numbered(axis, tokens)

    @cached_property
    def type(self) -> Look:
        """The largest type in which the columns' words fit, or the reader's where none does."""
        tokens = self.sides(None)[1].tokens
        for small in self.look.smaller():
            if tokens is None or not is_numbered(self._columns_axis(small), tokens):
                return small
        return self.look

    @cached_property
    def label_height(self) -> float:
        """Pixels above a picture: level words are a line high, slanting ones as their longest."""
        font, tokens = self.type.px(13), self.sides(None)[1].tokens
        if tokens is None or not self._columns_axis(self.type)["tickangle"]:
            return font * 1.6
        longest = max(text_width(each, font) for each in tokens)
        return float(min(0.72 * longest + font, HIGHEST))

    def sides(self, run: int | None) -> tuple[Side, Side]:
        """Rows and columns of a picture, its rows' words short enough to stand beside it."""
        rows = side(self.found.rows, run, self.titles[0])
        font = self.look.px(13)
        if rows.tokens is not None:
            short = [fitted(each, font, LONGEST * font) for each in rows.tokens]
            rows = replace(rows, tokens=short)
        return rows, side(self.found.columns, run, self.titles[1])

    def axes(self, picture: int) -> dict[str, Any]:
        """The four axes of a picture: two that name every line, two that show what fits."""
        box, names = self.boxes[picture], axis_names(picture)
        pixels = box.right - box.left, box.bottom - box.top
        found = sheet_axes(*self.sides(RUNS[picture]), self.type, pixels)
        across, up = box.domains(self.layout)
        x, y, over_x, over_y = names
        # In a row the labels of the difference stand at the other edge.
        right = picture == 2 and self.in_a_row
        column = {"automargin": False, "domain": across}
        row = {"automargin": False, "domain": up, "side": "right" if right else "left"}
        hidden = {"showticklabels": False}
        over_columns: dict[str, Any] = {"anchor": over_y, "overlaying": x, "title": {"text": ""}}
        over_rows: dict[str, Any] = {"anchor": over_x, "overlaying": y}
        over_columns |= {} if self.shows_columns(picture) else hidden
        over_rows |= {} if self.shows_rows(picture) else hidden
        return {
            _key(x): found["xaxis"] | column | {"anchor": y},
            _key(y): found["yaxis"] | row | {"anchor": x},
            _key(over_x): found["xaxis2"] | column | over_columns,
            _key(over_y): found["yaxis2"] | row | over_rows,
        }

    def shows_rows(self, picture: int) -> bool:
        """Words that are the same as in the picture to the left are written once."""
        return picture != 1 or not same_words(self.found.rows)

    def shows_columns(self, picture: int) -> bool:
        """The same words above the picture that lies over it are written once, too."""
        return picture != 2 or self.in_a_row or not same_words(self.found.columns)

    @cached_property
    def _across(self) -> list[tuple[float, float]]:
        wide = [self._label_width(each) for each in (0, 1, 2)]
        inner, gap = wide[1] if self.shows_rows(1) else 0.0, self.look.px(GAP)
        if self.in_a_row:
            each = (self.layout.width - wide[0] - inner - wide[2] - 2 * gap - 2 * EDGE) / 3
            second = EDGE + wide[0] + each + gap + inner
            lefts = [EDGE + wide[0], second, second + each + gap]
        else:
            first = EDGE + max(wide[0], wide[2])
            room = self.layout.width - first - inner - gap
            # The last of slanting words reaches beyond its picture.
            each = (room - (self.look.px(SLANT) if self.found.columns.is_worded else EDGE)) / 2
            lefts = [first, first + each + gap + inner, first]
        return [(left, left + max(each, 40.0)) for left in lefts]

    def _label_width(self, picture: int) -> float:
        rows = self.sides(RUNS[picture])[0]
        texts = rows.tokens or [str(rows.numbers[-1])]
        return max(text_width(each, self.look.px(13)) for each in texts) + 10

    def _columns_axis(self, small: Look) -> dict[str, Any]:
        columns = self.sides(None)[1]
        left, right = self._across[2]
        axes = sheet_axes(columns, columns, small, (right - left, right - left))
        axis: dict[str, Any] = axes["xaxis2"]
        return axis


def axis_names(picture: int) -> tuple[str, str, str, str]:
    """How Plotly calls the axes of a picture: x and y that name, x and y that show."""
    one, two = suffix(2 * picture), suffix(2 * picture + 1)
    return f"x{one}", f"y{one}", f"x{two}", f"y{two}"


def _key(name: str) -> str:
    return f"{name[0]}axis{name[1:]}"


def notes(frame: Frame, texts: TripleTexts) -> list[dict[str, Any]]:
    """The titles of the pictures, and what stands beside the difference."""
    look, faint, titles = frame.look, "faint", zip(texts.titles, frame.boxes, strict=True)
    found = []
    for place, (text, box) in enumerate(titles):
        labels = frame.label_height if frame.shows_columns(place) else 0.0
        above, colour = box.top - labels - look.px(TITLE), "changed" if place == 2 else "text"
        found.append(_note(f"<b>{escape(text)}</b>", box.left, above, 14, colour, frame))
    first, corner = frame.boxes[0], "right bottom"
    if texts.rows:
        rows = escape(f"{texts.rows} ↓")
        found.append(_note(rows, first.left - 4, first.top - 2, 12, faint, frame, corner))
    if texts.columns:
        columns, top = escape(f"{texts.columns} →"), first.top - frame.label_height - look.px(4)
        found.append(_note(columns, first.right, top, 12, faint, frame, corner))
    for text, box in zip(texts.waiting or (), frame.boxes[1:], strict=False):
        lines = "<br>".join(map(escape, text.split("|")))
        inside = look.px(14)
        found.append(_note(lines, box.left + inside, box.top + inside, 13, faint, frame))
    if not frame.in_a_row:
        left, start = frame.boxes[1].left, beside_top(frame) + look.px(LEGEND)
        for line, text in enumerate(lines_beside(frame, texts.said)):
            colour, top = "text" if line else faint, start + line * look.px(LINE)
            found.append(_note(escape(text), left, top, SAID, colour, frame))
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
    html: str, left: float, top: float, size: int, colour: str, frame: Frame, at: str = "left top"
) -> dict[str, Any]:
    x, y = left / frame.layout.width, 1 - top / frame.layout.height
    return note(html, frame.look, x, y, size, colour, at, align="left")


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
    rows, columns = (
        (0, len(edge) - 1) if at is None else (at, at)
        for at, edge in zip(pinned, (found.rows, found.columns), strict=True)
    )
    names = [axis_names(at) for at in drawn]
    return [cells_frame(rows, columns, look, name="pinned", xref=x, yref=y) for x, y, _, _ in names]
