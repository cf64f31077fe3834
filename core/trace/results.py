"""What a tool found, as a small frozen object: a table, a picture, an array with words, a file.

Every tool gives a `Result`, most a `ResultGrid`: numbers along named axes, whose labels are the
words, heads and layers that they belong to; a word that comes twice keeps both its places.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from glassformer.core.errors import GlassformerError
from glassformer.core.model.device import to_float64
from glassformer.core.trace.sites import Axis

if TYPE_CHECKING:
    import pandas as pd

LINES = 10  # of a table that are printed
WIDEST, MAPS = 64, 12  # rows and columns of a picture, and how many pictures of two axes
POSITIVE, NEGATIVE = "#C2410C", "#2563EB"  # as on the app's heat maps: orange-red and blue
STYLE = (
    "<style>.gf-grid td{min-width:2.6em;padding:.1em .3em;text-align:right;"
    "font-variant-numeric:tabular-nums}.gf-grid th{padding:.1em .4em;font-weight:400;"
    "text-align:right;white-space:nowrap}.gf-grid caption{text-align:left;padding:.3em 0}</style>"
)


@dataclass(frozen=True)
class Picture:
    """A picture that a notebook shows, of HTML alone: it is seen where no widgets run."""

    html: str

    def _repr_html_(self) -> str:
        return self.html

    def save(self, path: str | Path) -> None:
        """Writes the picture as a page that opens without a network."""
        page = f'<!doctype html><meta charset="utf-8"><title>Glassformer</title>{self.html}'
        Path(path).write_text(page, encoding="utf-8")


class Result:
    """What a tool found; `table`, `show`, `to_xarray` and `save` are there for each."""

    def headline(self) -> str:
        """What was found, in a line."""
        raise NotImplementedError

    def table(self) -> pd.DataFrame:
        """One row a number, with what it belongs to."""
        raise NotImplementedError

    def lines(self) -> pd.DataFrame:
        """The rows of the table that matter most, at most `LINES`."""
        return self.table().head(LINES)

    def show(self) -> Any:
        """The picture for a notebook: the app's own component where its widgets were imported."""
        return self.picture()

    def picture(self) -> Picture:
        """The picture in HTML alone; `.save(path)` of it gives a page."""
        shown = self.lines().to_html(index=False, border=0)  # pandas escapes what it writes
        return Picture(f"<p>{escape(self.headline())}</p>{shown}")

    def to_xarray(self) -> Any:
        """The table's columns of numbers as an `xarray.Dataset` over its rows.

        Raises GlassformerError `no_xarray` where xarray is not installed.
        """
        return import_xarray().Dataset.from_dataframe(self.table())

    def save(self, path: str | Path) -> None:
        """Writes the table as CSV, in UTF-8 with a mark that spreadsheets read."""
        from glassformer.core.analysis.export import as_csv  # it imports runs, which import this

        Path(path).write_bytes(as_csv(self.table()))

    def __repr__(self) -> str:
        return f"{self.headline()}\n{self.lines().to_string(index=False)}"

    def _repr_html_(self) -> str:
        return self.picture().html


@dataclass(frozen=True)
class GridAxis:
    """An axis of a grid: its name and what its places are called.

    counted: the labels are words at positions; the position is told beside the word, from 0.
    """

    name: str
    labels: tuple[str | int, ...]
    counted: bool = False


@dataclass(frozen=True, repr=False)
class ResultGrid(Result):
    """Numbers along named axes.

    title: what was done. measure: what a number is, with its unit; it names their column. notes:
    further numbers that belong to the whole, such as the metric without any change.
    """

    title: str
    measure: str
    values: NDArray[np.float64]  # one number for each combination of labels
    axes: tuple[GridAxis, ...]
    notes: dict[str, float] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        assert self.values.shape == tuple(len(axis.labels) for axis in self.axes)

    def headline(self) -> str:
        sizes = " × ".join(f"{len(axis.labels)} {axis.name}" for axis in self.axes)
        notes = "".join(f"; {name} {value:.4g}" for name, value in self.notes.items())
        return f"{self.title}: {self.measure}, {sizes}{notes}"

    def table(self) -> pd.DataFrame:
        """A row a number: each axis, `<axis>_token` beside counted positions, and the measure."""
        import pandas as pd  # slow to import

        places = np.indices(self.values.shape).reshape(len(self.axes), -1)
        made: dict[str, Any] = {}
        for axis, at in zip(self.axes, places, strict=True):
            labels = np.asarray(axis.labels, dtype=object)[at]
            if axis.counted:
                made[axis.name] = at
            made[f"{axis.name}_token" if axis.counted else axis.name] = labels
        made[self.measure] = self.values.reshape(-1)
        return pd.DataFrame(made).infer_objects()

    def top(self, k: int = LINES) -> pd.DataFrame:
        """The k rows of the table with the largest numbers, whatever their sign."""
        table = self.table()
        order = table[self.measure].abs().sort_values(ascending=False, kind="stable").index
        return table.loc[order[:k]]

    def lines(self) -> pd.DataFrame:
        return self.top()

    def over(self, axis: str) -> Self:
        """The mean along an axis, which is gone then.

        Raises GlassformerError `unknown_axis` for one that the grid has not.
        """
        names = [each.name for each in self.axes]
        if axis not in names:
            raise GlassformerError(
                "unknown_axis", address=self.title, axis=axis, axes=", ".join(names)
            )
        at = names.index(axis)
        rest = self.axes[:at] + self.axes[at + 1 :]
        values = np.asarray(self.values.mean(axis=at))
        return type(self)(self.title, self.measure, values, rest, self.notes)

    def to_xarray(self) -> Any:
        """An `xarray.DataArray`: axes by name, labels as coordinates, duplicates and all.

        Beside the words of a counted axis stands `<axis>_position`, from 0. Raises GlassformerError
        `no_xarray` where xarray is not installed.
        """
        coordinates: dict[str, Any] = {}
        for axis in self.axes:
            coordinates[axis.name] = (axis.name, np.asarray(axis.labels, dtype=_kind(axis)))
            if axis.counted:
                coordinates[f"{axis.name}_position"] = (axis.name, np.arange(len(axis.labels)))
        return import_xarray().DataArray(
            self.values, dims=[axis.name for axis in self.axes], coords=coordinates,
            name=self.measure, attrs={"title": self.title, **self.notes},
        )  # fmt: skip

    def picture(self) -> Picture:
        """Heat maps of the last two axes, one for each combination of the others."""
        return Picture(_heat_maps(self))


def grid_of(values: Tensor, axes: Iterable[Axis], title: str, measure: str = "value") -> ResultGrid:
    """A recorded tensor, or a part of it, as a grid.

    Args:
        values: of any shape and device.
        axes: of the tensor, one for each dimension of `values`.
        title: what it is, such as its address.
        measure: what a number is.

    Returns:
        The grid in float64; positions and the vocabulary have their words, other axes their
        numbers from 0.
    """
    named = tuple(
        GridAxis(axis.name, axis.labels or tuple(range(axis.size)), axis.labels is not None)
        for axis in axes
    )
    return ResultGrid(title, measure, to_float64(values.detach()).cpu().numpy(), named)


def import_xarray() -> Any:
    """The library xarray, when it is asked for.

    Returns:
        The module.

    Raises:
        GlassformerError: `no_xarray` where it is not installed.
    """
    try:
        import xarray
    except ImportError as error:
        raise GlassformerError("no_xarray") from error
    return xarray


def _kind(axis: GridAxis) -> Any:
    return int if all(isinstance(label, int) for label in axis.labels) else object


def _heat_maps(grid: ResultGrid) -> str:
    values = np.atleast_2d(grid.values)
    axes = (GridAxis("", ("",)),) * (2 - len(grid.axes)) + grid.axes
    most = float(np.nanmax(np.abs(values), initial=0.0)) or 1.0
    outer = values.shape[:-2]
    tables = []
    for at in list(np.ndindex(*outer))[:MAPS]:
        held = [f"{a.name} {a.labels[i]}" for a, i in zip(axes[: len(outer)], at, strict=True)]
        tables.append(_heat_map(values[at], axes[-2:], ", ".join(held), most))
    shown = "" if len(tables) == int(np.prod(outer)) else f"<p>{MAPS} / {int(np.prod(outer))}</p>"
    return f"{STYLE}<p>{escape(grid.headline())}</p>{''.join(tables)}{shown}"


def _heat_map(
    values: NDArray[np.float64], axes: Sequence[GridAxis], caption: str, most: float
) -> str:
    rows, columns = (axis.labels[:WIDEST] for axis in axes)
    head = "".join(f"<th>{escape(str(label))}</th>" for label in columns)
    lines = [f"<tr><th>{escape(axes[0].name)} \\ {escape(axes[1].name)}</th>{head}</tr>"]
    for label, line in zip(rows, values[:WIDEST, :WIDEST], strict=True):
        cells = "".join(_cell(float(value), most) for value in line)
        lines.append(f"<tr><th>{escape(str(label))}</th>{cells}</tr>")
    cut = [
        f"the first {WIDEST} of {len(axis.labels)} {axis.name}"
        for axis in axes
        if len(axis.labels) > WIDEST
    ]
    said = escape("; ".join(filter(None, [caption, *cut])))
    return f'<table class="gf-grid"><caption>{said}</caption>{"".join(lines)}</table>'


def _cell(value: float, most: float) -> str:
    if np.isnan(value):
        return "<td></td>"
    colour = POSITIVE if value >= 0 else NEGATIVE
    share = round(70 * min(1.0, abs(value) / most))
    style = f"background:color-mix(in oklab,{colour} {share}%,transparent)"
    return f'<td style="{style}" title="{value:.9g}">{value:.2g}</td>'
