"""The pictures of change by layer, the patching and the padded batch, from numbers done by hand."""

import json
from typing import Any

import numpy as np
import pytest

from glassformer.app.pages.switch.batch.figures import Maps, batch_maps, words_table
from glassformer.app.pages.switch.figures.by_layer_map import (
    LEAST,
    Marks,
    Stack,
    by_layer_figure,
    shade_cells,
)
from glassformer.app.pages.switch.patching.figures import PatchingPanel, patching_map
from glassformer.app.plots.labels import is_chinese
from glassformer.app.plots.theme import FigureStyle

MOVED = np.array([[0.0, 0.0, 0.0], [0.0, 0.01, np.nan], [1e-9, np.inf, 3.0]])


def stack(tokens: tuple[str, ...] = ("<b>", "cat", "<eos>"), moved: np.ndarray = MOVED) -> Stack:
    rows = [f"row {at}" for at in range(len(moved))]
    hovers = [[f"{row} {column}" for column in tokens] for row in rows]
    return Stack("Encoder", rows, tokens, moved, hovers)


def drawn(first: Stack, second: Stack, marks: Marks | None = None) -> dict[str, Any]:
    figure = by_layer_figure([first, second], marks or Marks(), FigureStyle(), 560)
    parsed: dict[str, Any] = json.loads(figure.written())
    return parsed


def test_what_moved_has_a_colour_and_what_did_not_has_none() -> None:
    shown = shade_cells(MOVED)
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


WORDS = ("turned by", "p(<b>)")


def panel(**more: object) -> PatchingPanel:
    shares = np.array([[0.0, 1.0, -0.25], [np.nan, 0.004, 1.5]])
    values: dict[str, object] = {
        "title": "Encoder", "rows": [("in", "data"), ("layer <1>", "weights")],
        "words": ["a", "<b>", "<eos>"], "hovers": ["a", "<b>", "<eos>"],
        "shares": shares, "chances": np.full((2, 3), 0.25), "marked": [1],
    }  # fmt: skip
    return PatchingPanel(**(values | more))  # type: ignore[arg-type]


def test_colours_are_symmetric_and_reach_the_largest() -> None:
    figure = patching_map([panel(), panel()], WORDS, FigureStyle())
    scale = figure.layout.coloraxis
    assert (scale.cmin, scale.cmax) == (-1.5, 1.5)
    assert figure.data[1].xaxis == "x2"
    assert figure.layout.xaxis.domain[1] < figure.layout.xaxis2.domain[0]


def test_shares_are_written_in_percent_and_nothing_where_nothing_came() -> None:
    cells = patching_map([panel()], WORDS, FigureStyle()).data[0]
    assert [list(row) for row in cells.text] == [["", "100", "−25"], ["", "", "150"]]
    assert list(cells.customdata[1][2]) == [0, 1, 2]
    assert "turned by <b>−25.0%</b>" in cells.hovertext[0][2]
    assert "p(&lt;b&gt;) = <b>25.0%</b>" in cells.hovertext[0][1]
    assert cells.hovertext[1][0] == ""


def test_words_are_literal_and_marks_are_where_they_belong() -> None:
    figure = patching_map([panel(chosen=(1, 2))], WORDS, FigureStyle(dark=True))
    ticks = figure.layout.xaxis.ticktext
    assert "&lt;b&gt;" in ticks[1] and "<b>" in ticks[1] and ticks[0] == "a"
    boxes = figure.layout.shapes
    assert [(box.x0, box.x1) for box in boxes] == [(0.5, 1.5), (1.5, 2.5)]
    assert (boxes[1].name, boxes[1].y0, boxes[1].y1) == ("chosen", 0.5, 1.5)
    assert "layer &lt;1&gt;" in figure.layout.yaxis.ticktext[1]


def test_numbers_are_left_out_where_there_is_no_room() -> None:
    cells = patching_map([panel()], WORDS, FigureStyle(), (250, 120)).data[0]
    assert all(not text for row in cells.text for text in row)


def test_the_batch_has_one_scale_for_both_views_and_a_diverging_difference() -> None:
    before = np.array([[0.5, 0.5, 0.0], [0.2, 0.8, 0.0]])
    after = np.array([[0.25, 0.25, 0.5], [0.2, 0.8, 0.0]])
    allowed = np.array([[True, True, False]] * 2)
    maps = Maps(
        (before, after), (allowed, np.ones_like(allowed)), ["r", "s"], ["a", "b", "<pad>"], 2
    )
    figure = batch_maps(maps, ["one", "two", "<three>"], ("weight", "change"), FigureStyle())
    cells = [each for each in figure.data if each.type == "heatmap"]
    np.testing.assert_allclose(cells[2].z, after - before)
    assert figure.layout.coloraxis.cmax == pytest.approx(0.8)
    assert figure.layout.coloraxis2.cmin == pytest.approx(-0.5)
    hatched = [each for each in figure.data if each.type == "scatter"]
    assert [each.xaxis for each in hatched] == ["x"]
    assert [each.x0 for each in figure.layout.shapes] == [1.5] * 3
    assert figure.layout.xaxis3.title.text == "&lt;three&gt;"
    assert figure.layout.xaxis3.side == "top"  # with its words, where a low window shows it


def test_words_that_moved_are_marked_and_escaped() -> None:
    said = words_table(
        ["w", "one", "two"], ["<i>", "b"], [[0.5, 0.25], [0.5, 0.9]], 0.005, FigureStyle()
    )
    assert "&lt;i&gt;" in said and "<i>" not in said
    assert said.count('class="moved"') == 1 and '<td class="moved">90.0%</td>' in said
    lost = words_table(["w", "one", "two"], ["b"], [[0.5], [float("nan")]], 0.005, FigureStyle())
    assert 'class="moved"' in lost
