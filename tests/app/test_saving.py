"""“Save…”: what a page shows stands first, and the lines of Python compute it again."""

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from glassformer import load_model
from glassformer.core.interventions import Experiment
from glassformer.core.interventions.heads import HeadsOff
from tests.opened_app import drawn, opened

SENTENCE = 'Tom said "it\'s \\ late"'


def asked(page: str = "translate", **query: str) -> AppTest:
    app = opened(page, **query)
    app.button("widget_saving").click().run()
    assert not app.exception
    return app


def table_of(app: AppTest) -> pd.DataFrame:
    held: dict[str, pd.DataFrame] = {}
    exec(app.code[-1].value, held)
    return held["table"]


@pytest.mark.parametrize(
    ("page", "query", "first"),
    [
        ("translate", {}, "decoder/1/cross_attention/weights"),
        ("attention", {"kind": "decoder", "stage": "scaled"}, "decoder/0/self_attention/scaled"),
        ("vectors", {"stack": "decoder"}, "target/positions"),
        (
            "walkthrough",
            {"walk": "encoder.0.feed_forward.activation"},
            "encoder/0/feed_forward/activation",
        ),
        ("tensors", {"address": "memory"}, "memory"),
        ("decoding", {}, "decoder/1/cross_attention/weights"),
    ],
)
def test_what_a_page_shows_comes_first_and_its_lines_compute_it(
    page: str, query: dict[str, str], first: str
) -> None:
    app = asked(page, **query)
    picker = app.selectbox("widget_saving_tensor")
    assert picker.value == first
    assert len(picker.options) == len(drawn(app))
    head = {"head": int(app.query_params["head"][0])} if "head" in app.query_params else {}
    expected = drawn(app).table(first, **head)
    pd.testing.assert_frame_equal(table_of(app), expected)


def test_the_lines_of_a_head_hold_it_and_those_of_a_switched_run_switch_it() -> None:
    off = Experiment((HeadsOff("decoder/1/cross_attention", (0, 2)),))
    place = {"kind": "cross", "layer": "2", "head": "2"}
    app = asked("attention", edits=off.text, model="translator-plain", **place)
    weights = "decoder/1/cross_attention/weights"
    table = table_of(app)
    pd.testing.assert_frame_equal(table, drawn(app).table(weights, head=1))
    app = asked("tensors", address="output/logits", edits=off.text, model="translator-plain")
    switched = table_of(app)
    pd.testing.assert_frame_equal(switched, drawn(app).table("output/logits"))
    plain = load_model("translator-plain").trace(drawn(app).source_text)
    assert not switched["value"].equals(plain.table("output/logits")["value"])


def test_whatever_was_typed_the_lines_are_python() -> None:
    app = asked(text=SENTENCE)
    assert drawn(app).source_text == SENTENCE
    pd.testing.assert_frame_equal(
        table_of(app), drawn(app).table("decoder/1/cross_attention/weights")
    )


@pytest.mark.parametrize("page", ["training", "lab"])
def test_pages_with_runs_of_their_own_offer_pictures_alone(page: str) -> None:
    assert not asked(page).code
