"""Plotly's objects as the figures use them: `from app.figures import drawing as go`.

Plotly checks every value of a figure, three times over, and that is most of the time of a rerun.
Here nothing is checked; the tests build each figure with the checks as well and compare.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import orjson
import plotly.graph_objects
import plotly.io

LISTS = ("annotations", "shapes")
TYPED = {  # arrays that plotly.js reads as bytes, by its names
    "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2", "int32": "i4", "uint32": "u4",
    "float32": "f4", "float64": "f8",
}  # fmt: skip


class _Shared(dict[str, Any]):
    """A part of many figures that nobody changes: a copy of a figure has the very same."""

    def __deepcopy__(self, memo: object) -> _Shared:
        return self


@cache
def _template(name: str) -> _Shared:
    return _Shared(plotly.io.templates[name].to_plotly_json())


class Bar(plotly.graph_objects.Bar):  # type: ignore[misc]
    """Bars; arguments as of plotly's own."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given, _validate=False)


class Heatmap(plotly.graph_objects.Heatmap):  # type: ignore[misc]
    """A heat map; arguments as of plotly's own."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given, _validate=False)


class Scatter(plotly.graph_objects.Scatter):  # type: ignore[misc]
    """Points and lines; arguments as of plotly's own."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given, _validate=False)


class Figure(plotly.graph_objects.Figure):  # type: ignore[misc]
    """A trace or several, and their layout, which may say `template="none"`."""

    def __init__(self, data: Any = (), layout: Mapping[str, Any] | None = None) -> None:
        given = _said(layout or {})
        template = _template(given.get("template", plotly.io.templates.default))
        super().__init__(data, given | {"template": template}, _validate=False)

    def written(self) -> bytes:
        """The figure as JSON for plotly.js: arrays as their bytes, no number that JSON lacks."""
        return orjson.dumps({"data": self._data, "layout": self._layout}, default=_sendable)


def _sendable(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return value.item()  # a number of numpy
    if value.dtype.name not in TYPED:
        return value.tolist()
    packed = base64.b64encode(value.tobytes()).decode()
    shape = {} if value.ndim == 1 else {"shape": ", ".join(map(str, value.shape))}
    return {"dtype": TYPED[value.dtype.name], "bdata": packed} | shape


def _said(table: Mapping[str, Any]) -> dict[str, Any]:
    """What a layout says: plotly leaves None out, and lists without a shape or an annotation."""
    return {
        name: _said(value) if isinstance(value, dict) else value
        for name, value in table.items()
        if value is not None and (value != [] if name in LISTS else True)
    }
