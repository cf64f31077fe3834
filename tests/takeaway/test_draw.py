"""What is sent of a screen: rounded numbers, both themes, nothing too large."""

import base64
import math

import numpy as np
import orjson
import pytest

from glassformer.app.takeaway import draw
from glassformer.app.takeaway.draw import LARGEST, merge_themes, plain_data
from glassformer.app.takeaway.tree import Drawn
from glassformer.app.ui import chart  # noqa: F401 – registers the component


def packed(numbers: np.ndarray, **more: object) -> dict[str, object]:
    return {"dtype": "f4", "bdata": base64.b64encode(numbers.tobytes()).decode(), **more}


def test_arrays_become_numbers_that_are_close_enough() -> None:
    numbers = np.random.default_rng(0).normal(0, 8, (5, 7)).astype(np.float32)
    sent = plain_data({"z": packed(numbers, shape="5, 7"), "x": {"dtype": "i1", "bdata": "AQI="}})
    assert np.abs(np.array(sent["z"]) - numbers).max() < 1e-4
    assert sent["x"] == {"dtype": "i1", "bdata": "AQI="}


def test_what_is_no_number_is_null() -> None:
    numbers = np.array([math.nan, math.inf, -math.inf, 0.5], np.float32)
    assert orjson.dumps(plain_data([packed(numbers)])) == b"[[null,null,null,0.5]]"


def test_themes_are_one_but_where_they_differ() -> None:
    light = {"ink": "#000", "z": [1, 2], "more": ["a"], "same": None}
    dark = {"ink": "#fff", "z": [1, 2], "more": ["a", "b"], "same": None}
    assert merge_themes(light, dark) == {
        "ink": {"¦": ["#000", "#fff"]},
        "z": [1, 2],
        "more": {"¦": [["a"], ["a", "b"]]},
        "same": None,
    }


def test_what_is_too_large_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    large, small = "x" * (LARGEST + 1), "x" * 10

    def run(page: str, query: dict[str, str]) -> Drawn:
        return Drawn("<p>", [{"name": "chart", "data": large}, {"name": "chart", "data": small}])

    monkeypatch.setattr(draw, "_run", run)
    found = draw.draw_screen("", {})
    assert found["large"] == LARGEST + 3
    assert [part["data"] for part in found["screen"]["parts"]] == [None, small]


def test_a_page_that_is_none() -> None:
    for page in ("nosuch", "../server", "attention/figures"):
        assert draw.draw_screen(page, {}) == {"failed": True}
