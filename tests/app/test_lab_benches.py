"""The benches on softmax, dictionaries, masks and norms: what they show, recomputed with numpy."""

import json
import re
from typing import Any

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from glassformer.app.pages.lab.batch_norm.panel import BATCHES
from glassformer.app.pages.lab.dictionary.figures import answers_table
from glassformer.app.pages.lab.labels.panel import TRUTHS
from glassformer.app.pages.lab.layer_norm.panel import NORMED
from glassformer.app.pages.lab.masks.panel import DRAWN, MASKED
from glassformer.app.plots.labels import format_number
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.session.languages import LANGUAGES
from glassformer.core.lab.dictionary import KEYS, QUERY, VALUES, look_up
from tests.opened_app import opened
from tests.opened_app import typed_in_lab as typed

BENCHES = (
    "scaling", "normalisers", "labels", "dictionary", "similarity", "pull", "masks",
    "mask_building", "mask_steps", "layer_norm", "batch_norm", "norm_axes",
)  # fmt: skip


def tables(app: AppTest) -> list[list[list[str]]]:
    """The texts of the cells of every table on the page."""
    html = "".join(each.proto.body for each in app.get("html") if "<table" in each.proto.body)
    found = []
    for table in re.findall(r"<table.*?</table>", html):
        rows = re.findall(r"<tr.*?</tr>", table)
        found.append([re.findall(r"<td[^>]*>(.*?)</td>", row) for row in rows])
    return [[row for row in table if row] for table in found]


def written(values: Any) -> list[list[str]]:
    rows = np.atleast_2d(np.asarray(values, dtype=float)).tolist()
    return [[format_number(value) for value in row] for row in rows]


def chart_texts(app: AppTest) -> list[str]:
    """The numbers written at the marks of the first chart."""
    traces = json.loads(app.get("plotly_chart")[0].proto.spec)["data"]
    texts = [text for trace in traces for text in trace.get("text", ())]
    return [text.removeprefix("<b>").removesuffix("</b>") for text in texts if text]


def softmax(scores: Any) -> np.ndarray:
    powers = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    shares: np.ndarray = powers / powers.sum(axis=-1, keepdims=True)
    return shares


def measured(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Entropy of each row's weights, and the size of ∂ weights / ∂ scores."""
    w = softmax(scores)
    entropy = -np.sum(np.where(w > 0, w * np.log(np.where(w > 0, w, 1)), 0), axis=-1)
    jacobian = w[..., None] * np.eye(w.shape[-1]) - w[..., None] * w[..., None, :]
    return entropy, np.sqrt((jacobian**2).sum((-1, -2)))


@pytest.mark.parametrize("bench", BENCHES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_bench_opens(bench: str, language: str) -> None:
    app = opened("lab", lab=bench, language=language)
    assert app.selectbox(key="widget_lab_bench").value == bench


def test_scaling_shows_means_over_random_rows_and_the_own_row() -> None:
    app = typed(opened("lab", lab="scaling"), "scaling", d_k="16", scores=["8", "4", "2"])
    generator = torch.Generator().manual_seed(0)
    q = torch.randn(60, 1, 512, generator=generator).numpy()[..., :16]
    k = torch.randn(60, 8, 512, generator=generator).numpy()[..., :16]
    scores = (q * k).sum(-1).astype(float)
    shown = chart_texts(app)
    for rows in (scores, scores / 4):
        entropy, gradient = measured(rows)
        for value in (rows.std(ddof=1), entropy.mean(), gradient.mean()):
            assert format_number(float(value)) in shown
    row = np.array([8.0, 4.0, 2.0])
    assert written([softmax(row), softmax(row / 4)]) in tables(app)
    assert written(np.array([measured(row), measured(row / 4)])) in tables(app)


def test_what_makes_no_sense_leaves_the_last_good_result() -> None:
    app = typed(opened("lab", lab="scaling"), "scaling", d_k="16")
    before = chart_texts(app)
    typed(app, "scaling", d_k="many")
    assert chart_texts(app) == before
    typed(app, "scaling", d_k="600")
    assert chart_texts(app) == before


def test_normalisers() -> None:
    app = typed(opened("lab", lab="normalisers"), "normalisers", scores=["3", "−1"])
    s = np.array([3.0, -1.0])
    expected = [softmax(s), np.maximum(s, 0), 1 / (1 + np.exp(-s)), s / np.sqrt((s**2).sum())]
    shown = chart_texts(app)
    assert shown == [text for weights in expected for text in written(weights)[0]]
    (table,) = tables(app)
    assert [row[0] for row in table] == [format_number(float(each.sum())) for each in expected]
    assert table[0][1:] == ["✓", "✓", "✓", "✓", "✗"]
    assert table[3][1:] == ["✗", "✗", "✓", "✗", "✓"]


def test_dictionary() -> None:
    app = typed(opened("lab", lab="dictionary"), "dictionary", temperature="0.5")
    query, keys = np.array(QUERY), np.array(KEYS)
    values = np.array(VALUES)
    scores = keys @ query
    weights = softmax(scores / np.sqrt(2) / 0.5)
    soft = float(weights @ values[:, 0])
    found = tables(app)
    assert written(weights[:, None]) in found
    assert written(scores[:, None]) in found
    answers = [row[0] for row in found[-1]]
    assert answers == ["no such key", "10.0", format_number(soft), format_number(17 / 3)]


@pytest.mark.parametrize("drawn", list(DRAWN))
def test_masks(drawn: str) -> None:
    app = opened("lab", lab="masks")
    app.button(key=f"lab_masks_{drawn}").click().run()
    assert not app.exception
    s, m = np.array(MASKED, np.float32), np.array(DRAWN[drawn], dtype=bool)
    large = np.float32(-1e9)  # next to it a score is lost: what stays is the same for all
    with np.errstate(invalid="ignore"):
        weights = [
            softmax(np.where(m, s, large)),
            softmax(np.where(m, s, -np.inf)),
            softmax(s + np.where(m, 0, -np.inf)),
            softmax(s + np.where(m, np.float32(0), large)),
            softmax(s * m),
            softmax(s) * m,
        ]
    shown = [table for table in tables(app) if len(table[0]) == 4]
    for expected, table in zip(weights, shown, strict=True):
        for row, cells in zip(expected, table, strict=True):
            for value, text in zip(row, cells, strict=True):
                read = float(text.replace("−", "-").replace("NaN", "nan"))
                assert read == pytest.approx(value, abs=2e-3, rel=6e-3, nan_ok=True)
    html = "".join(each.proto.body for each in app.get("html"))
    assert ("NaN: row 2." in html) == (drawn == "empty")


def test_layer_norm_formulas() -> None:
    app = opened("lab", lab="layer_norm")
    x = np.array(NORMED).reshape(4, 4)
    centred = x - x.mean(-1, keepdims=True)
    shown = tables(app)
    for ddof in (0, 1):
        std = x.std(-1, ddof=ddof, keepdims=True)
        for below in (np.sqrt(std**2 + 1e-6), std + 1e-6):
            assert written(centred / below) in shown
            assert written((centred / below).std(-1, keepdims=True)) in shown


def test_layer_norm_shapes() -> None:
    app = opened("lab", lab="layer_norm")
    app.segmented_control(key="widget_lab_layer_norm_view").set_value("stretched").run()
    assert not app.exception
    shapes, *_ = tables(app)
    assert [cell for cell in shapes[1] if cell.isdigit()] == ["2", "2", "1"]
    assert "refuses" in shapes[3][-1]
    html = "".join(each.proto.body for each in app.get("html"))
    copies = [
        [["faint" in cell for cell in re.findall("<td[^>]*>", row)] for row in table.split("<tr>")]
        for table in re.findall("<table class=.lab-matrix.*?</table>", html)
    ]
    mean, gamma = copies[1][1:], copies[3][1:]
    assert mean == [[False, True, True, True]] * 4  # one mean for all features
    assert gamma == [[False] * 4, *[[True] * 4] * 3]  # one γ for all words
    square = [[["1", "2"], ["3", "5"]]]
    typed(app, "layer_norm", x=square, gamma=["1", "1"], beta=["0", "0"])
    assert "says nothing" in tables(app)[0][3][-1]


@pytest.mark.parametrize("taken", list(BATCHES))
def test_batch_norm(taken: str) -> None:
    app = opened("lab", lab="batch_norm")
    app.button(key=f"lab_batch_norm_{taken}").click().run()
    assert not app.exception
    x = np.array(BATCHES[taken]["x"], dtype=float)
    real = np.arange(x.shape[1]) < np.array(BATCHES[taken]["lengths"])[:, None]
    rows = x.reshape(-1, x.shape[-1])
    layer = (rows - rows.mean(-1, keepdims=True)) / np.sqrt(rows.var(-1, keepdims=True) + 1e-6)
    batch = by_feature(rows)
    neighbours = np.abs(by_feature(x[0]) - batch[: x.shape[1]]).max()
    padding = np.abs(by_feature(x[real]) - batch[real.ravel()]).max()
    _, by_layer, by_batch, moved = tables(app)
    assert numbers(by_layer)[:, :4] == pytest.approx(layer, rel=6e-3)
    assert numbers(by_batch[: len(rows)]) == pytest.approx(batch, rel=6e-3)
    assert numbers(moved) == pytest.approx(
        np.array([[0, neighbours], [0, padding]]), rel=6e-3, abs=1e-9
    )
    if taken == "padded":
        assert min(neighbours, padding) > 0.1


def by_feature(rows: np.ndarray) -> np.ndarray:
    """Batch norm of (N, D)."""
    found: np.ndarray = (rows - rows.mean(0)) / np.sqrt(rows.var(0) + 1e-6)
    return found


def numbers(table: list[list[str]]) -> np.ndarray:
    """The cells as numbers."""
    plain = [[re.sub("<.*?>", "", cell).replace("−", "-") for cell in row] for row in table]
    return np.array([[float(cell) for cell in row] for row in plain])


def test_an_exact_key_answers_with_its_own_value() -> None:
    """Also where another key has a larger product with the query."""
    query = KEYS[1]
    found = look_up(query, KEYS, VALUES)
    assert found.exact == 1
    assert found.nearest != 1
    names = ("a", "b", "c", "d", "e")[: len(KEYS)]
    rows = {name: name for name in ("exact", "exact_none", "soft", "blind")} | {"nearest": "{name}"}
    shown = answers_table(found, names, rows, FigureStyle())
    first = re.findall(r">([−\d.]+)<", shown)[0]
    assert first == format_number(float(np.ravel(VALUES)[1]))


def told(app: AppTest) -> str:
    return "\n".join(
        [each.value for each in app.markdown] + [each.proto.body for each in app.get("html")]
    )


def test_similarity() -> None:
    app = opened("lab", lab="similarity")
    assert "the dot product **date**" in told(app)
    typed(app, "similarity", query=["1", "0"], keys=[["1.5", "0"], ["2", "3"], ["0", "1"]])
    keys = np.array([[1.5, 0], [2, 3], [0, 1]])
    product, distance = keys[:, 0], -np.sqrt(((keys - [1, 0]) ** 2).sum(1))
    found = tables(app)
    for scores in (product, distance):
        assert written(scores[:, None]) in found
        assert written(softmax(scores)[:, None]) in found
    app.button(key="lab_similarity_unit").click().run()
    assert "All keys have one length" in told(app)
    typed(app, "similarity", measure="squared")
    assert "The same weights" in told(app)


def test_pull() -> None:
    app = opened("lab", lab="pull")
    typed(app, "pull", scores=["0", "2", "-1"], values=[["1", "0"], ["2", "3"], ["0", "-1"]])
    assert not app.exception
    weights = softmax(np.array([0.0, 2, -1]))[:, None]
    terms = weights * [[1, 0], [2, 3], [0, -1]]
    found = tables(app)
    assert written(weights) in found
    assert [[format_number(float(each)) for each in row] for row in terms.tolist()] in [
        table[:-1] for table in found
    ]
    spec = json.loads(app.get("plotly_chart")[0].proto.spec)["data"]
    ends = [(trace["x"][-1], trace["y"][-1]) for trace in spec]
    places = [tuple(each) for each in terms.cumsum(axis=0).tolist()]  # tip to tail
    for place in places:
        assert any(np.allclose(place, end) for end in ends)
    typed(app, "pull", scores=["7", "7", "7"])
    spec = json.loads(app.get("plotly_chart")[0].proto.spec)["data"]
    (cross,) = [trace for trace in spec if trace["marker"]["symbol"] == "x"]
    assert np.allclose([*cross["x"], *cross["y"]], [1, 2 / 3]), "all alike: the plain average"


@pytest.mark.parametrize(("right", "least"), [("one", "0"), ("two", "0.693"), ("none", "–")])
def test_labels(right: str, least: str) -> None:
    app = opened("lab", lab="labels")
    app.button(key=f"lab_labels_{right}").click().run()
    assert not app.exception
    z, y = np.array([2, 1.2, -0.5, -1.5]), np.array(TRUTHS[right])
    p, sigmoid = softmax(z), 1 / (1 + np.exp(-z))
    one, several = tables(app)
    for shown, given in ((one, p), (several, sigmoid)):
        assert [row[0].partition("</i>")[2] for row in shown[:4]] == written(given)[0]
        assert shown[4][0] == format_number(float(given.sum()))
    assert ['class="on"' in row[0] for row in one[:4]] == [True, False, False, False]
    assert ['class="on"' in row[0] for row in several[:4]] == [True, True, False, False]
    loss = format_number(-float((y * np.log(p)).sum() / y.sum())) if y.any() else "–"
    assert one[4][1:] == [f"<b>{loss}</b> (not below {least})"]
    each = -(y * np.log(sigmoid) + (1 - y) * np.log(1 - sigmoid))
    assert [row[1] for row in several[:4]] == written(each)[0]
    assert [row[2] for row in several[:4]] == written(sigmoid - y)[0]
    assert several[4][1:] == [f"<b>{format_number(float(each.sum()))}</b> (not below 0)"]


def test_norm_axes() -> None:
    app = opened("lab", lab="norm_axes")
    html = told(app)
    assert "μ = 2.00, ÷ 1.87: 0 → −1.07" in html  # instance norm of 2, 0, 5, 1
    assert html.count('class="wrong"') == 5
    assert tables(app)[0][1][4:] == [
        "1",
        "4.50",
    ]  # the mean and variance of 2, 0, 5, 1, 0, 2, 1, −3
    typed(app, "norm_axes", reading="words", at="5")
    assert "over D: one mean a word" in told(app)
    assert "μ = 2.00, ÷ 1.87: 2.00 → 0<" in told(app)  # now that is layer norm
    typed(app, "norm_axes", at="33")  # there are 32; what was good stays
    assert "μ = 2.00, ÷ 1.87: 2.00 → 0<" in told(app)


def test_mask_building() -> None:
    app = opened("lab", lab="mask_building")
    assert "mask = upper == 0" in told(app)
    assert "has **50** numbers; seen as (2, 3, 5, 5) it has **150**" in told(app)
    assert "torch refuses" in told(app)
    typed(app, "mask_building", hidden="0", recipe="full", heads="2")
    html = told(app)
    assert "mask = full.triu(diagonal=0)" in html
    assert tables(app)[2][0] == ["NaN"] * 5
    assert "gives sentence b&#x27;s padding to head b" in html
    assert html.count('class="own"') == html.count('class="copy"') == 2


def test_mask_steps_are_those_of_the_model() -> None:
    app = opened("lab", lab="mask_steps")
    (steps,) = tables(app)
    seen = [[cell for cell in row[:5] if cell != "[MASK]"] for row in steps]
    assert seen == [["&lt;en&gt;", "I", "have", "a", "cat"][: at + 1] for at in range(5)]
    assert [row[5] for row in steps] == [f"<b>{word}</b>" for word in "I have a cat".split()] + [
        "<b>&lt;eos&gt;</b>"
    ]
    assert all(row[6] == row[7] and row[6].startswith("✓") for row in steps)
    assert steps[0][8].startswith("✗")
    assert "sees **\\<en\\> I have** and has to write **a**" in told(app)
    typed(app, "mask_steps", source="我喜欢你", target="I like you")
    typed(app, "mask_steps_at", step="9")
    assert "sees **\\<en\\> I like you**" in told(app)  # the last step there is
    typed(app, "mask_steps", target="word " * 20)
    assert len(tables(app)[0]) == 4
