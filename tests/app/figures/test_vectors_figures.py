"""The figures of the Vectors page: cells, lengths, and the position encoding."""

from typing import Any

import numpy as np
import pytest

from glassformer.app.pages.vectors.depth_grid import rank_shares, shares_colours, signed_colours
from glassformer.app.pages.vectors.positions.figures.position_formulas import (
    column_formula,
    encoding_formula,
    sum_formula,
)
from glassformer.app.pages.vectors.positions.figures.position_map import (
    colour_limit,
    map_figure,
    same_figure,
    variants_figure,
)
from glassformer.app.pages.vectors.positions.figures.position_relations import (
    Turn,
    dots_figure,
    rotation_figure,
)
from glassformer.app.pages.vectors.positions.figures.position_waves import Wave, waves_figure
from glassformer.app.pages.vectors.stream.figures import norms_figure
from glassformer.app.plots.latex import latex_number
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.words import say
from glassformer.core.analysis.positions import (
    by_offset,
    column,
    compare_with_paper,
    nearness,
    position_table,
    rotation_by_offset,
)
from glassformer.core.analysis.residual_stream import stream_depth
from tests.seeded_runs import seeded_run

LOOK = FigureStyle()


def test_signed_colours_run_from_blue_to_orange() -> None:
    found = signed_colours(np.array([[-1.0, 0.0, 1.0, np.nan, 5.0]]), 1.0, LOOK)[0]
    panel = LOOK.colour("panel")
    assert found == [LOOK.colour("query"), panel, LOOK.colour("key"), panel, LOOK.colour("key")]


def test_ranks_are_shares_of_a_log_axis() -> None:
    shares = rank_shares(np.array([1, 10, 100, 0]), 100)
    assert shares[:3] == pytest.approx([1, 0.5, 0])
    assert np.isnan(shares[3])
    first, *_, last = shares_colours(shares[None], "weights", LOOK)[0]
    assert (first, last) == (LOOK.colour("weights"), LOOK.colour("panel"))


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_every_length_is_a_point_of_its_word(stack: str) -> None:
    trace, _ = seeded_run()
    found = stream_depth(trace, stack)  # type: ignore[arg-type]
    ticks = ["s"] * len(found.states)
    figure = norms_figure(found, found.tokens, 1, ticks, LOOK)
    points = {}
    for line in figure.data:
        for x, y, word in zip(line.x, line.y, line.customdata, strict=True):
            if np.isfinite(x):
                points[int(x), int(word)] = float(y)
    assert len(points) == found.lengths.size
    for (n, word), length in points.items():
        assert length == pytest.approx(found.lengths[n, word], rel=1e-6)
    assert figure.layout.annotations[0].text == say("stream.norms")


WORDS = ("a", "<b>", "我", "</s>")


def test_map_frames_the_cell_and_ends_the_sentence() -> None:
    table = position_table(9, 6)
    figure = map_figure(table, WORDS, (2, 4), LOOK)
    assert np.array_equal(figure.data[0].z, table)
    row, column_frame, end = figure.layout.shapes
    assert (row.y0, row.y1) == (1.5, 2.5)
    assert (column_frame.x0, column_frame.x1) == (4.5, 5.5)  # features count from 1
    assert end.y0 == 3.5
    whole = map_figure(table[:4], WORDS, (2, 4), LOOK)
    assert list(whole.layout.yaxis.ticktext) == ["a", "&lt;b&gt;", "我", "&lt;/s&gt;"]
    assert len(whole.layout.shapes) == 2
    assert colour_limit(table) == 1
    assert colour_limit(table * 0.02) == pytest.approx(0.02 * np.abs(table).max())


def test_waves_mark_the_words() -> None:
    table = position_table(6, 4)
    smooth = np.linspace(0, 5, 20)
    waves = [column(4, each) for each in (0, 1)]
    pair = Wave("one", (0, 1), (smooth, waves[0].at(smooth), waves[1].at(smooth)), table[:, :2])
    figure = waves_figure([pair, pair], WORDS, 1, ("sine", "cosine"), LOOK)
    assert len(figure.data) == 8  # two waves a pair, each with its dots
    dots = figure.data[1]
    assert dots.y == pytest.approx(np.sin(np.arange(6)), abs=1e-6)
    sizes = list(dots.marker.size)
    assert sizes[1] == max(sizes)
    assert sizes[4] < sizes[3]  # beyond the sentence
    assert dots.customdata[1][1] == "&lt;b&gt;"


@pytest.mark.parametrize("variant", ["paper", "notes"])
def test_dots_have_the_matrix_and_the_band(variant: Any) -> None:
    table = position_table(4, 8, variant)
    lines = by_offset(table)
    figure = dots_figure(nearness(table).dots, lines, WORDS, (3, 1), LOOK)
    assert figure.data[0].z == pytest.approx(table @ table.T, abs=1e-5)
    mean, chosen = figure.data[3], figure.data[4]
    assert mean.y == pytest.approx([np.diagonal(table @ table.T, k).mean() for k in range(4)])
    assert (chosen.x[0], chosen.y[0]) == (2, lines.mean[2])
    assert len(figure.layout.shapes) == 3  # both diagonals and the frame


def test_rotation_draws_where_the_turn_leads() -> None:
    table, turned = position_table(12, 8), rotation_by_offset(12, 8, 2)
    carried = turned.carry(table[1])[:2]
    turn = Turn(
        table[:, :2], table[1:4, :2], 1, 3, carried, turned.worst, pair=0
    )  # fmt: skip
    figure = rotation_figure(turn, WORDS, ("sine", "cosine"), LOOK)
    words, cross, residuals = figure.data[0], figure.data[5], figure.data[-1]
    assert words.x == pytest.approx(np.sin(np.arange(4)), abs=1e-6)
    assert (cross.x[0], cross.y[0]) == pytest.approx((np.sin(3), np.cos(3)), abs=1e-6)
    assert residuals.customdata == pytest.approx(turned.residuals.max(axis=0))
    assert "&lt;b&gt; (t = 1)" in words.text


def test_same_word_and_variants_keep_their_numbers() -> None:
    rows = position_table(2, 6)
    strips = [("word", rows * 3), ("sum", rows)]
    figure = same_figure(strips, ("a", "b"), 2, LOOK)
    assert np.array_equal(figure.data[1].z, rows)
    assert {each.zmax for each in figure.data} == {figure.data[0].zmax}  # one scale
    found = compare_with_paper(5, 6, "notes")
    tables = [("p", position_table(5, 6)), ("n", found.table), ("d", found.difference)]
    drawn = variants_figure(tables, WORDS, (1, 1), LOOK).data
    assert np.array_equal(drawn[2].z, np.asarray(drawn[1].z) - np.asarray(drawn[0].z))
    assert drawn[2].zmax == pytest.approx(found.largest)


def test_formulas_have_the_cells_numbers() -> None:
    value = float(position_table(4, 8)[3, 5])
    shown = column_formula(column(8, 5), 3, value, LOOK)
    assert r"\cos \frac{3}{10000^{4/8}}" in shown
    assert latex_number(value, LOOK) in shown
    assert latex_number(-1.234e-9, LOOK) == r"-1.23 \cdot 10^{-9}"
    assert LOOK.colour("changed") in encoding_formula("notes", LOOK)
    assert LOOK.colour("changed") in encoding_formula("halves", LOOK)
    assert LOOK.colour("changed") not in encoding_formula("paper", LOOK)
    assert "0.500 + " in sum_formula(1, 2, (0.5, 0.25, 0.75), True, LOOK)
