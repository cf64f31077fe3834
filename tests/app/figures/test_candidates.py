"""The bars of the words that a step chose between."""

import math

from app.figures.candidates import candidates
from app.figures.theme import Look


def test_bars_stand_in_order_with_their_percentages() -> None:
    figure = candidates(["动物", "马路", "猫"], [0.712, 0.2, 0.0004], Look())
    bars = figure.data[0]
    assert list(bars.x) == [0.712, 0.2, 0.0004]
    assert list(bars.y) == [0, 1, 2]
    assert list(bars.text) == ["71.2%", "20.0%", "<0.1%"]
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]  # the first one on top
    assert figure.layout.xaxis.range[0] == 0


def test_the_chosen_word_stands_out() -> None:
    figure = candidates(["a", "b"], [0.2, 0.1], Look(), chosen=1)
    assert list(figure.layout.yaxis.ticktext) == ["a", "<b>b</b>"]
    colours = figure.data[0].marker.color
    assert colours[1] == Look().colour("data") != colours[0]


def test_words_are_shown_as_typed_and_duplicates_stay_apart() -> None:
    figure = candidates(["<b>x</b>", "&lt;", "&lt;", "a b", "7"], [0.1] * 5, Look())
    labels = figure.layout.yaxis.ticktext
    assert labels[0] == "<b>&lt;b&gt;x&lt;/b&gt;</b>"
    assert labels[1] == labels[2] == "&amp;lt;"
    assert labels[3] == "a b"
    assert figure.layout.yaxis.type == "linear"
    assert list(figure.layout.yaxis.tickvals) == [0, 1, 2, 3, 4]
    assert figure.data[0].customdata[1].startswith("&amp;lt;<br>")


def test_a_probability_that_is_no_number_is_written_so() -> None:
    figure = candidates(["a", "b"], [math.nan, 0.5], Look(dark=True))
    assert list(figure.data[0].text) == ["NaN", "50.0%"]
    assert list(figure.data[0].x) == [0.0, 0.5]


def test_a_sign_is_grey_and_says_what_it_is() -> None:
    figure = candidates(["a", "<eos>"], [0.6, 0.4], Look(), signs={1: "end sign"})
    assert Look().colour("faint") in figure.layout.yaxis.ticktext[1]
    assert "&lt;eos&gt;" in figure.layout.yaxis.ticktext[1]
    assert figure.data[0].customdata[1].startswith("&lt;eos&gt; · end sign<br>")


def test_no_words_give_an_empty_figure() -> None:
    assert not list(candidates([], [], Look()).data[0].x)
