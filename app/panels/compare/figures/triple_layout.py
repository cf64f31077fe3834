"""Where the three pictures of two runs lie, their axes, and what is written around them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from glassformer.app.panels.compare.wording import axis_word, line_label
from glassformer.app.plots.axes import Side, sheet_axes
from glassformer.app.plots.labels import break_lines, escape, fit_to_width, text_width
from glassformer.app.plots.marks import annotate_at, axis_suffix
from glassformer.app.plots.marks import frame_cells as cells_frame
from glassformer.app.plots.theme import FigureStyle, is_numbered
from glassformer.app.words import say
from glassformer.core.analysis.comparison import Beside, Edge

RUNS = (0, 1, None)  # first, second, difference
CELLS = (0, 1, 2)  # the traces of the figure that are cells
TITLE, BARS, GAP, EDGE, SLANT = 24, 50, 18, 6, 30  # pixels
LONGEST = 9  # em of the labels of rows
HIGHEST = 96  # pixels of the slanting labels of columns
LEGEND, LINE = 110, 20  # pixels: both colour bars, and a line of text below them
SAID = 13  # pixels of its type


@dataclass(frozen=True)
class TripleLayout:
    """How large the figure is, in pixels, how it is arranged, and what is pinned.

    Not in a row, the difference stands below the first, and what is said of it beside it.
    """

    width: int = 1000
    height: int = 480
    in_a_row: bool = True
    # (row, column) of the lines; a None stands for all of them
    pinned: tuple[int | None, int | None] | None = None


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


def picture_side(edge: Edge, run: int | None, title: str) -> Side:
    """The lines of one picture, counted from 1; words by their line, the same in all pictures."""
    if not edge.is_worded:
        return Side(title, [int(at) + 1 for at in edge.places[0]], None, edge.step)
    lines = range(len(edge))
    return Side(title, [at + 1 for at in lines], [line_label(edge, run, at) for at in lines])


def same_words(edge: Edge) -> bool:
    """Whether both runs have the same words on every line."""
    return all(edge.word(0, at) == edge.word(1, at) for at in range(len(edge)))


@dataclass(frozen=True)
class Frame:
    """The boxes of the three pictures, the type that their words fit in, and what is said."""

    found: Beside
    titles: tuple[str, str]  # of the two runs
    kind: str  # "experiment", "sentences" or "named": in whose words the texts are
    look: FigureStyle
    layout: TripleLayout
    plain: bool = False  # there is no second run yet: the first alone is drawn
    said: Sequence[str] = ()  # lines beside the difference, where there is room

    @property
    def drawn(self) -> tuple[int, ...]:
        """The pictures that have cells."""
        return CELLS[:1] if self.plain else CELLS

    @property
    def in_a_corner(self) -> bool:
        """Whether the difference stands below the first; one picture alone takes all the place."""
        return not self.layout.in_a_row and not self.plain

    @property
    def axis_words(self) -> tuple[str, str]:
        """The titles of rows and columns."""
        return axis_word(self.found.rows.name), axis_word(self.found.columns.name)

    @cached_property
    def boxes(self) -> tuple[Box, Box, Box]:
        """First, second, difference."""
        above = self.look.px(TITLE) + self.label_height
        height, gap = self.layout.height, self.look.px(10)
        one, two, three = self._across
        high, below = height - self.look.px(BARS) - above, above
        if self.in_a_corner:
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
        return self._is_numbered(self.type)

    @cached_property
    def type(self) -> FigureStyle:
        """The largest type in which the columns' words fit, or the reader's where none does."""
        fitting = (small for small in self.look.smaller() if not self._is_numbered(small))
        return next(fitting, self.look)

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
        rows = picture_side(self.found.rows, run, self.axis_words[0])
        font = self.look.px(13)
        if rows.tokens is not None:
            short = [fit_to_width(each, font, LONGEST * font) for each in rows.tokens]
            rows = replace(rows, tokens=short)
        return rows, picture_side(self.found.columns, run, self.axis_words[1])

    def axes(self, picture: int) -> dict[str, Any]:
        """The four axes of a picture: two that name every line, two that show what fits."""
        box, names = self.boxes[picture], axis_names(picture)
        pixels = box.right - box.left, box.bottom - box.top
        found = sheet_axes(*self.sides(RUNS[picture]), self.type, pixels)
        across, up = box.domains(self.layout)
        x, y, over_x, over_y = names
        # In a row the labels of the difference stand at the other edge.
        right = picture == 2 and self.layout.in_a_row
        column = {"automargin": False, "domain": across}
        row = {"automargin": False, "domain": up, "side": "right" if right else "left"}
        over_columns: dict[str, Any] = {"anchor": over_y, "overlaying": x, "title": {"text": ""}}
        over_rows: dict[str, Any] = {"anchor": over_x, "overlaying": y}
        if not self.shows_columns(picture):
            over_columns["showticklabels"] = False
        if not self.shows_rows(picture):
            over_rows["showticklabels"] = False
        return {
            _key(x): found["xaxis"] | column | {"anchor": y},
            _key(y): found["yaxis"] | row | {"anchor": x},
            _key(over_x): found["xaxis2"] | column | over_columns,
            _key(over_y): found["yaxis2"] | row | over_rows,
        }

    def top(self, picture: int) -> float:
        """Where a picture begins with the labels of its columns, in pixels from the top."""
        labels = self.label_height if self.shows_columns(picture) else 0.0
        return self.boxes[picture].top - labels

    def shows_rows(self, picture: int) -> bool:
        """Words that are the same as in the picture to the left are written once."""
        return picture != 1 or not same_words(self.found.rows)

    def shows_columns(self, picture: int) -> bool:
        """The same words above the picture that lies over it are written once, too."""
        return picture != 2 or self.layout.in_a_row or not same_words(self.found.columns)

    @cached_property
    def _across(self) -> list[tuple[float, float]]:
        wide = [self._label_width(each) for each in (0, 1, 2)]
        inner, gap = wide[1] if self.shows_rows(1) else 0.0, self.look.px(GAP)
        if self.plain:
            left = EDGE + wide[0]
            return 3 * [(left, float(self.layout.width - self.look.px(SLANT)))]
        if self.layout.in_a_row:
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

    def _is_numbered(self, small: FigureStyle) -> bool:
        tokens = self.sides(None)[1].tokens
        return tokens is not None and is_numbered(self._columns_axis(small), tokens)

    def _columns_axis(self, small: FigureStyle) -> dict[str, Any]:
        columns = self.sides(None)[1]
        left, right = self._across[2]
        axes = sheet_axes(columns, columns, small, (right - left, right - left))
        return dict(axes["xaxis2"])


def axis_names(picture: int) -> tuple[str, str, str, str]:
    """How Plotly calls the axes of a picture: x and y that name, x and y that show."""
    one, two = axis_suffix(2 * picture), axis_suffix(2 * picture + 1)
    return f"x{one}", f"y{one}", f"x{two}", f"y{two}"


def _key(name: str) -> str:
    return f"{name[0]}axis{name[1:]}"


def frame_notes(frame: Frame) -> list[dict[str, Any]]:
    """The titles of the pictures, and what stands beside the difference."""
    look, faint, found = frame.look, "faint", []
    titles = *frame.titles, say("beside.difference")
    for place in frame.drawn:
        text, box = titles[place], frame.boxes[place]
        above, colour = frame.top(place) - look.px(TITLE), "changed" if place == 2 else "text"
        found.append(_note(f"<b>{escape(text)}</b>", box.left, above, 14, colour, frame))
    first, corner, (rows, columns) = frame.boxes[0], "right bottom", frame.axis_words
    if rows:
        found.append(_note(f"{rows} ↓", first.left - 4, first.top - 2, 12, faint, frame, corner))
    if columns:
        above = frame.top(0) - look.px(4)
        found.append(_note(f"{columns} →", first.right, above, 12, faint, frame, corner))
    if frame.in_a_corner:
        left, start = frame.boxes[1].left, frame.top(2) + look.px(LEGEND)
        for line, text in enumerate(lines_beside(frame)):
            colour, top = "text" if line else faint, start + line * look.px(LINE)
            found.append(_note(escape(text), left, top, SAID, colour, frame))
    return found


def has_room(frame: Frame) -> bool:
    """Whether its lines, broken where they must be, can stand beside the difference."""
    lines = len(lines_beside(frame))
    return frame.top(2) + frame.look.px(LEGEND + lines * LINE) <= frame.layout.height


def lines_beside(frame: Frame) -> list[str]:
    """The lines beside the difference, none wider than its place."""
    room = frame.layout.width - frame.boxes[1].left
    return [line for text in frame.said for line in break_lines(text, room, frame.look.px(SAID))]


def _note(
    html: str, left: float, top: float, size: int, colour: str, frame: Frame, at: str = "left top"
) -> dict[str, Any]:
    x, y = left / frame.layout.width, 1 - top / frame.layout.height
    return annotate_at(html, frame.look, x, y, size, colour, at, align="left")


def pin_frame(frame: Frame) -> list[dict[str, Any]]:
    """A frame around the pinned cell or line, in every picture."""
    if frame.layout.pinned is None:
        return []
    lengths = len(frame.found.rows), len(frame.found.columns)
    rows, columns = (
        (0, length - 1) if at is None else (at, at)
        for at, length in zip(frame.layout.pinned, lengths, strict=True)
    )
    names = [axis_names(at) for at in frame.drawn]
    return [
        cells_frame(rows, columns, frame.look, name="pinned", xref=x, yref=y)
        for x, y, _, _ in names
    ]
