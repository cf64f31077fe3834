"""The benches on one matrix, skips, copies and added positions, as the page shows them."""

import re
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from glassformer.app.pages.lab.one_matrix.figures import one_matrix_drawing
from glassformer.app.pages.lab.skips.figures import skips_figure
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.runs.models import get_model
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.words import texts_of_language
from glassformer.core.lab.clones import clones
from glassformer.core.lab.one_matrix import one_matrix
from glassformer.core.lab.skips import skips
from tests.opened_app import opened, typed_in_lab
from tests.sent import data_of

BENCHES = ("one_matrix", "skips", "clones", "added")


def said_in(bench: str) -> dict[str, str]:
    section = f"lab_{bench}."
    return {
        key.removeprefix(section): text
        for key, text in texts_of_language("en").items()
        if key.startswith(section)
    }


def charts(app: AppTest) -> Any:
    return [each.proto.spec for each in app.get("plotly_chart")]


@pytest.mark.parametrize("bench", BENCHES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_bench_opens_and_says_what_is_wrong(bench: str, language: str) -> None:
    app = opened("lab", lab=bench, language=language)
    field = "d_model" if bench == "added" else "seed"
    typed_in_lab(app, bench, **{field: "x"})
    assert data_of(app, "typed")["error"]


def test_adding_as_one_product_is_on_screen() -> None:
    app = typed_in_lab(opened("lab", lab="added"), "added", positions=["0", "0"])
    html = "".join(each.proto.body for each in app.get("html"))
    tables = re.findall(r"<table class=.lab-matrix.*?</table>", html)
    cells = [re.findall(r">([^<>]+)</td>", table) for table in tables]
    product, a, e, total = cells[4:8]
    assert product == total
    assert [float(each) for each in e] == [0, 1, 0, 1] * 2
    numbers = [[float(each.replace("−", "-")) for each in table] for table in (a, e, total)]
    assert numbers[2] == [one + other for one, other in zip(*numbers[:2], strict=True)]
    assert "3,152,384" in html  # 12 · 512² + 13 · 512
    assert "12,596,224" in html
    assert "× 4.00" in html


def test_one_matrix_tells_of_the_model_on_screen() -> None:
    app = opened("lab", lab="one_matrix")
    width = get_model().config.d_model
    line = data_of(app, "typed")["message"]
    assert "Only rounding" in line
    assert f"{width} × {width}" in line


def test_the_same_cell_has_the_same_place_in_both_lanes() -> None:
    found = one_matrix(2, 6, 3)
    drawing = one_matrix_drawing(found, said_in("one_matrix"), FigureStyle())
    ids = [cell for _, _, cell in drawing["cells"]]
    x, weights, queries = 2 * 6, 6 * 6, 2 * 6
    assert len(drawing["labels"]) == x + weights + queries
    assert sorted(set(ids)) == list(range(x + weights + queries))
    assert [ids.count(cell) for cell in (0, x, x + weights)] == [2, 2, 4]
    last = drawing["labels"][-1]
    assert last.startswith("Query of word 2, column 6, of head 3")
    assert drawing["features"][-1] == 3
    assert all(x + drawing["size"] <= drawing["width"] for x, *_ in drawing["cells"])


def test_skips_are_drawn_with_their_shares() -> None:
    found = skips(2, 16)
    figure = skips_figure(found, said_in("skips"), FigureStyle()).of_plotly
    bars = [each for each in figure.data if each.type == "bar"]
    assert len(bars) == 5  # the input and four sub-layers; β is 0
    assert [float(each) for each in bars[0].y] == pytest.approx(found.shares[:, 0].tolist())
    boxes = figure.data[-1]
    assert f"{1 - float(found.around[0]):.1%}" in boxes.hovertext[0]
    assert "layer 1, self-attention" in boxes.hovertext[0]
    arcs = [each for each in figure.layout.shapes if "C" in each.path]
    widths = [each.line.width for each in arcs]
    shares = found.around.tolist()
    assert sorted(range(4), key=widths.__getitem__) == sorted(range(4), key=shares.__getitem__)


def test_skips_of_the_model_on_screen() -> None:
    app = typed_in_lab(opened("lab", lab="skips", text="I like you"), "skips", whose="model")
    assert "I like you" in data_of(app, "typed")["message"]
    assert '"2 FF"' in charts(app)[0] or "<b>2 FF</b>" in charts(app)[0]
    assert "<b>3 SA</b>" not in charts(app)[0]  # it has two layers


def test_copies_say_what_they_are() -> None:
    app = typed_in_lab(opened("lab", lab="clones"), "clones", layers="3", width="8")
    found = clones(3, 8, 1)
    said = " ".join(each.proto.body for each in app.get("html"))
    assert f"{found['shared'].parameters:,} parameters" in said
    assert f"{found['copied'].parameters:,} parameters" in said
    assert len(charts(app)) == len(found)
