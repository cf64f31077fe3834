"""The figures of the Decoding page: what a step chose between, exposure bias, the KV-cache."""

import math

from app.figures.cache_work import CacheTexts, cache_work
from app.figures.exposure import exposure_figure
from app.figures.next_words import next_words
from app.figures.theme import Look

LOOK = Look()
TEXTS = CacheTexts("reused", "computed", "without", "step", "numbers")


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


def test_a_cut_pales_what_it_leaves_out() -> None:
    figure = next_words(["a", "b", "c", "d"], [0.4, 0.3, 0.2, 0.1], 0, LOOK, cut=2)
    colours = figure.data[0].marker.color
    assert colours[2] == colours[3] != colours[1]
    (line,) = figure.layout.shapes
    assert (line.y0, line.y1) == (1.5, 1.5)
    assert not next_words(["a", "b"], [0.4, 0.3], 0, LOOK, cut=2).layout.shapes


def test_every_row_can_be_clicked_over_its_whole_width() -> None:
    figure = next_words(["a", "b"], [0.9, 0.0], None, LOOK, rest=("5,043 others", 0.1))
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


def test_the_cache_stands_beside_all_computed_anew() -> None:
    figure = cache_work([0, 40], [80, 10], [80, 90], 1, ["one", "two\n<b>"], TEXTS, LOOK, 300)
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
