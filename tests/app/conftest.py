"""Figures are built with plotly's checks, too; what is Streamlit's is Streamlit's in each test."""

import base64
import json
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

import numpy as np
import plotly.graph_objects
import plotly.io
import pytest
from streamlit.components.v2.bidi_component import main
from streamlit.runtime import Runtime, app_session
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.state.session_state import SessionState
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from glassformer.app.plots.drawing import Figure
from glassformer.app.plots.theme import NAMES_STAY

# Texts are said without a session, too, which Streamlit warns of each time.
logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context").disabled = True

# Where a server does things in another's place, for as long as its process lives.
REPLACED = (AppSession, SessionState, Runtime, app_session, main, WebSocketsSansIOProtocol)

KINDS = ("bar", "heatmap", "scatter")  # of traces, in all figures


@contextmanager
def put_back() -> Iterator[None]:
    """What was replaced meanwhile is as before: the next test may have the process, too."""
    before = [(owner, name, each) for owner in REPLACED for name, each in vars(owner).items()]
    functions = [(owner, name, each) for owner, name, each in before if callable(each)]
    try:
        yield
    finally:
        for owner, name, function in functions:
            if vars(owner)[name] is not function:
                setattr(owner, name, function)


@pytest.fixture(autouse=True)
def _put_back() -> Iterator[None]:
    with put_back():
        yield


@pytest.fixture(scope="session", autouse=True)
def figures_are_as_plotly_wants_them() -> Iterator[None]:
    usual = Figure.__init__
    checked_already = set[bytes]()

    def checked(figure: Figure, data: Any = (), layout: Any = None) -> None:
        usual(figure, data, layout)
        if (written := sha256(figure.written()).digest()) in checked_already:
            return
        checked_already.add(written)
        same = plotly.graph_objects.Figure(data, layout)  # raises for what plotly does not know
        drawn, wanted = (
            json.loads(plotly.io.to_json(each, validate=False)) for each in (figure.of_plotly, same)
        )
        assert list(_differences(drawn, wanted)) == []
        sent = json.loads(figure.written())
        assert list(filter(_matters, _differences(_unpacked(sent), _unpacked(drawn)))) == []
        assert list(_slow_axes(sent)) == []

    Figure.__init__ = checked  # type: ignore[method-assign]
    yield
    Figure.__init__ = usual  # type: ignore[method-assign]


def _unpacked(part: Any) -> Any:
    """The same with lists for the arrays that are sent as bytes, NaN as None."""
    if isinstance(part, list):
        return [_unpacked(each) for each in part]
    if not isinstance(part, dict):
        return part
    if "bdata" not in part:
        return {name: _unpacked(each) for name, each in part.items()}
    array = np.frombuffer(base64.b64decode(part["bdata"]), part["dtype"])
    shape = [int(each) for each in str(part.get("shape", array.size)).split(",")]
    numbers = array.reshape(shape).astype(object)
    numbers[array.reshape(shape) != array.reshape(shape)] = None
    return numbers.tolist()


def _matters(difference: str) -> bool:
    """Whether it is no template of a kind or a space that no figure has."""
    place, _, said = difference.partition(": ")
    *above, part = place.split("/")
    unused = {
        "/layout/template/data": part not in KINDS,
        "/layout/template/layout": part in ("geo", "mapbox", "polar", "scene", "ternary"),
    }
    return not (said.startswith("'-' is ") and unused.get("/".join(above), False))


def _slow_axes(sent: dict[str, Any]) -> Iterator[str]:
    """Those of which plotly.js may hide names: it measures all of them for each (NAMES_STAY)."""
    for name, axis in sent["layout"].items():
        named = re.fullmatch(r"[xy]axis\d*", name) and axis.get("showticklabels", True)
        if named and axis.get("visible", True) and axis.get("ticklabeloverflow") != NAMES_STAY:
            yield name


def _differences(one: Any, other: Any, place: str = "") -> Iterator[str]:
    if isinstance(one, dict) and isinstance(other, dict):
        for name in one.keys() | other.keys():
            yield from _differences(one.get(name, "-"), other.get(name, "-"), f"{place}/{name}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for at, pair in enumerate(zip(one, other, strict=True)):
            yield from _differences(*pair, f"{place}/{at}")
    elif one != other:
        yield f"{place}: {one!r:.60} is {other!r:.60}"
