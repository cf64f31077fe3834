"""The benches on the heads of the run on screen: what they show, by torch itself."""

import json
import re
from html import unescape

import pytest
from streamlit.testing.v1 import AppTest
from torch.nn.functional import cosine_similarity

from glassformer.app.plots.theme import FigureStyle
from glassformer.app.runs.models import get_model
from glassformer.app.session.languages import LANGUAGES
from tests.opened_app import drawn, opened, typed_in_lab
from tests.sent import data_of


def rows(app: AppTest, kind: str) -> list[list[str]]:
    """The texts of the rows of a table."""
    html = "".join(each.proto.body for each in app.get("html") if kind in each.proto.body)
    table = html[html.index(kind) :].partition("</table>")[0]
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in table.split("<tr>")]
    return [[unescape(re.sub("<.*?>", "", cell)) for cell in row] for row in cells if row]


@pytest.mark.parametrize("language", LANGUAGES)
def test_memory_is_that_of_the_run_on_screen(language: str) -> None:
    app = opened("lab", lab="memory", text="I like you", language=language)
    shown = {row[0]: row[1:] for row in rows(app, "lab-memory")}
    x = drawn(app)["encoder/0/self_attention/context"]
    y = x.transpose(1, 2)
    assert shown["x"][:2] == [str(tuple(x.shape)), str(x.stride())]
    assert shown["y = x.transpose(1, 2)"][:2] == [str(tuple(y.shape)), str(y.stride())]
    with pytest.raises(RuntimeError) as refused:
        y.view(1, -1, 112)
    assert shown["y.view(1, -1, 112)"] == [f"RuntimeError: {refused.value}"]
    assert shown["y.contiguous().view(1, -1, 112)"][0] == "(1, 4, 112)"


def test_memory_takes_other_shapes_and_says_what_is_wrong() -> None:
    app = typed_in_lab(
        opened("lab", lab="memory", text="I like you"), "memory",
        way="split", kind="cross", layer="2", word="99", shape=["1", "4", "4", "28"],
    )  # fmt: skip
    shown = {row[0]: row[1:] for row in rows(app, "lab-memory")}
    assert shown["y.view(1, 4, 4, 28)"][0] == "(1, 4, 4, 28)"
    said = "".join(each.value for each in app.markdown)
    assert "feature 5 of head 2 of the word **" in said
    typed_in_lab(app, "memory", shape=["1", "5"])
    assert "invalid for input of size" in rows(app, "lab-memory")[4][1]
    assert "as many numbers" in "".join(each.value for each in app.markdown)
    typed_in_lab(app, "memory", shape=["x"])
    assert data_of(app, "typed")["error"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_weighted_values_are_those_of_the_run(language: str) -> None:
    app = opened("lab", lab="weighted_values", text="I like you", language=language)
    typed_in_lab(app, "weighted_values", kind="cross", layer="2", head="3", word="2", feature="8")
    where, look = "decoder/1/cross_attention", FigureStyle()
    weights = drawn(app)[f"{where}/weights"][0, 2, 1]
    values = drawn(app)[f"{where}/v"][0, 2, :, 7]
    html = "".join(each.proto.body for each in app.get("html"))
    for number in (*weights.tolist(), *values.tolist(), *(weights * values).tolist()):
        assert f">{look.number(number)}<" in html
    z = look.number(float((weights * values).sum()))
    assert any(f"= {z}**" in each.value for each in app.markdown)


def test_two_words_weigh_as_in_the_notes() -> None:
    app = opened("lab", lab="weighted_values", text="I like you")
    typed_in_lab(app, "weighted_values", taken="typed", word="99")
    html = "".join(each.proto.body for each in app.get("html"))
    assert ">0.881<" in html
    assert ">0.119<" in html
    typed_in_lab(app, "weighted_values", typed=["1", "x"])
    assert data_of(app, "typed")["error"]


def test_nearest_words_are_those_of_the_model_on_screen() -> None:
    app = opened("lab", lab="nearest_words")
    words, table = get_model().vocabulary, get_model().transformer.source_embedding.table.weight
    cosines = cosine_similarity(table[words.index("cat")][None], table)
    nearest = [words[at] for at in cosines.argsort(descending=True).tolist()[1:11]]
    specs = [json.loads(each.proto.spec) for each in app.get("plotly_chart")]
    assert specs[0]["layout"]["yaxis"]["ticktext"] == nearest
    assert "**cat** and **dog**" in "".join(each.value for each in app.markdown)
    typed_in_lab(app, "nearest_words", first="猫", second=" Dog ", origin="mean")
    assert "**猫** and **dog**" in "".join(each.value for each in app.markdown)
    typed_in_lab(app, "nearest_words", first="<b>xyzzy")
    assert data_of(app, "typed")["error"]
    typed_in_lab(app, "nearest_words", first="dog")
    assert "compared with itself" in "".join(each.value for each in app.markdown)
