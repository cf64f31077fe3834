"""The pictures of a tensor: what is coloured, hatched, crossed out, written and said on hover."""

import numpy as np
import plotly.graph_objects as go
import pytest

from glassformer.app.pages.tensors.figures import tensor_bars, tensor_histogram
from glassformer.app.plots.axes import Side, sheet_axes
from glassformer.app.plots.colours import diverging_scale, sequential
from glassformer.app.plots.sheet import tensor_heatmap
from glassformer.app.plots.theme import FigureStyle

LOOK = FigureStyle()
ROWS = Side("Query", (1, 2), ("the", "<b>x</b>"))
COLUMNS = Side("Key", (1, 2, 3), ("the", "the", "$x$"))


def picture(
    values: list[list[float]],
    allowed: list[list[bool]] | None = None,
    limits: tuple[float, float] = (0.0, 1.0),
) -> go.Figure:
    said = None if allowed is None else np.array(allowed)
    return tensor_heatmap(
        np.array(values, np.float32),
        said,
        (ROWS, COLUMNS),
        limits,
        "weights",
        ("value", "masked"),
        LOOK,
    )


def heatmaps(figure: go.Figure) -> list[go.Heatmap]:
    return [drawn for drawn in figure.data if drawn.type == "heatmap"]


def markers(figure: go.Figure) -> list[go.Scatter]:
    return [each for each in figure.data if each.type == "scatter" and each.mode == "markers"]


def test_signed_values_lie_about_zero_the_others_start_there() -> None:
    signed = picture([[-1, 0, 2], [1, 1, 1]], limits=(-2.0, 2.0)).data[0]
    assert (signed.zmin, signed.zmax) == (-2, 2)
    assert [list(stop) for stop in signed.colorscale] == diverging_scale(False)
    plain = picture([[0, 0.5, 1], [0, 0, 1]]).data[0]
    assert (plain.zmin, plain.zmax) == (0, 1)
    assert [list(stop) for stop in plain.colorscale] == sequential("weights", False)
    assert plain.z.dtype == np.float32


def test_masked_cells_are_hatched_and_not_coloured() -> None:
    figure = picture([[1, -1e9, -1e9], [2, 3, -1e9]], [[True, False, False], [True, True, False]])
    cells, silent = heatmaps(figure)
    assert np.isnan(cells.z).tolist() == [[False, True, True], [False, False, True]]
    assert np.isnan(silent.z).tolist() == [[True, False, False], [True, True, False]]
    assert "masked <b>−1.00000000×10⁹</b>" in silent.hovertemplate
    assert any(drawn.fillpattern.shape == "/" for drawn in figure.data if drawn.type == "scatter")


def test_nothing_is_hatched_where_all_is_allowed() -> None:
    figure = picture([[1, 1, 1], [1, 1, 1]], [[True] * 3] * 2)
    assert len(heatmaps(figure)) == 1
    assert [drawn.xaxis for drawn in figure.data if drawn.type == "scatter"] == ["x2"]


@pytest.mark.parametrize(("value", "name"), [(np.nan, "NaN"), (np.inf, "∞"), (-np.inf, "−∞")])
def test_what_is_not_finite_is_crossed_out_and_said(value: float, name: str) -> None:
    figure = picture([[0, 1, value], [1, 1, 1]])
    cells, silent = heatmaps(figure)
    assert np.isnan(cells.z[0, 2])
    assert f"<b>{name}</b>" in silent.hovertemplate
    (crosses,) = markers(figure)
    assert (list(crosses.x), list(crosses.y)) == ([2], [0])


def test_a_forbidden_infinity_is_hatched_not_crossed() -> None:
    figure = picture([[1, 1, -np.inf], [1, 1, 1]], [[True, True, False], [True] * 3])
    assert not markers(figure)


def test_hover_names_every_line_literally() -> None:
    figure = picture([[0, 0, 0], [0, 0, 0]])
    assert figure.layout.xaxis.ticktext == ("1 the", "2 the", "3 $x$")
    assert figure.layout.yaxis.ticktext == ("1 the", "2 &lt;b&gt;x&lt;/b&gt;")
    assert not figure.layout.xaxis.showticklabels
    assert figure.layout.xaxis2.ticktext == ("the", "the", "$x$")
    assert figure.layout.xaxis2.overlaying == "x"
    assert "%{z:.9~g}" in figure.data[0].hovertemplate
    for axis in (figure.layout.xaxis, figure.layout.yaxis):
        assert axis.type == "linear"


def test_numbers_are_written_where_there_is_room() -> None:
    texts = picture([[0.004, 0.5, -0.25], [1, 0, 0]], limits=(-1.0, 1.0)).data[0].text
    assert [list(row) for row in texts] == [["0.00", "0.50", "−0.25"], ["1.00", "0.00", "0.00"]]
    wide = Side("Feature", range(1, 65))
    many = np.zeros((2, 64), np.float32)
    sides, words = (ROWS, wide), ("value", "masked")
    assert tensor_heatmap(many, None, sides, (0, 1), "data", words, LOOK).data[0].text is None


@pytest.mark.parametrize(
    ("reach", "written"), [(0.0004, None), (0.03, "0.015"), (40.0, "20"), (7000, "3500")]
)
def test_all_cells_have_the_same_decimals(reach: float, written: str | None) -> None:
    drawn = picture([[reach / 2] * 3] * 2, limits=(0, reach)).data[0]
    if written is None:
        assert drawn.text is None
    else:
        assert float(drawn.text[0][0]) == pytest.approx(float(written), rel=0.01)


def test_no_title_is_rotated() -> None:
    chinese = (Side("查询", (1, 2)), Side("键", (1, 2, 3)))
    values, words = np.zeros((2, 3), np.float32), ("value", "masked")
    drawn = tensor_heatmap(values, None, chinese, (0, 1), "data", words, LOOK)
    bars = tensor_bars(np.zeros(2), chinese[0], "norm", "value", LOOK)
    for figure in (drawn, bars):
        assert figure.layout.annotations[0].text == "查询 ↓"
        assert not figure.layout.yaxis.title.text
        assert not figure.layout.yaxis2.title.text


def test_long_axes_show_round_numbers_and_pooled_lines_their_range() -> None:
    pooled = Side("Hidden unit", range(1, 513, 2), step=2)
    axes = sheet_axes(ROWS, pooled, LOOK, (500, 400))
    shown = axes["xaxis2"]
    assert set(map(int, shown["ticktext"])) >= {128, 256, 384, 512}
    for place, text in zip(shown["tickvals"], shown["ticktext"], strict=True):
        assert pooled.numbers[place] <= int(text) < pooled.numbers[place] + 2
    assert axes["xaxis"]["ticktext"][0] == "1–2"
    assert len(axes["xaxis"]["ticktext"]) == 256


def test_words_without_room_are_their_own_numbers() -> None:
    chosen = Side("Vocabulary", range(1001, 1061), tuple(f"词{n}" for n in range(60)))
    axes = sheet_axes(ROWS, chosen, LOOK, (500, 400))
    assert axes["xaxis2"]["ticktext"][0] == "1001"
    assert axes["xaxis"]["ticktext"][59] == "1060 词59"


def test_bars_carry_their_number() -> None:
    figure = tensor_bars(np.array([0.5, -2.0]), ROWS, "norm", "value", LOOK)
    bars = figure.data[0]
    assert list(bars.text) == ["0.500", "−2"]
    assert list(bars.x) == [0.5, -2.0]
    assert figure.layout.xaxis.range[0] < -2
    assert figure.layout.yaxis2.ticktext == ("the", "&lt;b&gt;x&lt;/b&gt;")


def test_ids_are_names_without_bars() -> None:
    figure = tensor_bars(
        np.array([7.0, 9.0]), ROWS, "data", "value", LOOK, names=("the", "<noun1>")
    )
    assert list(figure.data[0].x) == [0, 0]
    assert list(figure.data[0].text) == ["7  the", "9  &lt;noun1&gt;"]


def test_bars_of_nan_are_said() -> None:
    figure = tensor_bars(np.array([np.nan, np.inf]), ROWS, "norm", "value", LOOK)
    assert list(figure.data[0].x) == [0, 0]
    assert list(figure.data[0].text) == ["NaN", "∞"]


def test_histogram_counts_and_turns_logarithmic_when_one_bin_dwarfs_all() -> None:
    edges, words = np.linspace(0, 1, 4), ("value", "how many", "how many (log)")
    even = tensor_histogram(edges, np.array([30, 40, 30]), "data", words, LOOK)
    assert list(even.data[0].y) == [30, 40, 30]
    assert even.layout.yaxis.type == "linear"
    crowded = tensor_histogram(edges, np.array([900, 3, 1]), "data", words, LOOK)
    assert crowded.layout.yaxis.type == "log"
    assert crowded.layout.annotations[0].text == "how many (log)"
    few = tensor_histogram(edges, np.array([5, 0, 1]), "data", words, LOOK)
    assert few.layout.yaxis.type == "linear"


def test_what_is_sent_grows_with_the_picture_only() -> None:
    tokens = tuple(f"token{n}" for n in range(64))
    side = Side("Query", range(1, 65), tokens)
    values = np.random.default_rng(0).random((64, 64), dtype=np.float32)
    allowed = np.tril(np.ones((64, 64), bool))
    words = ("value", "masked")
    causal = tensor_heatmap(values, allowed, (side, side), (0, 1), "weights", words, LOOK)
    assert len(causal.written()) < 80_000
    wide = Side("Hidden unit", range(1, 513, 2), step=2)
    values = np.random.default_rng(0).random((64, 256), dtype=np.float32)
    hidden = tensor_heatmap(values, None, (side, wide), (0, 1), "data", words, LOOK)
    assert len(hidden.written()) < 128_000
