"""Plotly's objects as the figures use them: `from glassformer.app.plots import drawing as go`.

Plotly checks every value of a figure, three times over, and that is most of the time of a rerun.
Here nothing is checked; the tests build each figure with the checks as well and compare.
"""

import base64
from collections.abc import Mapping
from functools import cache, cached_property
from typing import Any

import numpy as np
import orjson
import plotly.graph_objects
import plotly.io

LISTS = ("annotations", "shapes")
OTHER_SPACES = ("geo", "map", "mapbox", "polar", "scene", "smith", "ternary")
TYPED = ("i1", "u1", "i2", "u2", "i4", "u4", "f4", "f8")  # that plotly.js reads as bytes


@cache
def _template(name: str) -> dict[str, Any]:
    return dict(plotly.io.templates[name].to_plotly_json())


@cache
def _written_template(name: str) -> orjson.Fragment:
    """What of it our figures can use: most is of other kinds of traces and of other spaces."""
    kinds = {each.kind for each in Trace.__subclasses__()}
    used = {
        of: {part: said for part, said in all_of.items() if of == "layout" or part in kinds}
        for of, all_of in _template(name).items()
    }
    for space in OTHER_SPACES:
        used.get("layout", {}).pop(space, None)
    return orjson.Fragment(orjson.dumps(used))


class Trace(dict[str, Any]):
    """One layer of a figure; arguments as of plotly's own."""

    kind = ""

    def __init__(self, **given: Any) -> None:
        super().__init__(type=self.kind, **given)


class Bar(Trace):
    """Bars."""

    kind = "bar"


class Heatmap(Trace):
    """A heat map."""

    kind = "heatmap"


class Scatter(Trace):
    """Points and lines."""

    kind = "scatter"


class Figure:
    """A trace or several, and their layout, which may say `template="none"`."""

    def __init__(self, data: Any = (), layout: Mapping[str, Any] | None = None) -> None:
        given = _said(layout or {})
        self.height: int | None = given.get("height")
        self._template = given.pop("template", plotly.io.templates.default)
        self._layout = given
        self._data = [_said(each) for each in ([data] if isinstance(data, Mapping) else data)]

    @cached_property
    def of_plotly(self) -> plotly.graph_objects.Figure:
        """The same as plotly's own object: for Streamlit's element, and to read in tests."""
        layout = self._layout | {"template": _template(self._template)}
        data = [dict(each) for each in self._data]  # plotly takes the type out
        return plotly.graph_objects.Figure(data, layout, _validate=False)

    @property
    def data(self) -> Any:
        """The traces as plotly's own objects."""
        return self.of_plotly.data

    @property
    def layout(self) -> Any:
        """The layout as plotly's own object."""
        return self.of_plotly.layout

    def written(self) -> bytes:
        """The figure as JSON for plotly.js: arrays as their bytes, no number that JSON lacks."""
        layout = self._layout | {"template": _written_template(self._template)}
        return orjson.dumps({"data": self._data, "layout": layout}, default=_sendable)


def _sendable(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return value.item()  # a number of numpy
    kind = value.dtype.str[1:]
    if kind not in TYPED:
        return value.tolist()
    packed = base64.b64encode(value.tobytes()).decode()
    shape = {} if value.ndim == 1 else {"shape": ", ".join(map(str, value.shape))}
    return {"dtype": kind, "bdata": packed} | shape


def _said(table: Mapping[str, Any]) -> dict[str, Any]:
    """What a part says: plotly leaves None out, and lists without a shape or an annotation."""
    return {
        name: _said(value) if isinstance(value, dict) else value
        for name, value in table.items()
        if value is not None and (value != [] if name in LISTS else True)
    }
