"""Numbers of the Lab as tinted tables, HTML for `st.html`: rounded, the exact value on hover."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape

import numpy as np

from app.figures.colours import mix, readable_on
from app.figures.labels import MINUS, SUPERSCRIPT, format_number, visible
from app.figures.theme import Look

LEVELS = 24  # shades of a tint
DEEPEST = 0.62  # of the way to the colour of the role
WHOLE_BELOW = 1e6


def matrix(
    values: np.ndarray,
    look: Look,
    role: str = "data",
    rows: Sequence[str] = (),
    columns: Sequence[str] = (),
    wrong: np.ndarray | None = None,
    faint: np.ndarray | None = None,
    limit: float | None = None,
    tinted: bool = True,
    write: Callable[[float], str] | None = None,
    ours: bool = False,
) -> str:
    """A table of up to two axes: a number, a row, or rows.

    wrong: cells to mark, faint: cells to hold back, both bool of the shape of `values`. limit: the
    magnitude that has the full tint; the largest one without. rows, columns: names, escaped here.
    write: how a number is written; to the reader's digits without. ours: the names are texts of
    the app, whose blanks are no tokens.
    """
    cells = np.atleast_2d(np.asarray(values, dtype=np.float64))
    marks = _flags(wrong, cells.shape)
    dim = _flags(faint, cells.shape)
    write = write or writer(cells, look.precision)
    named = escape if ours else name
    tint = Tint(look, role if tinted else "", limit or largest(cells))
    longest = max(len(write(value)) for value in cells.ravel().tolist()) if tinted else 0
    lines = []
    if len(columns):
        corner = "<th></th>" if len(rows) else ""
        names = "".join(f"<th>{named(each)}</th>" for each in columns)
        lines.append(f"<tr>{corner}{names}</tr>")
    for at, row in enumerate(cells):
        title = f"<th>{named(rows[at])}</th>" if len(rows) else ""
        inside = "".join(
            _cell(value, write(value), tint, marks[at, j], dim[at, j])
            for j, value in enumerate(row.tolist())
        )
        lines.append(f"<tr>{title}{inside}</tr>")
    return f'<table class="lab-matrix" style="--wide:{longest}ch">{"".join(lines)}</table>'


def shape_of(values: np.ndarray, look: Look, axes: Sequence[str] = ()) -> str:
    """Whole numbers as a shape: "2 × 4 × 512"; with the letters of the axes below, if given."""
    sizes = [format_number(int(size)) for size in np.asarray(values).tolist()]
    if not axes:
        return f'<span class="lab-shape">{" × ".join(sizes)}</span>'
    cells = "".join(
        f'<span>{size}<small style="color:{look.colour("faint")}">{escape(axis)}</small></span>'
        for size, axis in zip(sizes, axes, strict=True)
    )
    return f'<span class="lab-shape">{cells}</span>'


def name(text: str) -> str:
    """A word of the reader's as it may stand in HTML."""
    return escape(visible(text))


def beside(parts: Sequence[tuple[str, str]]) -> str:
    """Tables side by side, each under its caption (escaped here)."""
    inside = "".join(
        f"<figure><figcaption>{escape(caption)}</figcaption>{table}</figure>"
        for caption, table in parts
    )
    return f'<div class="lab-beside">{inside}</div>'


def largest(*arrays: np.ndarray) -> float:
    """The largest magnitude in the arrays: the common end of their tints."""
    found = [np.abs(each[np.isfinite(each)]).max(initial=0.0) for each in map(np.asarray, arrays)]
    return float(max(found)) or 1.0


def is_whole(values: np.ndarray) -> bool:
    """Whether all numbers are whole and short, and are written without decimals."""
    cells = np.asarray(values, dtype=np.float64)
    finite = bool(np.isfinite(cells).all()) and float(np.abs(cells).max(initial=0)) < WHOLE_BELOW
    return finite and bool((cells == np.round(cells)).all())


def writer(values: np.ndarray, digits: int, sign: bool = False) -> Callable[[float], str]:
    """How the numbers of a table are written: all whole, or all to these significant digits."""
    whole = is_whole(values)

    def write(value: float) -> str:
        text = format_number(int(value) if whole else value, digits)
        return f"+{text}" if sign and value > 0 else text

    return write


def digits_apart(first: np.ndarray, second: np.ndarray, digits: int, most: int = 7) -> int:
    """The significant digits, at least `digits`, at which no two numbers of a pair look alike."""
    pairs = list(zip(np.ravel(first).tolist(), np.ravel(second).tolist(), strict=True))
    while digits < most and any(
        format_number(a, digits) == format_number(b, digits) for a, b in pairs
    ):
        digits += 1
    return digits


def exact(value: float) -> str:
    """Every digit: the fewest that give back the same number, as float32 where it is one."""
    if not np.isfinite(value):
        return format_number(value)
    single = np.float32(value)
    kept = single if float(single) == value else np.float64(value)
    if value == 0:
        return "0"
    if 1e-5 <= abs(value) < 1e10:
        return str(np.format_float_positional(kept, trim="-")).replace("-", MINUS)
    digits, _, power = np.format_float_scientific(kept, trim="-").partition("e")
    return f"{digits}×10{str(int(power)).translate(SUPERSCRIPT)}".replace("-", MINUS)


@dataclass(frozen=True)
class Tint:
    """The background of a number: role "" for none, full at magnitude `top`."""

    look: Look
    role: str
    top: float

    def style(self, value: float) -> str:
        """The style of a cell."""
        if not self.role or not np.isfinite(value):
            return ""
        level = round(min(abs(value) / self.top, 1.0) * LEVELS)
        back, ink = shade(self.role, value < 0, level, self.look.dark)
        return f' style="background:{back};color:{ink}"'


def _cell(value: float, text: str, tint: Tint, wrong: bool, faint: bool) -> str:
    kinds = " ".join([*(["wrong"] if wrong else []), *(["faint"] if faint else [])])
    named = f' class="{kinds}"' if kinds else ""
    return f'<td{named}{tint.style(value)} title="{exact(value)}">{text}</td>'


@lru_cache(maxsize=1024)
def shade(role: str, negative: bool, level: int, dark: bool) -> tuple[str, str]:
    """Background and ink of a cell; numbers below 0 have the other end of the diverging scale."""
    look = Look(dark=dark)
    hue = look.colour("key" if negative and role != "key" else role)
    back = mix(look.colour("panel"), hue, DEEPEST * level / LEVELS)
    return back, readable_on(back)


def _flags(flags: np.ndarray | None, shape: tuple[int, ...]) -> np.ndarray:
    if flags is None:
        return np.zeros(shape, dtype=bool)
    return np.atleast_2d(np.asarray(flags, dtype=bool))
