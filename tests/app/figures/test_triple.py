"""The figure of two runs and their difference."""

from typing import Any

import numpy as np
import pytest

from glassformer.app.panels.compare.figures.triple import triple_figure
from glassformer.app.panels.compare.figures.triple_layout import (
    CELLS,
    SAID,
    Frame,
    TripleLayout,
    has_room,
    lines_beside,
)
from glassformer.app.panels.compare.wording import line_label
from glassformer.app.plots.labels import text_width
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.words import say
from glassformer.app.words import texts_of_language as known
from glassformer.core.analysis.comparison import NONE, Beside, Edge

LAYOUTS = [TripleLayout(), TripleLayout(580, 450, in_a_row=False)]


def framed(layout: TripleLayout, look: FigureStyle | None = None, **more: Any) -> Frame:
    titles = ("before", "<b>after</b>")
    return Frame(small(), titles, "experiment", look or FigureStyle(), layout, **more)


def small(address: str = "encoder/0/self_attention/weights") -> Beside:
    """Three words; the second run has one more, and a cell that its mask forbids."""
    words = ("a", "<s>", "c"), ("a", "b", "<s>", "c")
    edge = Edge("query", np.array([[0, NONE, 1, 2], range(4)]), words)
    has = (edge.places[:, :, None] >= 0) & (edge.places[:, None, :] >= 0)
    values = np.arange(16, dtype=np.float32).reshape(4, 4)
    allowed = np.ones((2, 4, 4), bool)
    allowed[1, 0, 3] = False
    numbers = np.where(has, np.stack([values, values[::-1]]), np.float32(np.nan))
    return Beside(address, edge, edge, numbers, has, allowed)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_first_two_share_a_scale(layout: TripleLayout) -> None:
    found = small()
    data = triple_figure(framed(layout)).data
    first, second, step = (data[at] for at in CELLS)
    assert (first.zmin, first.zmax) == (second.zmin, second.zmax) == found.limits == (0, 15)
    assert step.zmin == -step.zmax == -found.reach
    shown = np.isfinite(step.z)
    assert (step.z[shown] == (found.values[1] - found.values[0])[shown]).all()
    assert shown.sum() == 9
    # A cell tells all three numbers.
    assert first.customdata[0, 0].tolist() == [second.z[0, 0], step.z[0, 0]]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_is_no_number_is_covered(layout: TripleLayout) -> None:
    figure = triple_figure(framed(layout))
    hovers = [each.hovertemplate or "" for each in figure.data[3:]]
    only, forbidden = say("beside.only_experiment_1"), say("beside.forbidden")
    assert sum(only in hover for hover in hovers) == 2  # in the first and the difference
    assert sum(forbidden in hover for hover in hovers) == 1  # 0 in one is a number of both
    assert sum(each.fill == "toself" for each in figure.data if each.type == "scatter") == 1
    assert np.isnan(figure.data[1].z[0, 3])


def test_words_are_shown_as_typed_and_stand_over_each_other() -> None:
    figure = triple_figure(framed(LAYOUTS[0]))
    layout = figure.of_plotly.to_dict()["layout"]
    assert "2 –" in layout["yaxis"]["ticktext"]
    assert "3 &lt;s&gt;" in layout["yaxis3"]["ticktext"]
    assert layout["yaxis"]["domain"] == layout["yaxis3"]["domain"] == layout["yaxis5"]["domain"]
    assert any(note["text"] == "<b>&lt;b&gt;after&lt;/b&gt;</b>" for note in layout["annotations"])
    corner = triple_figure(framed(LAYOUTS[1])).of_plotly.to_dict()["layout"]
    assert corner["xaxis"]["domain"] == corner["xaxis5"]["domain"]
    assert corner["yaxis"]["domain"][0] > corner["yaxis5"]["domain"][1]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_pictures_are_equal_and_inside(layout: TripleLayout) -> None:
    boxes = framed(layout).boxes
    sizes = {(round(box.right - box.left), round(box.bottom - box.top)) for box in boxes}
    assert len(sizes) == 1
    assert all(0 < box.left < box.right <= layout.width for box in boxes)
    assert all(0 < box.top < box.bottom <= layout.height for box in boxes)


def test_a_pin_is_framed_in_all_three_and_a_row_whole() -> None:
    placed = TripleLayout(pinned=(2, None))
    shapes = triple_figure(framed(placed)).layout.shapes
    assert [shape.xref for shape in shapes] == ["x", "x3", "x5"]
    assert {(shape.x0, shape.x1, shape.y0, shape.y1) for shape in shapes} == {(-0.5, 3.5, 1.5, 2.5)}


def test_the_first_alone_takes_the_place_of_all() -> None:
    frame = framed(LAYOUTS[1], plain=True)
    figure, (box, *_) = triple_figure(frame), frame.boxes
    assert sum(each.type == "heatmap" and each.showscale is True for each in figure.data) == 1
    assert box.right - box.left > 0.75 * frame.layout.width
    assert box.bottom - box.top > 0.6 * frame.layout.height
    assert not any(say("beside.difference") in note.text for note in figure.layout.annotations)


@pytest.mark.parametrize(
    ("one", "two", "both"),
    [
        ("Beijing (to)", "Shanghai (to)", "Beijing|Shanghai (to)"),
        ("<eos> (Beijing)", "<eos> (Shanghai)", "<eos> (Beijing|Shanghai)"),
        ("tired", "wide", "tired|wide"),
        ("a (b)", "a", "a (b)|a"),
        ("same", "same", "same"),
    ],
)
def test_what_two_labels_share_is_written_once(one: str, two: str, both: str) -> None:
    edge = Edge("query", np.zeros((2, 1), int), ((one,), (two,)))
    assert line_label(edge, None, 0) == both


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", [100, 150])
def test_what_stands_beside_the_difference_is_broken_and_not_cut(language: str, size: int) -> None:
    """The sentence of the NaN example, which ended in the middle of a word."""
    said = [known(language)["beside.same_finite"]]
    layout, look = LAYOUTS[1], FigureStyle(size=size)
    frame = framed(layout, look, said=said)
    lines = lines_beside(frame)
    room = layout.width - frame.boxes[1].left
    assert language == "zh" or len(lines) > 1
    assert all(text_width(line, look.px(SAID)) <= room for line in lines)
    assert "".join(lines).replace(" ", "") == said[0].replace(" ", "")  # nothing is left out
    if has_room(frame):
        figure = triple_figure(frame)
        drawn = [each.text for each in figure.layout.annotations]
        assert set(lines) <= set(drawn)
