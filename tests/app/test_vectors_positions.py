"""The positions question: every number on screen against one computed here from the formula."""

import json
import math
import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from glassformer import load_model
from glassformer.app.plots.labels import format_number
from glassformer.app.runs.traces import get_trace
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.session.state import POSITIONS
from glassformer.app.words import texts_of_language
from tests.opened_app import opened, state_of

SENTENCE = "The animal didn't cross the street because it was too tired"
WIDTH = load_model().config.d_model


def page(view: str, **query: str) -> AppTest:
    return opened("vectors", vectors="positions", positions=view, **query)


def said(app: AppTest) -> str:
    return "\n".join([each.value for each in (*app.markdown, *app.caption, *app.latex)])


def tables(app: AppTest) -> str:
    return "\n".join(each.proto.body for each in app.get("html"))


def drawn(app: AppTest, at: int) -> np.ndarray:
    """The numbers of one heat map of the picture."""
    import base64

    spec = json.loads(app.get("plotly_chart")[0].proto.spec)
    z = spec["data"][at]["z"]
    raw = np.frombuffer(base64.b64decode(z["bdata"]), dtype=z["dtype"])
    rows, columns = (int(each) for each in z["shape"].split(","))
    return raw.reshape(rows, columns)


def angle(place: int, exponent: int) -> float:
    return float(place / 10000 ** (exponent / WIDTH))


def by_formula(length: int, own_exponent: bool = False) -> np.ndarray:
    return np.array(
        [
            [
                math.cos(angle(t, j if own_exponent else j - 1)) if j % 2 else math.sin(angle(t, j))
                for j in range(WIDTH)
            ]
            for t in range(length)
        ]
    )


@pytest.mark.parametrize("view", POSITIONS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_picture_is_drawn_in_every_language(view: str, language: str) -> None:
    app = page(view, language=language, text="我 和 同学 一起 听 和", token="source:2")
    assert len(app.get("plotly_chart")) == 1
    size = len(app.get("plotly_chart")[0].proto.spec)
    assert size < 256 * 1024
    if language == "zh":
        shown = re.sub(r"\$.*?\$|`[^`]*`", "", said(app))
        assert "position" not in shown


def test_map_is_the_formula_and_the_run() -> None:
    app = page("map", token="source:5", feature="12")
    expected = by_formula(64)
    assert drawn(app, 0) == pytest.approx(expected, abs=2e-6)
    recorded = get_trace(SENTENCE)["source/positions"]
    assert recorded.numpy() == pytest.approx(expected[:12], abs=2e-6)
    value = format_number(float(expected[4, 11]), 3)
    assert f"**{value}**" in said(app)
    assert value.replace("−", "-") in app.latex[1].value


def test_dots_say_that_only_the_distance_counts() -> None:
    app = page("dots", kind="encoder", query="2", key="6")
    table = by_formula(12)
    assert drawn(app, 0) == pytest.approx(table @ table.T, abs=1e-4)
    dot = sum(math.cos(angle(4, 2 * m)) for m in range(WIDTH // 2))
    assert tables(app).count(format_number(dot, 3)) == 3  # here, the least, the most of distance 4
    app = page("dots", kind="encoder", query="2", key="6", formula="notes")
    other = by_formula(12, own_exponent=True)
    lines = [np.diagonal(other @ other.T, k) for k in range(12)]
    spread = max(float(each.max() - each.min()) for each in lines)
    assert f"**{format_number(spread, 3)}**" in said(app)


def test_rotation_carries_and_the_notes_miss() -> None:
    app = page("rotation", token="source:4", feature="9", offset="5")
    goal = [format_number(f(angle(8, 8)), 3) for f in (math.sin, math.cos)]
    assert ", ".join(goal) in said(app)
    assert all(each.replace("−", "-") in app.latex[1].value for each in goal)
    found = re.search(r"together: \*\*([^*]+)\*\*", said(app))
    assert found and found[1].endswith("×10⁻⁷")
    app = page("rotation", token="source:4", feature="9", offset="5", formula="notes")
    found = re.search(r"together: \*\*([^*]+)\*\*", said(app))
    assert found and float(found[1]) > 1


def test_same_word_before_and_after() -> None:
    app = page("same")
    trace = get_trace(SENTENCE)
    ids = trace["source/ids"][0].tolist()
    assert ids[0] == ids[4]
    table, scaled = by_formula(12), trace["source/scaled"][0].numpy()
    for at, values in enumerate((scaled, table, scaled + table)):
        assert drawn(app, at) == pytest.approx(values[[0, 4]], abs=2e-6)
    whole = (scaled + table)[[0, 4]]
    cosine = whole[0] @ whole[1] / np.linalg.norm(whole[0]) / np.linalg.norm(whole[1])
    assert format_number(float(cosine), 3) in tables(app)
    assert format_number(float(np.linalg.norm(whole[0] - whole[1])), 3) in tables(app)
    share = float(table[0] @ whole[0] / (whole[0] @ whole[0]))
    assert f"**{100 * share:.1f}%**" in said(app)


def test_variants_name_the_difference_and_what_follows() -> None:
    app = page("variants", span="64")
    gap = by_formula(64, own_exponent=True) - by_formula(64)
    assert drawn(app, 2) == pytest.approx(gap, abs=3e-6)
    place, feature = np.unravel_index(np.abs(gap).argmax(), gap.shape)
    assert f"**{format_number(float(np.abs(gap).max()), 3)}**" in said(app)
    assert f"t = {place}, feature {feature + 1}" in said(app)
    app = page("variants", formula="halves")
    assert "own: **0**" in said(app)


def test_pickers_write_the_link() -> None:
    app = page("map")
    app.segmented_control(key="widget_positions_formula").set_value("halves").run()
    assert state_of(app).formula == "halves"
    app.segmented_control(key="widget_positions_formula").set_value("paper").run()
    assert state_of(app).formula == ""  # the model's own
    app.segmented_control(key="widget_positions_positions").set_value("waves").run()
    assert state_of(app).positions == "waves"
    app.slider(key="widget_positions_pair").set_value(3).run()
    assert state_of(app).feature == 4
    assert not app.exception


def test_another_place_is_chosen_by_the_reader() -> None:
    app = page("same", text="I like you")
    app.selectbox(key="widget_positions_place_second").set_value(1).run()
    assert not app.exception
    now = state_of(app)
    assert (now.kind, now.query, now.key, now.token) == ("encoder", 0, 1, ("source", 0))
    assert "two words" in said(app)


def test_all_texts_have_their_counterpart() -> None:
    first, *others = (
        {key for key in texts_of_language(each) if key.startswith("positions.")}
        for each in LANGUAGES
    )
    assert first and all(each == first for each in others)
