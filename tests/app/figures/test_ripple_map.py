"""The ripple's heat map: colours, hatching, words above and below."""

import json
from typing import Any

import numpy as np
import pytest

from app.figures.labels import is_chinese
from app.figures.ripple_map import LEAST, Marks, Stack, ripple_figure, shades
from app.figures.theme import Look

MOVED = np.array([[0.0, 0.0, 0.0], [0.0, 0.01, np.nan], [1e-9, np.inf, 3.0]])


def stack(tokens: tuple[str, ...] = ("<b>", "cat", "<eos>"), moved: np.ndarray = MOVED) -> Stack:
    rows = [f"row {at}" for at in range(len(moved))]
    hovers = [[f"{row} {column}" for column in tokens] for row in rows]
    return Stack("Encoder", rows, tokens, moved, hovers)


def drawn(first: Stack, second: Stack, marks: Marks | None = None) -> dict[str, Any]:
    figure = ripple_figure([first, second], marks or Marks(), Look(), 560)
    parsed: dict[str, Any] = json.loads(figure.written())
    return parsed


def test_what_moved_has_a_colour_and_what_did_not_has_none() -> None:
    shown = shades(MOVED)
    assert np.isnan(shown[0]).all()
    assert np.isnan(shown[1, [0, 2]]).all()
    assert shown[1, 1] == pytest.approx(-2)
    assert shown[2].tolist() == [LEAST, 0, 0]


def test_a_heat_map_a_stack_and_hatching_for_what_is_lost() -> None:
    figure = drawn(stack(), stack(moved=np.zeros((3, 3))))
    kinds = [each["type"] for each in figure["data"]]
    assert kinds == ["heatmap", "heatmap", "scatter"]
    assert figure["data"][2].get("xaxis", "x") == "x"
    assert figure["data"][2]["x"][:4] == [1.5, 2.5, 2.5, 1.5]
    assert figure["data"][2]["y"][:4] == [0.5, 0.5, 1.5, 1.5]
    low, high = (figure["layout"][name]["domain"] for name in ("yaxis2", "yaxis"))
    assert 0 <= low[0] < low[1] < high[0] < high[1] <= 1


def test_words_stay_as_typed_and_chinese_stands_upright() -> None:
    many = ("动物", "没有", "，", "太", *("马路",) * 11, "<eos>")
    figure = drawn(stack(), stack(many, np.zeros((2, len(many)))))
    assert figure["layout"]["xaxis"]["ticktext"][0] == "&lt;b&gt;"
    below = figure["layout"]["xaxis2"]
    assert below["ticktext"][0] == "动<br>物"
    assert below["tickangle"] == 0
    assert len(below["tickvals"]) == len(many)
    long = ("因为动物太累",) * 16
    assert not any(map(is_chinese, drawn(stack(), stack(long))["layout"]["xaxis2"]["ticktext"]))


def test_where_it_began_is_marked() -> None:
    figure = drawn(stack(), stack(), Marks(first=(1, 2), focus=(0, 1)))
    assert "▸ row 2" in figure["layout"]["yaxis2"]["ticktext"][2]
    frames = [(each["yref"], each["y0"], each["y1"]) for each in figure["layout"]["shapes"]]
    assert frames == [("y", 0.5, 1.5), ("y2", 1.5, 2.5)]
