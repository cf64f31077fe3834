"""The decoding page's figures: what a step chose between, a cut, scores, source weights."""

import math
from typing import Any

import numpy as np
import pytest
import torch

from glassformer.app.pages.decoding.beam.figures import alpha_scores, source_weights
from glassformer.app.pages.decoding.cache.figures import cache_work
from glassformer.app.pages.decoding.figures.next_words import next_words
from glassformer.app.pages.decoding.forcing.figures import exposure_figure
from glassformer.app.pages.decoding.strategies.figures import next_cut
from glassformer.app.plots.bars import candidates
from glassformer.app.plots.theme import FigureStyle
from glassformer.core.decoding.cuts import cut_rows, lot_position
from glassformer.core.decoding.sampling import Sampling, cut_of


def test_bars_stand_in_order_with_their_percentages() -> None:
    figure = candidates(["动物", "马路", "猫"], [0.712, 0.2, 0.0004], FigureStyle())
    bars = figure.data[0]
    assert list(bars.x) == [0.712, 0.2, 0.0004]
    assert list(bars.y) == [0, 1, 2]
    assert list(bars.text) == ["71.2%", "20.0%", "<0.1%"]
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]  # the first one on top
    assert figure.layout.xaxis.range[0] == 0


def test_the_chosen_word_stands_out() -> None:
    figure = candidates(["a", "b"], [0.2, 0.1], FigureStyle(), chosen=1)
    assert list(figure.layout.yaxis.ticktext) == ["a", "<b>b</b>"]
    colours = figure.data[0].marker.color
    assert colours[1] == FigureStyle().colour("data") != colours[0]


def test_words_are_shown_as_typed_and_duplicates_stay_apart() -> None:
    figure = candidates(["<b>x</b>", "&lt;", "&lt;", "a b", "7"], [0.1] * 5, FigureStyle())
    labels = figure.layout.yaxis.ticktext
    assert labels[0] == "<b>&lt;b&gt;x&lt;/b&gt;</b>"
    assert labels[1] == labels[2] == "&amp;lt;"
    assert labels[3] == "a b"
    assert figure.layout.yaxis.type == "linear"
    assert list(figure.layout.yaxis.tickvals) == [0, 1, 2, 3, 4]
    assert figure.data[0].customdata[1].startswith("&amp;lt;<br>")


def test_a_probability_that_is_no_number_is_written_so() -> None:
    figure = candidates(["a", "b"], [math.nan, 0.5], FigureStyle(dark=True))
    assert list(figure.data[0].text) == ["NaN", "50.0%"]
    assert list(figure.data[0].x) == [0.0, 0.5]


def test_a_sign_is_grey_and_says_what_it_is() -> None:
    figure = candidates(["a", "<eos>"], [0.6, 0.4], FigureStyle(), signs={1: "end sign"})
    assert FigureStyle().colour("faint") in figure.layout.yaxis.ticktext[1]
    assert "&lt;eos&gt;" in figure.layout.yaxis.ticktext[1]
    assert figure.data[0].customdata[1].startswith("&lt;eos&gt; · end sign<br>")


def test_no_words_give_an_empty_figure() -> None:
    assert not list(candidates([], [], FigureStyle()).data[0].x)


CHANCES = (0.1, 0.4, 0.05, 0.3, 0.15)  # best first 1 3 4 0 2
CUT_TEXTS = {name: name for name in ("own", "tempered", "sum", "lot", "limit", "stay", "away")}


def figure(how: Sampling, draw: float, chosen: int, names: list[str], **more: Any) -> Any:
    cut = cut_of(torch.tensor(CHANCES).log(), how, draw)
    return next_cut(
        cut_rows(cut, chosen), names, lot_position(cut), FigureStyle(), CUT_TEXTS, **more
    )


def trace(drawn: Any, name: str) -> Any:
    return next(each for each in drawn.data if each.name == name)


def test_bars_before_and_after_temperature_and_the_running_sum() -> None:
    drawn = figure(Sampling(temperature=2.0), 0.5, 3, list("abcde"))
    roots = [math.sqrt(CHANCES[id]) for id in (1, 3, 4, 0, 2)]
    after = [root / sum(roots) for root in roots]
    own = [0.4, 0.3, 0.15, 0.1, 0.05]
    assert list(trace(drawn, "own").x) == pytest.approx(own, abs=1e-6)
    assert list(trace(drawn, "tempered").x) == pytest.approx(after, abs=1e-6)
    assert list(trace(drawn, "sum").base) == pytest.approx(
        [sum(after[:n]) for n in range(5)], abs=1e-6
    )
    assert not drawn.layout.shapes  # nothing is cut


def test_the_lot_ends_in_the_stretch_of_the_word() -> None:
    drawn = figure(Sampling(top_k=2), 0.9, 3, list("abcde"))
    mark = trace(drawn, "lot")
    assert mark.x[0] == mark.x[1] == pytest.approx(0.9 * 0.7, abs=1e-6)  # between 0.4 and 0.7
    assert mark.y[1] == 1
    line = drawn.layout.shapes[0]
    assert line.y0 == line.y1 == 1.5  # below the second word
    patterns = trace(drawn, "sum").marker.pattern.shape
    assert list(patterns) == ["", "", "/", "/", "/"]


def test_top_p_is_a_line_on_the_sum() -> None:
    drawn = figure(Sampling(top_p=0.6), 0.1, 1, list("abcde"), limit=0.6)
    upright = [each for each in drawn.layout.shapes if each.xref == "x2"]
    assert [each.x0 for each in upright] == [0.6]


def test_words_are_shown_as_typed() -> None:
    drawn = figure(Sampling(), 0.1, 1, ["<b>x</b>", "&lt;", "c", "d", "e"])
    assert list(drawn.layout.yaxis.ticktext)[:2] == ["<b>&lt;b&gt;x&lt;/b&gt;</b>", "&amp;lt;"]
    assert trace(drawn, "tempered").customdata[1].startswith("<b>&amp;lt;</b>")


def test_scores_of_hypotheses_over_alpha() -> None:
    scores = np.array([[-2.0, -1.0], [-3.0, -0.5]])
    drawn = alpha_scores(np.array([0.0, 1.0]), scores, ["<a>", "b"], 0.6, 0, FigureStyle(), "α")
    assert [list(line.y) for line in drawn.data] == [[-3.0, -0.5], [-2.0, -1.0]]  # focus on top
    assert drawn.data[1].line.width > drawn.data[0].line.width
    assert drawn.data[1].name == "&lt;a&gt;"
    assert drawn.layout.shapes[0].x0 == 0.6


def test_one_row_of_attention() -> None:
    drawn = source_weights(["a", "<b>", "c"], [0.2, 0.7, math.nan], FigureStyle(), sinks=[2])
    bars = drawn.data[0]
    assert list(bars.x) == [0.2, 0.7, 0.0]
    assert list(bars.text) == ["0.200", "0.700", "NaN"]
    assert list(drawn.layout.yaxis.ticktext)[1] == "&lt;b&gt;"
    assert bars.marker.color[1] == FigureStyle().colour("weights") != bars.marker.color[0]


LOOK = FigureStyle()
TEXTS = {name: name for name in ("reused", "computed", "without", "step", "numbers")}


def test_bars_have_the_probabilities_and_the_chosen_one_stands_out() -> None:
    figure = next_words(["动物", "猫", "狗"], [0.7, 0.2, 0.0004], 1, LOOK)
    bars = figure.data[0]
    assert list(bars.x) == [0.7, 0.2, 0.0004]
    assert list(bars.text) == ["70.0%", "20.0%", "<0.1%"]
    assert bars.marker.color[1] == LOOK.colour("data") != bars.marker.color[0]
    assert list(figure.layout.yaxis.ticktext) == ["动物", "<b>猫</b>", "狗"]
    assert not figure.layout.shapes


def test_a_forced_word_is_pink() -> None:
    figure = next_words(["a", "b"], [0.7, 0.2], 1, LOOK, forced=True)
    assert figure.data[0].marker.color[1] == LOOK.colour("changed")
    assert LOOK.colour("changed") in figure.layout.yaxis.ticktext[1]


def test_every_row_can_be_clicked_over_its_whole_width() -> None:
    figure = next_words(["a", "b"], [0.9, 0.0], 0, LOOK, rest=("5,043 others", 0.1))
    whole = figure.data[1]
    assert list(whole.y) == [0, 1, 2]
    assert set(whole.x) == {figure.layout.xaxis.range[1]}
    assert list(figure.data[0].x) == [0.9, 0.0, 0.1]
    assert "5,043 others" in figure.layout.yaxis.ticktext[2]
    assert whole.customdata[2] == "5,043 others<br><b>0.1</b>"


def test_words_are_shown_as_typed_with_what_is_said_of_them() -> None:
    figure = next_words(
        ["<b>x</b>", "<eos>"], [math.nan, 0.25], 0, LOOK, signs={1: "the end"}, remarks={1: "no"}
    )
    assert figure.layout.yaxis.ticktext[0] == "<b>&lt;b&gt;x&lt;/b&gt;</b>"
    assert figure.data[0].text[0] == "NaN"
    assert figure.data[0].x[0] == 0
    assert figure.data[0].text[1].startswith("25.0%")
    assert "no" in figure.data[0].text[1]
    assert figure.data[1].customdata[1] == "&lt;eos&gt; · the end · no<br><b>0.25</b>"


def test_exposure_stands_two_bars_a_word() -> None:
    names = ("right", "wrong")
    figure = exposure_figure(["a", "a"], [0.9, 0.8], [0.1, math.nan], names, LOOK, 600, 200)
    right, wrong = figure.data
    assert (list(right.y), list(wrong.y)) == ([0.9, 0.8], [0.1, 0.0])
    assert list(wrong.text) == ["10.0%", "NaN"]
    assert list(right.x) == [0, 1]  # equal words stay apart
    assert right.marker.color == LOOK.colour("data")
    assert wrong.marker.color == LOOK.colour("changed")
    many = exposure_figure(["a"] * 30, [0.5] * 30, [0.5] * 30, names, LOOK, 600, 200)
    assert many.data[0].text is None  # the numbers would lie over each other
    some = exposure_figure(["a"] * 11, [0.98] * 11, [0.97] * 11, names, LOOK, 600, 200)
    assert {each.textangle for each in some.data} == {-90}  # side by side they would, too
    assert {each.textangle for each in figure.data} == {0}


def test_the_cache_stands_beside_all_computed_anew() -> None:
    numbers = {"reused": [0, 40], "computed": [80, 10], "without": [80, 90]}
    figure = cache_work(numbers, 1, ["one", "two\n<b>"], TEXTS, LOOK, 300)
    computed, reused, without = figure.data
    assert (list(computed.y), list(reused.y)) == ([80, 10], [0, 40])
    assert list(without.y) == [80, 90]
    assert list(computed.x) == list(reused.x)  # stacked
    assert all(a < at < b for at, (a, b) in enumerate(zip(reused.x, without.x, strict=True)))
    assert computed.customdata[1] == "two<br>&lt;b&gt;"
    (band,) = figure.layout.shapes
    assert (band.x0, band.x1) == (0.5, 1.5)
    # Any click on a bar rounds to its step.
    assert [round(x) for x in without.x] == [0, 1]
