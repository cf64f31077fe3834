"""Numbers of the Lab as tinted tables, HTML for `st.html`: rounded, the exact value on hover."""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from html import escape

import numpy as np

from glassformer.app.plots.colours import mix_colours, readable_on
from glassformer.app.plots.heat import largest_magnitude
from glassformer.app.plots.labels import MINUS, format_number, visible
from glassformer.app.plots.theme import FigureStyle
from glassformer.core.text.number_format import SUPERSCRIPT

LEVELS = 24  # shades of a tint
DEEPEST = 0.62  # of the way to the colour of the role
WHOLE_BELOW = 1e6
MOST_DIGITS = 7  # that tell two numbers apart
EMPTY = '<th role="cell"></th>'  # the corner names nothing


def matrix_html(
    values: np.ndarray, look: FigureStyle, role: str = "data", rows: Sequence[str] = (),
    columns: Sequence[str] = (), wrong: np.ndarray | None = None, faint: np.ndarray | None = None,
    limit: float | None = None, tinted: bool = True, write: Callable[[float], str] | None = None,
    ours: bool = False,
) -> str:  # fmt: skip
    """A table of up to two axes: a number, a row, or rows.

    wrong: cells to mark, faint: cells to hold back, both bool of the shape of `values`. limit: the
    magnitude that has the full tint; the largest one without. rows, columns: names, escaped here.
    write: how a number is written; to the reader's digits without. ours: the names are texts of
    the app, whose blanks are no tokens.
    """
    cells = np.atleast_2d(np.asarray(values, dtype=np.float64))
    flags = {"wrong": wrong, "faint": faint}
    marks = {kind: np.atleast_2d(flag) for kind, flag in flags.items() if flag is not None}
    write = write or number_writer(cells, look.precision)
    named = escape if ours else name_html
    top = limit or largest_magnitude(cells)
    longest = max(len(write(value)) for value in cells.ravel().tolist()) if tinted else 0

    def cell(value: float, row: int, column: int) -> str:
        kinds = " ".join(kind for kind, flag in marks.items() if flag[row, column])
        said = f' class="{kinds}"' if kinds else ""
        if tinted and np.isfinite(value):
            said += ' style="background:{};color:{}"'.format(*tint(value, role, top, look))
        return f'<td{said} title="{exact_digits(value)}">{write(value)}</td>'

    lines = []
    if len(columns):
        corner = _head("") if len(rows) else ""
        names = "".join(_head(named(each)) for each in columns)
        lines.append(f"<tr>{corner}{names}</tr>")
    for at, row in enumerate(cells):
        title = _head(named(rows[at])) if len(rows) else ""
        inside = "".join(cell(value, at, column) for column, value in enumerate(row.tolist()))
        lines.append(f"<tr>{title}{inside}</tr>")
    return f'<table class="lab-matrix" style="--wide:{longest}ch">{"".join(lines)}</table>'


def _head(text: str) -> str:
    return f"<th>{text}</th>" if text else EMPTY


def shape_of(values: np.ndarray, look: FigureStyle, axes: Sequence[str]) -> str:
    """Whole numbers as a shape, "2 × 4 × 512", with the letters of the axes below."""
    sizes = [format_number(int(size)) for size in np.asarray(values).tolist()]
    cells = "".join(
        f'<span>{size}<small style="color:{look.colour("faint")}">{escape(axis)}</small></span>'
        for size, axis in zip(sizes, axes, strict=True)
    )
    return f'<span class="lab-shape">{cells}</span>'


def name_html(text: str) -> str:
    """A word of the reader's as it may stand in HTML."""
    return escape(visible(text))


def rows_table(kind: str, heads: Sequence[str], rows: Iterable[tuple[str, str]]) -> str:
    """A table of the class `kind`: heads above the columns (escaped here), rows as (th, tds)."""
    top = "".join(_head(escape(head)) for head in ("", *heads))
    lines = "".join(f"<tr>{name}{cells}</tr>" for name, cells in rows)
    return f'<table class="plain {kind}"><tr>{top}</tr>{lines}</table>'


def shapes(
    size: Sequence[int], rows: Sequence[tuple[str, Sequence[int], str, str]],
    axes: Sequence[str], look: FigureStyle,
) -> str:  # fmt: skip
    """Shapes aligned at their last axis under `size`, as torch reads them.

    rows: name, shape, what is said of it and the role of its colour; a 1 that is stretched and
    what does not fit are marked. axes: their names.
    """
    lines = []
    for title, shape, said, role in rows:
        missing = len(size) - len(shape)
        cells = "<td></td>" * missing
        for own, needed in zip(shape, size[missing:], strict=True):
            kind = "same" if own == needed else ("copied" if own == 1 else "clash")
            cells += f'<td class="{kind}">{own}</td>'
        cells += f'<td class="said" style="color:{look.colour(role)}">{escape(said)}</td>'
        lines.append((f"<th>{escape(title)}</th>", cells))
    return rows_table("lab-shapes", [*axes, ""], lines)


def tables_side_by_side(parts: Sequence[tuple[str, str]]) -> str:
    """Tables side by side, each under its caption (escaped here)."""
    inside = "".join(
        f"<figure><figcaption>{escape(caption)}</figcaption>{table}</figure>"
        for caption, table in parts
    )
    return f'<div class="lab-beside">{inside}</div>'


def number_writer(values: np.ndarray, digits: int, sign: bool = False) -> Callable[[float], str]:
    """How the numbers of a table are written: all whole, or all to these significant digits."""
    cells = np.asarray(values, dtype=np.float64)
    # NaN and infinities are not below.
    whole = bool(((np.abs(cells) < WHOLE_BELOW) & (cells == np.round(cells))).all())

    def write(value: float) -> str:
        text = format_number(int(value) if whole else value, digits)
        return f"+{text}" if sign and value > 0 else text

    return write


def digits_apart(first: np.ndarray, second: np.ndarray, digits: int) -> int:
    """The significant digits, at least `digits`, at which no two numbers of a pair look alike."""
    pairs = list(zip(np.ravel(first).tolist(), np.ravel(second).tolist(), strict=True))
    while digits < MOST_DIGITS and any(
        format_number(a, digits) == format_number(b, digits) for a, b in pairs
    ):
        digits += 1
    return digits


def exact_digits(value: float) -> str:
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


def tint(value: float, role: str, top: float, look: FigureStyle) -> tuple[str, str]:
    """Background and ink of a cell, full at magnitude `top`; below 0 in the other end's colour."""
    return _shade(role, value < 0, round(min(abs(value) / top, 1.0) * LEVELS), look.dark)


@lru_cache(maxsize=1024)
def _shade(role: str, negative: bool, level: int, dark: bool) -> tuple[str, str]:
    look = FigureStyle(dark=dark)
    hue = look.colour("key" if negative and role != "key" else role)
    back = mix_colours(look.colour("panel"), hue, DEEPEST * level / LEVELS)
    return back, readable_on(back)
