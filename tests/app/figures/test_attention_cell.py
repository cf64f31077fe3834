"""One cell in bars and in formulas: the lines add up, the numbers are those of the run."""

import math
from dataclasses import replace

import numpy as np
import pytest

from glassformer.app.pages.attention.figures import (
    READABLE,
    cell_formula,
    roles_figure,
    shares_figure,
    stage_formula,
    term_rows,
    terms_figure,
)
from glassformer.app.plots.theme import FigureStyle
from glassformer.core.analysis.attention_cell import CellOfHeads, Terms, cell_terms
from tests.traces import small_trace

LOOK = FigureStyle()


def wide_cell(width: int = 64) -> Terms:
    random = np.random.default_rng(0)
    q, k = random.normal(size=(2, width)).astype(np.float32)
    score = float(q @ k)
    scaled = score / math.sqrt(width)
    row = np.array([scaled, 0.5], np.float32)
    weight = float(np.exp(scaled) / np.exp(row).sum())
    return Terms(q, k, score, scaled, True, scaled, weight, row)


@pytest.mark.parametrize("by", ["largest", "dimension"])
@pytest.mark.parametrize("width", [1, 4, 16, 17, 64])
def test_the_lines_add_up_to_the_score(by: str, width: int) -> None:
    cell = wide_cell(width)
    rows = term_rows(cell, by)
    assert sum(row.product for row in rows) == pytest.approx(cell.score, abs=1e-5)
    for row in rows:
        if not math.isnan(row.q):
            at = int(row.label) - 1
            assert (row.q, row.k) == (cell.q[at], cell.k[at])


def test_of_many_dimensions_the_small_ones_share_a_line() -> None:
    rows = term_rows(wide_cell(), "largest")
    assert len(rows) == READABLE
    assert rows[-1].label == "49 others"
    sizes = [abs(row.product) for row in rows[:-1]]
    assert sizes == sorted(sizes, reverse=True)
    assert len(term_rows(wide_cell(), "dimension")) == 64


def test_bars_carry_the_products_with_their_sign() -> None:
    cell = cell_terms(small_trace(), "encoder", 0, 1, 2, 3)
    rows = term_rows(cell, "dimension")
    vectors, bars = terms_figure(rows, LOOK).data
    assert np.array_equal(vectors.z, np.stack([cell.q, cell.k], axis=1))
    assert bars.x == pytest.approx(cell.products)
    assert bars.constraintext == "none"
    for product, shade in zip(cell.products, bars.marker.color, strict=True):
        assert shade == LOOK.colour("key" if product >= 0 else "query")
    assert bars.hovertext[0].startswith(f"{cell.q[0]:.7g}"[:4].replace("-", "−"))


def test_many_thin_bars_have_no_numbers_and_fewer_labels() -> None:
    figure = terms_figure(term_rows(wide_cell(), "dimension"), LOOK)
    assert figure.data[0].text is None
    assert len(figure.layout.yaxis.tickvals) <= 9


def test_bars_of_zeros_and_of_what_is_no_number() -> None:
    cell = wide_cell(2)
    for value in (0.0, np.nan):
        vector = np.full(2, value, np.float32)
        rows = term_rows(replace(cell, q=vector, k=vector), "largest")
        assert "q · k" in terms_figure(rows, LOOK).written().decode()


def test_the_formula_of_a_cell_has_its_numbers() -> None:
    cell = cell_terms(small_trace(), "decoder", 0, 1, 3, 2)
    written = cell_formula(cell, "scaled", "large_negative", replace(LOOK, precision=4))
    for number in (cell.score, cell.scaled, cell.weight, cell.denominator):
        assert f"{number:.4g}"[:5].replace("-", "−") in written
    assert written.count("boldsymbol") == 1
    assert r"\sqrt{4}" in written
    assert "M = 1" in written


def test_the_formula_of_a_forbidden_cell_shows_the_fill() -> None:
    cell = cell_terms(small_trace(), "decoder", 0, 1, 2, 3)
    assert "M = 0" in cell_formula(cell, "masked", "large_negative", LOOK)
    assert "-10^{9}" in cell_formula(cell, "masked", "large_negative", LOOK)
    infinite = cell_terms(small_trace(mask_fill="minus_infinity"), "decoder", 0, 1, 2, 3)
    assert r"-\infty" in cell_formula(infinite, "masked", "minus_infinity", LOOK)


def test_no_quotient_where_there_is_nothing_to_divide() -> None:
    huge = replace(wide_cell(), masked=1000.0, row=np.array([1000.0], np.float32))
    assert r"\tfrac" not in cell_formula(huge, "weights", "large_negative", LOOK)
    nothing = replace(huge, masked=-math.inf, row=np.full(2, -np.inf, np.float32), weight=math.nan)
    assert r"\mathrm{NaN}" in cell_formula(nothing, "weights", "minus_infinity", LOOK)


def test_small_and_large_numbers_are_written_as_powers() -> None:
    tiny = replace(wide_cell(), weight=1.5e-7)
    assert r"1.50 \cdot 10^{-7}" in cell_formula(tiny, "weights", "large_negative", LOOK)


@pytest.mark.parametrize("dark", [False, True])
def test_formulas_are_in_the_colours_of_the_roles(dark: bool) -> None:
    look = FigureStyle(dark=dark)
    for stage in ("scores", "scaled"):
        formula = stage_formula(stage, "large_negative", 16, look)
        assert look.colour("query") in formula
        assert look.colour("key") in formula
    assert look.colour("weights") in stage_formula("weights", "large_negative", 16, look)
    assert "= \\frac{S}{4.000}" in stage_formula("scaled", "large_negative", 16, look)
    assert r"\infty" in stage_formula("masked", "additive", 16, look)
    assert stage_formula("scaled", "large_negative", 10, look).count("frac") == 2


def cell_in(values: list[float], *struck: int) -> CellOfHeads:
    return CellOfHeads(np.array(values, np.float32), np.isin(np.arange(len(values)), struck))


def test_the_weight_of_every_head_beside_their_mean() -> None:
    cell = cell_in([0.1, 0.4, 0.25])
    figure = shares_figure(cell, "weights", LOOK)
    assert figure.data[0].x.tolist() == cell.values.tolist()
    assert figure.layout.shapes[0].x0 == pytest.approx(0.25)
    assert figure.layout.xaxis.range[0] == 0
    assert figure.layout.yaxis.ticktext[0] == "Head 1"
    notes = [note for note in figure.layout.annotations if note.text != "mean 0.250"]
    assert [note.text for note in notes] == ["0.100", "0.400", "0.250"]
    assert all(note.bgcolor == LOOK.colour("page") for note in notes)  # the line stays behind


def test_scores_of_every_head_go_to_both_sides_of_zero() -> None:
    figure = shares_figure(cell_in([-9.0, 2.0, 1.0]), "scores", LOOK)
    low, high = figure.layout.xaxis.range
    assert low == -high < -9
    assert figure.layout.annotations[1].xanchor == "right"
    assert figure.layout.annotations[1].text == "−9.00"


@pytest.mark.parametrize("fill", [-1e9, -math.inf])
def test_forbidden_heads_are_hatched_and_have_no_number(fill: float) -> None:
    figure = shares_figure(cell_in([1.0, fill, fill], 1, 2), "masked", LOOK)
    bars, band = figure.data
    assert np.isnan(bars.x[1:]).all()
    assert band.y.tolist() == [1, 2]
    assert band.marker.pattern.shape == "/"
    assert [note.text for note in figure.layout.annotations] == ["1.00", "forbidden", "forbidden"]
    assert figure.layout.xaxis.range[1] < 2
    assert not figure.layout.shapes


@pytest.mark.parametrize("stage", ["scores", "weights"])
def test_bars_of_heads_that_are_zero_or_no_number(stage: str) -> None:
    for value in (0.0, math.nan, math.inf):
        figure = shares_figure(cell_in([value] * 3), stage, LOOK)
        assert figure.layout.xaxis.range[1] == 1
        figure.written()


def test_roles_are_shares_of_one() -> None:
    figure = roles_figure({"next": 0.625, "previous": float("nan")}, LOOK)
    assert figure.data[1].x[0] == np.float32(0.625)
    assert [note.text for note in figure.layout.annotations] == ["62.5%", "–"]


def test_long_names_of_places_take_two_lines() -> None:
    names = [
        "begin, end, punctuation",
        "起始符、结束符和标点",
        "previous word",
        "<b> of a long name",
    ]
    figure = roles_figure(dict.fromkeys(names, 0.5), LOOK)
    assert list(figure.layout.yaxis.ticktext) == [
        "begin, end,<br>punctuation", "起始符、<br>结束符和标点", "previous<br>word",
        "&lt;b&gt;<br>of a long name",
    ]  # fmt: skip
