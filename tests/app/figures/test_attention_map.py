"""The large heat map: every cell in place and colour, forbidden is not zero, literal words."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from glassformer.app.panels.attention.attention_map import (
    CELLS,
    MapLayout,
    cells_of,
    colour_limits,
    colour_scale,
    map_figure,
    numbered_axes,
    words_axis,
)
from glassformer.app.plots.marks import word_pairs
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.words import say
from glassformer.core.analysis.attention_views import HeadMap, Kind, Side, attention_sides, head_map
from tests.traces import small_trace

LOOK = FigureStyle()
ODD = ("<b>x</b>", "<s>", "</s>", "$x$", "&lt;", "😀", "中文", "x", "x", ".")


def drawn(kind: Kind, stage: Any, layout: MapLayout | None = None, **changes: Any) -> go.Figure:
    trace = small_trace(**changes)
    view = head_map(trace, kind, 0, 1, stage)
    return map_figure(view, attention_sides(trace, kind), stage, LOOK, layout or MapLayout())


def cells(figure: go.Figure) -> np.ndarray:
    words, marks = (np.array(figure.data[curve].z) for curve in CELLS)
    assert not (np.isfinite(words) & np.isfinite(marks)).any()
    return np.where(np.isnan(words), marks, words)


def hatchings(figure: go.Figure) -> int:
    return sum("fillpattern" in trace.to_plotly_json() for trace in figure.data)


@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
@pytest.mark.parametrize("stage", ["scores", "scaled", "masked", "weights"])
def test_every_recorded_number_is_in_the_figure(kind: Kind, stage: Any) -> None:
    expected = head_map(small_trace(), kind, 0, 1, stage).values
    assert np.array_equal(cells(drawn(kind, stage)), expected)
    assert all(figure.z.dtype == np.float32 for figure in drawn(kind, stage).data[:2])


def test_forbidden_cells_are_hatched_from_the_mask_on() -> None:
    for stage, hatched in (("scores", 0), ("scaled", 0), ("masked", 1), ("weights", 1)):
        assert hatchings(drawn("decoder", stage)) == hatched, stage
    assert hatchings(drawn("encoder", "weights")) == 0


def test_the_fill_of_the_mask_does_not_set_the_colours() -> None:
    for fill in ("large_negative", "minus_infinity"):
        figure = drawn("decoder", "masked", mask_fill=fill)
        assert figure.data[0].zmax < 100
        assert figure.data[0].zmin == -figure.data[0].zmax
        json.loads(figure.written())


def test_weights_start_at_zero_and_scores_are_symmetric() -> None:
    figure = drawn("cross", "weights")
    assert figure.data[0].zmin == 0
    assert figure.data[0].zmax == pytest.approx(np.nanmax(cells(figure)))
    scores = drawn("cross", "scores")
    assert scores.data[0].zmax == pytest.approx(np.nanmax(np.abs(cells(scores))))
    assert scores.data[0].zmin == -scores.data[0].zmax


def test_sinks_are_grey_and_can_be_left_out_of_the_colours() -> None:
    side = Side(("a", "b", "."), frozenset({2}))
    values = np.array([[0.1, 0.2, 0.7], [0.3, 0.1, 0.6], [0.0, 0.0, 1.0]], np.float32)
    view = HeadMap(values, values >= 0, values)
    assert colour_limits(view, (side, side), "weights", False) == (0, 1)
    low, high = colour_limits(view, (side, side), "weights", True)
    assert (low, high) == (0, pytest.approx(0.3))
    grey = cells_of(values, (side, side), grey=True)
    assert np.isnan(grey[:2, :2]).all()
    assert (grey[2] == values[2]).all()
    assert colour_scale("weights", True, LOOK)[-1][1] == LOOK.colour("faint")
    assert colour_scale("weights", False, LOOK)[-1][1] == LOOK.colour("weights")
    only = Side((".",), frozenset({0}))
    one = HeadMap(values[2:, 2:], values[2:, 2:] > 0, values[2:, 2:])
    assert colour_limits(one, (only, only), "weights", True) == (0, 1)


def test_a_map_of_nothing_has_a_range() -> None:
    side = Side(("a",), frozenset())
    for value in (0.0, np.nan, -np.inf):
        values = np.full((1, 1), value, np.float32)
        view = HeadMap(values, values > 1, values)
        assert colour_limits(view, (side, side), "scores", False) == (-1, 1)


def test_words_are_shown_as_they_are() -> None:
    figure = drawn("encoder", "weights", source=ODD)
    down = [str(label) for label in figure.layout.yaxis.ticktext]
    assert down[:5] == [
        "&lt;b&gt;x&lt;/b&gt;", "&lt;s&gt;", "&lt;/s&gt;", "$x$", "&amp;lt;",
    ]  # fmt: skip
    assert down[7:9] == ["x", "x"]
    assert list(figure.layout.yaxis.tickvals) == list(range(11))
    assert "span" in down[9]  # a full stop is a sink
    assert figure.layout.xaxis.tickangle in (0, None)  # a Chinese word is among them


def test_words_of_a_side_are_grey_or_in_the_colour_of_their_role() -> None:
    side = Side(("a", "b", "."), frozenset({2}))
    labels = words_axis(side, 1, "key", LOOK, 500)["ticktext"]
    assert labels[0] == "a"
    assert LOOK.colour("key") in labels[1]
    assert LOOK.colour("faint") in labels[2]


def test_without_room_words_become_numbers_and_hover_still_has_them() -> None:
    words = tuple(f"word{number}" for number in range(63))
    trace = small_trace(words)
    both = attention_sides(trace, "encoder")
    layout = MapLayout(pinned=(30, 41))
    assert numbered_axes(both, LOOK, layout) == (True, True)
    assert numbered_axes(both, LOOK, MapLayout(width=6000)) == (True, False)
    figure = drawn("encoder", "weights", layout, source=words)
    assert 41 in figure.layout.xaxis.tickvals
    at = list(figure.layout.xaxis.tickvals).index(41)
    assert ">42<" in figure.layout.xaxis.ticktext[at]
    plain = drawn("encoder", "weights", MapLayout(), source=words).layout.xaxis.tickvals
    gaps = np.diff(figure.layout.xaxis.tickvals)
    assert gaps.min() >= plain[1] - plain[0] > 1  # no number lies on another
    assert figure.data[0].text[30, 41] == "word30 → word41"
    assert figure.data[1].text[30, 63] == "word30 → &lt;eos&gt;"
    assert figure.data[0].text[30, 63] == ""


def test_pairs_are_literal() -> None:
    words = ("<b>", "&lt;")
    assert word_pairs(words, words)[0][1] == "&lt;b&gt; → &amp;lt;"


def test_64_tokens_stay_below_the_limit_of_a_panel() -> None:
    words = tuple(f"word{number}" for number in range(63))
    assert len(drawn("encoder", "scores", source=words).written()) < 256 * 1024


def test_the_pinned_cell_is_framed() -> None:
    boxes = [
        (shape.x0, shape.x1, shape.y0, shape.y1)
        for shape in drawn("cross", "weights", MapLayout(pinned=(2, 5))).layout.shapes
    ]
    row, column = (-0.5, 4.5, 1.5, 2.5), (4.5, 5.5, -0.5, 1.5)  # from the words to the cell
    assert boxes == [row, column, (4.5, 5.5, 1.5, 2.5)]
    assert not drawn("cross", "weights").layout.shapes


def test_the_bars_are_the_entropy_of_the_weights_at_every_stage() -> None:
    expected = head_map(small_trace(), "decoder", 0, 1, "weights").entropy
    for stage in ("scores", "weights"):
        outline, bar = drawn("decoder", stage).data[-2:]
        assert bar.x == pytest.approx(expected)
        assert outline.x[-1] == pytest.approx(np.log(10))
        assert bar.hovertext[0] == say(
            "attention.spread_hover", entropy="0", most="0", words="1.00"
        )


def test_larger_type_and_the_dark_theme_change_colours_and_sizes() -> None:
    trace = small_trace()
    view, both = head_map(trace, "cross", 0, 1, "weights"), attention_sides(trace, "cross")
    large = map_figure(view, both, "weights", replace(LOOK, size=150), MapLayout())
    dark = map_figure(view, both, "weights", replace(LOOK, dark=True), MapLayout())
    plain = drawn("cross", "weights")
    assert large.layout.font.size > plain.layout.font.size
    assert dark.data[0].colorscale != plain.data[0].colorscale
