"""Cross-attention as a matrix."""

import numpy as np
import pytest

from glassformer.app.panels.words.cross_attention import axes_with_numbers, cross_attention
from glassformer.app.plots.theme import FigureStyle

SOURCES, OUTPUTS = ["<b>x</b>", "the", "the", "<eos>"], ["我", "7", "<eos>"]


def weights(rows: int = 3, columns: int = 4) -> np.ndarray:
    values = np.arange(1, rows * columns + 1, dtype=np.float32).reshape(rows, columns)
    return values / values.sum(axis=1, keepdims=True)


def test_cells_are_the_weights_on_a_scale_from_0_to_the_largest() -> None:
    figure = cross_attention(weights(), SOURCES, OUTPUTS, FigureStyle())
    cells = figure.data[0]
    assert np.array_equal(cells.z, weights())
    assert cells.z.dtype == np.float32
    assert (cells.zmin, cells.zmax) == (0, pytest.approx(0.4))


def test_hover_says_both_words_and_the_weight() -> None:
    cells = cross_attention(weights(), SOURCES, OUTPUTS, FigureStyle(precision=4)).data[0]
    assert cells.hovertemplate == "%{y} → %{x}<br><b>%{z:.4~g}</b><extra></extra>"
    assert cells.text is None  # the ticks say the words


def test_hover_still_says_the_words_where_the_axes_are_numbered() -> None:
    many = ["extraordinarily", "<b>"] * 32
    cells = cross_attention(weights(64, 64), many, many, FigureStyle()).data[0]
    assert cells.text[0][1] == "extraordina… → &lt;b&gt;"
    assert cells.hovertemplate.startswith("%{text}<br><b>%{z")


def test_64_words_stay_below_the_limit_of_a_panel() -> None:
    many = ["internationalization"] * 64
    figure = cross_attention(weights(64, 64), many, many, FigureStyle())
    assert len(figure.written()) < 256 * 1024


def test_axes_are_numbers_so_that_equal_words_stay_apart() -> None:
    figure = cross_attention(weights(), SOURCES, OUTPUTS, FigureStyle())
    across, down = figure.layout.xaxis, figure.layout.yaxis
    assert across.type == down.type == "linear"
    assert list(across.tickvals) == [0, 1, 2, 3]
    assert list(across.ticktext) == ["&lt;b&gt;x&lt;/b&gt;", "the", "the", "&lt;eos&gt;"]
    assert down.range[0] > down.range[1]  # the first word on top
    assert "Source →" in across.title.text


def test_sinks_are_grey_and_the_word_in_focus_is_framed() -> None:
    figure = cross_attention(
        weights(), SOURCES, OUTPUTS, FigureStyle(), grey=([3], [2]), framed=(1, None)
    )
    assert FigureStyle().colour("faint") in figure.layout.xaxis.ticktext[3]
    assert FigureStyle().colour("faint") in figure.layout.yaxis.ticktext[2]
    (frame,) = figure.layout.shapes
    assert (frame.x0, frame.x1, frame.y0, frame.y1) == (0.5, 1.5, -0.5, 2.5)
    row = cross_attention(weights(), SOURCES, OUTPUTS, FigureStyle(), framed=(None, 2))
    assert (row.layout.shapes[0].y0, row.layout.shapes[0].x1) == (1.5, 3.5)


def test_wide_chinese_is_written_downwards_not_turned_and_not_numbered() -> None:
    words = ["和光同尘", "同学", "喜欢"] * 5
    figure = cross_attention(weights(3, 15), words, OUTPUTS, FigureStyle())
    assert figure.layout.xaxis.ticktext[0] == "和<br>光<br>同<br>尘"
    assert figure.layout.xaxis.tickangle == 0
    assert axes_with_numbers(words, OUTPUTS, FigureStyle()) == (False, False)


def test_where_no_word_fits_the_axes_are_numbered_and_say_so() -> None:
    many = ["extraordinarily"] * 64
    assert axes_with_numbers(many, many, FigureStyle()) == (True, True)
    assert axes_with_numbers(SOURCES, many, FigureStyle()) == (False, True)
    figure = cross_attention(weights(64, 64), many, many, FigureStyle(), grey=([63], [0]))
    assert figure.layout.xaxis.ticktext[0] == "1"
    assert len(figure.layout.xaxis.ticktext) < 64


def test_rows_that_would_touch_each_other_are_numbered() -> None:
    chinese, few = ["动物"] * 20, ["a"] * 5
    assert axes_with_numbers(few, chinese, FigureStyle()) == (False, False)
    assert axes_with_numbers(few, chinese * 2, FigureStyle()) == (False, True)
    tall = ["一个很长的词语啊"] * 12  # written downwards, the words above leave less for the rows
    assert axes_with_numbers(tall, chinese, FigureStyle()) == (False, True)


def test_a_weight_that_is_no_number_is_a_gap_that_says_so() -> None:
    values = weights()
    values[1, 2] = np.nan
    figure = cross_attention(values, SOURCES, OUTPUTS, FigureStyle())
    assert figure.data[0].text[1][2] == "7 → the<br><b>NaN</b>"
    assert figure.data[0].text[0][0] == "我 → &lt;b&gt;x&lt;/b&gt;<br><b>0.100</b>"
    assert figure.data[0].zmax == pytest.approx(0.4)
    nothing = cross_attention(values * np.nan, SOURCES, OUTPUTS, FigureStyle())
    assert nothing.data[0].zmax == 1


def test_two_words_are_enough() -> None:
    figure = cross_attention(weights(1, 1), ["<eos>"], ["<eos>"], FigureStyle(dark=True))
    assert figure.data[0].z.shape == (1, 1)
