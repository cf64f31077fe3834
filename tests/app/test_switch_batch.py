"""The padded batch on the page, without a browser: its numbers, its switches, its bad lines."""

import json
import re
from typing import Any

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from glassformer import load_model
from glassformer.app.pages.switch.batch.panel import FIRST
from glassformer.core.interventions import Experiment
from glassformer.core.interventions.masks import PaddingOff
from glassformer.core.interventions.padding import padded_runs
from tests.opened_app import on_screen, opened, state_of

MODEL = load_model()
LINES = ("I have a cat", "The animal didn't cross the street because it was too tired")
BATCH = "\n".join(LINES)
PLAIN = tuple(MODEL.trace(each) for each in LINES)
OFF = Experiment((PaddingOff(),))


def chart(app: AppTest) -> dict[str, Any]:
    spec: dict[str, Any] = json.loads(app.get("plotly_chart")[0].proto.spec)
    return spec


def cells(app: AppTest) -> list[np.ndarray]:
    drawn = [each for each in chart(app)["data"] if each["type"] == "heatmap"]
    return [numbers(each["z"]) for each in drawn]


def numbers(z: Any) -> np.ndarray:
    if isinstance(z, dict):
        import base64

        found = np.frombuffer(base64.b64decode(z["bdata"]), dtype=z["dtype"])
        return found.reshape([int(each) for each in z["shape"].split(",")])
    return np.array(z)


def table(app: AppTest) -> list[list[str]]:
    body = next(each for each in app.get("html") if "batch-words" in each.proto.body).proto.body
    rows = re.findall(r"<tr>(.*?)</tr>", body)[1:]
    return [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in rows]


def rows_data(app: AppTest) -> dict[str, Any]:
    protos = [each.proto for each in app.get("bidi_component")]
    proto = next(each for each in protos if each.component_name.endswith("padded_rows"))
    found: dict[str, Any] = json.loads(proto.bytes)
    return found


def percent(text: str) -> float:
    return float(text.strip("&lgt;<>%")) / 100


def test_the_head_in_focus_with_and_without_the_mask() -> None:
    app = opened(
        "switch", switches="batch", batch=BATCH, edits=OFF.text, kind="cross", layer="2", head="3"
    )
    rows = len(PLAIN[0].target_tokens)
    address = "decoder/1/cross_attention/weights"
    views = [padded_runs(MODEL, PLAIN, each)[0][address][0, 2, :rows] for each in (None, OFF)]
    before, after, change = cells(app)
    np.testing.assert_allclose(before, views[0].numpy(), atol=1e-6)
    np.testing.assert_allclose(after, views[1].numpy(), atol=1e-6)
    np.testing.assert_allclose(change, (views[1] - views[0]).numpy(), atol=1e-6)
    words = len(PLAIN[0].source_tokens)
    assert not before[:, words:].any() and after[:, words:].min() > 0
    share = 100 * views[1][:, words:].sum(dim=-1).mean().item()
    axes = chart(app)["layout"]
    titles = [axes[each]["title"]["text"] for each in sorted(axes) if each.startswith("xaxis")]
    titles = [each for each in titles if "&lt;pad&gt;" in each]
    assert "0% on &lt;pad&gt;" in titles[0] and f"{share:.1f}% on" in titles[1]


@pytest.mark.parametrize(("row", "moved"), [("1", True), ("2", False)])
def test_the_words_are_as_probable_as_in_their_runs(row: str, moved: bool) -> None:
    app = opened("switch", switches="batch", batch=BATCH, edits=OFF.text, row=row)
    place_in_batch = int(row) - 1
    plain = PLAIN[place_in_batch]
    views = [padded_runs(MODEL, PLAIN, each)[place_in_batch] for each in (None, OFF)]
    said = table(app)
    assert len(said) == len(plain.target_tokens)
    differ = False
    for place, (word, *shares) in enumerate(said):
        index = plain.vocabulary.index(plain.output_pieces[place])
        for run, text in zip((plain, *views), shares, strict=True):
            exact = run["output/probabilities"][0, place, index].item()
            assert percent(text) == pytest.approx(exact, abs=1.01e-3), word
        differ |= shares[0] != shares[2]
        assert shares[0] == shares[1]
    assert differ == moved


def test_where_the_sentence_is_refused_the_numbers_are_those_of_the_model_on_screen() -> None:
    known = opened("switch", switches="batch", batch=BATCH, edits=OFF.text)
    refused = opened(
        "switch", switches="batch", batch=BATCH, edits=OFF.text, text="Привет",
        model="translator-plain",
    )  # fmt: skip
    assert on_screen(refused).model == ""
    assert table(refused) == table(known)
    for one, other in zip(cells(refused), cells(known), strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_numbers_of_each_sentence() -> None:
    app = opened("switch", switches="batch", batch=BATCH, edits=OFF.text)
    data = rows_data(app)
    assert [side["real"] for side in data["lines"][0]["sides"]] == [5, 6]
    assert data["lines"][0]["sides"][0]["words"][5:] == ["<pad>"] * 7
    assert data["seen"] == [1, 0]
    padded = padded_runs(MODEL, PLAIN, OFF)[0]["output/probabilities"][0, :6]
    largest = (padded - PLAIN[0]["output/probabilities"][0]).abs().max().item()
    assert data["lines"][0]["numbers"][0] == [f"{largest:.3f}", 1]
    assert [each[0] for each in data["lines"][1]["numbers"]] == ["≈ 0", "≈ 0", "0%"]
    logs = [x["output/logits"][0, :6].double().log_softmax(-1) for x in (
        PLAIN[0], padded_runs(MODEL, PLAIN, OFF)[0]
    )]  # fmt: skip
    divergence = (logs[0].exp() * (logs[0] - logs[1])).sum(-1).mean().item()
    assert float(data["lines"][0]["numbers"][1][0]) == pytest.approx(divergence, rel=5e-3)


def test_the_switches_are_part_of_the_experiment() -> None:
    app = opened("switch", switches="batch", batch=BATCH)
    assert app.toggle(key="widget_batch_source").value is True
    before, after, _ = cells(app)
    assert np.array_equal(before, after)
    app.toggle(key="widget_batch_source").set_value(False).run()
    assert state_of(app).edits == OFF.text
    assert not np.array_equal(*cells(app)[:2])
    app.toggle(key="widget_batch_source").set_value(True).run()
    assert state_of(app).edits == ""
    app.toggle(key="widget_batch_target").set_value(False).run()
    assert any("nothing moves" in each.value for each in app.markdown)
    assert all(each["numbers"][0][0] == "≈ 0" for each in rows_data(app)["lines"])


def test_bad_lines_are_named_and_the_others_stay() -> None:
    lines = ["I have a cat", "Привет", "", *["I like you"] * 8]
    app = opened("switch", switches="batch", batch="\n".join(lines))
    said = "\n".join(each.value for each in app.markdown)
    assert "Line 2" in said and "neither in English nor in Chinese" in said
    assert "Line 11" in said and "only 8" in said
    assert len(rows_data(app)["lines"]) == 8
    app.text_area(key="widget_batch_text").set_value("Привет").run()
    assert any("No line can be read" in each.value for each in app.info)
    app.text_area(key="widget_batch_text").set_value("  ").run()
    assert state_of(app).batch == ""
    assert len(rows_data(app)["lines"]) == len(FIRST["en"])


@pytest.mark.parametrize("direction", ["zh-en", "auto"])
def test_the_first_sentences_are_in_the_direction_of_the_page(direction: str) -> None:
    app = opened("switch", switches="batch", text="我喜欢猫", direction=direction)
    assert app.text_area(key="widget_batch_text").value == "\n".join(FIRST["zh"])
    assert len(rows_data(app)["lines"]) == 4


def test_typed_marks_stay_words() -> None:
    app = opened("switch", switches="batch", batch="I like <b>x</b> & $y$\n" + LINES[1])
    assert any("&lt;" in row[0] for row in table(app)) and not app.exception
    assert torch.is_tensor(PLAIN[0]["memory"])
