"""The figures of a training, and where the names of points go."""

import numpy as np
import pytest

from glassformer.app.pages.training.figures.curves import EDGE, curves_figure
from glassformer.app.pages.training.lengths.figures import lengths_figure, sizes_figure
from glassformer.app.pages.training.positions.figures import similarity_figure
from glassformer.app.pages.training.words.figures import (
    Label,
    ends_of,
    group_colours,
    label_places,
    words_figure,
)
from glassformer.app.plots.theme import FigureStyle
from glassformer.core.analysis.training_views import Word
from glassformer.core.text_models.history import CurvePoint


def label(x: float, y: float, must: bool = False) -> Label:
    return Label(x, y, 40, 12, 5, must)


def test_names_far_apart_all_stand_above() -> None:
    assert label_places([label(0, 0), label(100, 0)]) == ["top center"] * 2


def test_the_second_of_two_close_ones_gives_way() -> None:
    assert label_places([label(0, 0), label(10, 0)]) == ["top center", "bottom center"]


def test_a_name_without_a_free_place_is_left_out_unless_it_must_stand() -> None:
    full = [(-200.0, -200.0, 200.0, 200.0)]
    assert label_places([label(0, 0), label(0, 0, must=True)], full) == ["", "top center"]


def test_a_name_that_must_stand_covers_points_but_no_other_name() -> None:
    named = [label(0, 0, must=True) for _ in range(9)]  # the ninth of eight places
    points = [(-3.0, -3.0, 3.0, 3.0)]
    chosen = label_places(named, points)
    assert "" in chosen
    assert chosen[0] == "top center"


def test_a_name_keeps_off_the_marks() -> None:
    above = [(-20.0, -17.0, 20.0, -5.0)]
    assert label_places([label(0, 0)], above) == ["bottom center"]


LOOK = FigureStyle()
STEPS = (0, 50, 100, 400)
TEXTS = {"loss": "loss", "held_out": "held out", "shares": "share"} | {
    "hover": "{name} {step} {value}"
}
CURVE = [CurvePoint(50, 6.0, 0.1), CurvePoint(100, 4.0, 0.1), CurvePoint(250, 2.0, 0.1)]


def test_curves_stand_on_the_axis_of_the_snapshots() -> None:
    measured = {"<exact>": [0.0, None, 0.5, 1.0]}
    figure = curves_figure(CURVE, measured, STEPS, TEXTS, LOOK, 200, [8.0, None, 3.0, 1.0])
    loss, held_out, exact = figure.data
    assert list(loss.x) == [1, 2, 2.5]
    assert list(loss.y) == [6, 4, 2]
    assert list(held_out.x) == [0, 1, 2, 3]
    assert np.isnan(held_out.y[1])
    assert exact.y[2] == 0.5
    assert np.isnan(exact.y[1])
    assert exact.hovertext[3] == "&lt;exact&gt; 400 100%"
    assert list(figure.layout.xaxis.ticktext) == ["0", "50", "100", "400"]
    assert figure.layout.yaxis2.range[1] > 8
    assert figure.layout.margin.l == figure.layout.margin.r == EDGE


def test_curves_without_loss_or_measures() -> None:
    figure = curves_figure([], {"x": [None, 1.0]}, (0, 50), TEXTS, LOOK, 200)
    assert len(figure.data) == 1
    assert len(figure.layout.annotations) == 1
    assert not curves_figure([], {}, (0,), TEXTS, LOOK, 200).data


WORDS = (
    Word("cat", "animals", "en", named=True),
    Word("猫", "animals", "zh"),
    Word("<b>", "", spoken=True),
)
PLANE = ("first", "second"), {"animals": "animals"}


def test_words_lie_where_they_are_now_and_those_said_show_their_way() -> None:
    path = np.array([[[0, 0], [1, 1], [2, 2]], [[3, 4], [-5, 6], [7, -8]]], dtype=np.float32)
    ends = ends_of(path)
    figure = words_figure(WORDS, path, ends, *PLANE, LOOK, (600, 300))
    way, grouped, spoken = figure.data
    assert list(way.x) == [2, 7, None]
    assert list(grouped.x) == [3, -5]
    assert list(grouped.text) == ["cat", ""]
    assert list(spoken.text) == ["<b>&lt;b&gt;</b>"]
    assert list(grouped.customdata) == ["cat · animals", "猫 · animals"]
    assert grouped.marker.symbol == ("circle", "diamond")
    first = words_figure(WORDS, path[:1], ends, *PLANE, LOOK, (600, 300))
    assert first.layout.xaxis.range == figure.layout.xaxis.range
    (low, high), _ = ends
    assert low < -5
    assert high > 7
    assert group_colours(WORDS, LOOK).keys() == {"animals", ""}


def test_a_name_that_would_cover_another_goes_elsewhere_or_out() -> None:
    # All in one place: the sentence's own word keeps its name, the others go around it.
    crowd = [Word(f"w{at}", "animals", "en", named=True) for at in range(20)]
    path = np.zeros((1, 21, 2), dtype=np.float32)
    ends = ((-1.0, 1.0), (-1.0, 1.0))
    words = (*crowd, Word("own", "", spoken=True))
    _, grouped, spoken = words_figure(words, path, ends, *PLANE, LOOK, (600, 300)).data
    assert list(spoken.text) == ["<b>own</b>"]
    named = [name for name in grouped.text if name]
    assert 0 < len(named) < 8
    assert len(grouped.customdata) == 20


def test_the_step_in_view_is_strong_and_the_line_breaks_between_the_stacks() -> None:
    lengths = np.array([[1, 2, 3], [4, 5, 6]], dtype=np.float32)
    said, stacks = "{place} {step} {value}", {0: "encoder", 2: "decoder"}
    figure = lengths_figure(["in", "self", "in"], lengths, (0, 50), 0, stacks, said, LOOK, 300)
    assert list(figure.data[-1].y) == [1, 2, None, 3]
    assert figure.data[-1].line.width > figure.data[0].line.width
    assert figure.data[-1].hovertext[1] == "self 0 2.00"


def test_growth_is_against_the_first_step() -> None:
    names, said = {"query": "query"}, "{part} {step} {growth} {size}"
    figure = sizes_figure({"query": [0.5, 1.0, 0.25]}, (0, 50, 100), 1, names, said, LOOK, 300)
    assert list(figure.data[0].y) == [1, 2, 0.5]
    assert figure.data[0].hovertext[1] == "query 50 2.00 1.00"
    assert figure.layout.shapes[0].x0 == 1


def test_similarity_is_signed_and_its_words_are_literal() -> None:
    cosines = np.array([[1, -0.5], [-0.5, 1]], dtype=np.float32)
    figure = similarity_figure(cosines, ["<s>", "the"], LOOK, 400, 300)
    (cells,) = figure.data
    assert (cells.zmin, cells.zmax) == (-1, 1)
    assert np.asarray(cells.z) == pytest.approx(cosines)
    assert cells.text[0][1] == "&lt;s&gt; · the"
    assert list(figure.layout.yaxis.ticktext) == ["&lt;s&gt;", "the"]
