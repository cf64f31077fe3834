"""The number trail on screen: what it shows is what can be computed by hand."""

from __future__ import annotations

import math

import pytest
from streamlit.testing.v1 import AppTest

from glassformer.app.panels.provenance import panel
from glassformer.app.panels.provenance.panel import selection
from glassformer.app.plots.labels import format_number
from glassformer.app.plots.theme import FigureStyle
from glassformer.core.explain.provenance.unfold import unfold
from glassformer.core.text_models.checkpoints import load_model
from tests.opened_app import opened, state_of
from tests.sent import data_of

SENTENCE = "The animal didn't cross the street because it was too tired"
CONTEXT = "decoder/1/cross_attention/context"


def texts(app: AppTest) -> str:
    return "\n".join(each.value for each in (*app.markdown, *app.caption))


def test_the_drawer_shows_the_recorded_number_and_its_recomputation() -> None:
    app = opened("attention", trail=f"{CONTEXT}@1,4,3,20")
    trace = load_model().trace(SENTENCE)
    weights, values = (
        trace["decoder/1/cross_attention/weights"],
        trace["decoder/1/cross_attention/v"],
    )
    by_hand = float(weights[0, 3, 2].double() @ values[0, 3, :, 19].double())
    assert format_number(float(trace[CONTEXT][0, 3, 2, 19]), panel.LONG) in texts(app)
    assert format_number(by_hand, panel.LONG) in texts(app)
    assert "✓" in texts(app)


def test_to_the_words_ends_at_an_embedding_row_and_back_returns() -> None:
    app = opened("attention", trail=f"{CONTEXT}@1,4,3,20")
    app.button(key="trail_words").click().run()
    assert "Here the trail ends" in texts(app)
    assert state_of(app).trail[0] in ("source/embedding", "target/embedding")
    assert app.button(key="trail_largest").disabled
    before = len(state_of(app).way)
    again = opened("attention", **dict(app.query_params))
    assert data_of(again, "trail_view") == data_of(app, "trail_view")
    app.button(key="trail_back").click().run()
    assert len(state_of(app).way) == before - 1
    app.button(key="trail_close").click().run()
    assert (state_of(app).trail, state_of(app).way) == (None, ())


def test_a_way_that_is_not_in_the_run_is_not_drawn() -> None:
    way = f"memory@1,99,1;nothing/here@1;{CONTEXT}@1,4,3,1"
    app = opened("attention", trail=f"{CONTEXT}@1,4,3,20", way=way)
    assert len(data_of(app, "trail_view")["way"]) == 2
    assert state_of(opened("attention", trail="nothing/here@1", way=way)).way == ()


def test_a_cell_outside_of_the_tensor_is_said_in_place() -> None:
    app = opened("attention", trail=f"{CONTEXT}@1,4,99,20")
    assert not app.exception
    assert app.warning[0].value


def test_another_sentence_closes_the_trail() -> None:
    app = opened("attention", trail=f"{CONTEXT}@1,4,3,20")
    app.text_input(key="widget_sentence").set_value("I like you").run()
    assert state_of(app).trail is None


@pytest.mark.parametrize("address", ["output/probabilities", "encoder/0/self_attention/weights"])
def test_the_rows_add_up_to_all_terms(address: str) -> None:
    model = load_model()
    trace = model.trace("I like you")
    place = (0, *[1] * (trace[address].dim() - 1))
    node = unfold(trace, model.transformer, address, place)
    rows = panel.term_rows(node, FigureStyle())
    assert rows[0]["own"]  # the cell's own term stands first, however small
    assert len(rows) <= panel.SHOWN + 1
    assert math.isclose(sum(row["value"] for row in rows), node.contributions.sum(), rel_tol=1e-9)
    assert rows[0]["value"] / node.contributions.sum() == pytest.approx(
        float(trace[address][place]), abs=1e-6
    )


def test_the_walkthrough_opens_at_the_very_cell() -> None:
    model = load_model()
    trace = model.trace(SENTENCE)
    stream = unfold(trace, model.transformer, "encoder/0/feed_forward/output", (0, 7, 5))
    assert selection(trace, stream) == {"token": ("source", 7), "query": 7, "feature": 5}
    weight = unfold(trace, model.transformer, "decoder/1/cross_attention/weights", (0, 3, 2, 4))
    found = selection(trace, weight)
    assert {name: found[name] for name in ("kind", "head", "query", "key")} == {
        "kind": "cross", "head": 3, "query": 2, "key": 4,
    }  # fmt: skip
    joined = unfold(trace, model.transformer, "encoder/0/self_attention/concat", (0, 7, 45))
    assert (selection(trace, joined)["head"], selection(trace, joined)["feature"]) == (1, 17)


@pytest.mark.parametrize("page", ["walkthrough", "vectors", "lab"])
def test_a_model_that_is_not_here_leaves_the_page_whole(page: str) -> None:
    app = opened(page, model="nobody", lab="order", trail="source/input@1,2,3")
    assert "✓" in texts(app)  # the drawer below the page, of the model that is on screen
