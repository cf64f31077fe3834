"""The tensors page with the bundled model, without a browser."""

import base64
import json
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from glassformer.app.pages.tensors.controls import FIRST
from glassformer.app.pages.tensors.telling import cell_levels
from glassformer.app.session.state import State
from tests.opened_app import drawn, opened
from tests.sent import data_of, send

MASKED = "decoder/0/self_attention/masked"


@pytest.fixture
def open_tensors() -> Callable[..., AppTest]:
    return partial(opened, "tensors", address=FIRST)


def code(app: AppTest) -> str:
    value: str = app.code[0].value
    return value


def chart(app: AppTest, number: int = 0) -> dict[str, Any]:
    spec: dict[str, Any] = json.loads(app.get("plotly_chart")[number].proto.spec)
    return spec


def markdown(app: AppTest) -> str:
    return "\n".join(element.value for element in app.markdown)


def test_attention_weights_are_shown_first(open_tensors: Callable[..., AppTest]) -> None:
    app = open_tensors()
    assert 'trace["encoder/0/self_attention/weights"][0, 0]' in code(app)
    assert chart(app)["data"][0]["zmin"] == 0
    assert "How much each position looks at each other one" in markdown(app)
    assert len(app.get("plotly_chart")) == 2


def test_a_link_brings_address_axes_and_pins(open_tensors: Callable[..., AppTest]) -> None:
    app = open_tensors(address=MASKED, axes="key,query", head="2", language="zh")
    assert f'trace["{MASKED}"][0, 1].T' in code(app)
    assert "解码器 › 第 1 层 › 自注意力" in markdown(app)
    assert "斜线" in markdown(app)
    assert any("fillpattern" in drawn for drawn in chart(app)["data"])


def test_axes_exchange_places(open_tensors: Callable[..., AppTest]) -> None:
    app = open_tensors(address=MASKED)
    app.selectbox(key="widget_tensor_rows").set_value("key").run()
    assert app.session_state["state"].axes == ("key", "query")
    app.selectbox(key="widget_tensor_columns").set_value("head").run()
    assert app.session_state["state"].axes == ("key", "head")
    assert app.query_params["axes"] == "key,head"


def test_the_head_in_focus_is_the_one_of_every_page(open_tensors: Callable[..., AppTest]) -> None:
    app = open_tensors()
    app.select_slider(key="widget_tensor_pin_head").set_value(2).run()
    assert app.session_state["state"].head == 2
    assert code(app).endswith("[0, 2]")


def test_another_index_is_pinned(open_tensors: Callable[..., AppTest]) -> None:
    app = open_tensors(axes="head,key")
    app.select_slider(key="widget_tensor_pin_query").set_value(3).run()
    assert app.session_state["state"].pins == (("query", 3),)
    assert app.query_params["pins"] == "query:4"
    assert code(app).endswith("[0, :, 3]")


def test_a_pin_beyond_a_shorter_sentence_goes_to_its_end(
    open_tensors: Callable[..., AppTest],
) -> None:
    app = open_tensors(text="I like you", axes="head,key", pins="query:60")
    assert code(app).endswith("[0, :, 3]")


@pytest.mark.parametrize("form", ["table", "exact"])
def test_numbers_as_a_table(open_tensors: Callable[..., AppTest], form: str) -> None:
    app = open_tensors(text="I like you", form=form)
    table = app.dataframe[0].value
    assert table.shape == (4, 4)
    assert table.to_numpy().sum(axis=1) == pytest.approx([1] * 4, abs=1e-5)
    assert len(app.get("plotly_chart")) == 1


@pytest.mark.parametrize(("form", "sign"), [("table", "▨"), ("exact", "▨ −1000000000")])
def test_a_forbidden_score_is_no_number_in_a_table(
    open_tensors: Callable[..., AppTest], form: str, sign: str
) -> None:
    app = open_tensors(address=MASKED, form=form)
    table = app.dataframe[0]
    assert table.proto.placeholder == sign
    assert (np.isnan(table.value.to_numpy()) == ~np.tri(len(table.value), dtype=bool)).all()
    assert table.proto.arrow_data.styler.display_values
    assert "each −1×10⁹" in markdown(app)


def test_every_address_of_the_run_can_be_shown(open_tensors: Callable[..., AppTest]) -> None:
    app = open_tensors(text="I like you")
    for address in list(drawn(app))[::7]:
        app.query_params["address"] = address
        app.run()
        assert not app.exception, address
        assert f'trace["{address}"]' in code(app)


def test_the_tree_of_a_run_is_sent_once(open_tensors: Callable[..., AppTest]) -> None:
    app = open_tensors()
    tree = data_of(app, "address_tree")
    assert tree["picked"] == FIRST and data_of(app, "picked_address") == {"address": FIRST}
    app = send(app, "address_tree", "pick", MASKED)
    assert data_of(app, "address_tree") == tree
    assert data_of(app, "picked_address") == {"address": MASKED}
    app.text_input(key="widget_sentence").set_value("I like you").run()
    other = data_of(app, "address_tree")
    assert other["lines"] != tree["lines"] and other["picked"] == MASKED


def test_vocabulary_offers_the_largest_first(open_tensors: Callable[..., AppTest]) -> None:
    app = open_tensors(address="output/probabilities")
    part = app.selectbox(key="widget_tensor_part_vocabulary")
    assert len(chart(app)["layout"]["yaxis"]["ticktext"]) == 24
    part.set_value(-1).run()
    assert not app.exception
    assert len(chart(app)["layout"]["yaxis"]["ticktext"]) <= 256
    assert "neighbours" in markdown(app)
    assert app.query_params["part"] == "vocabulary:all"


def test_a_link_brings_the_part_of_a_long_axis(open_tensors: Callable[..., AppTest]) -> None:
    app = open_tensors(address="output/probabilities", part="vocabulary:257,hidden:all")
    part = app.selectbox(key="widget_tensor_part_vocabulary")
    assert part.value == 256
    part.set_value(-2).run()
    assert app.session_state["state"].part == (("hidden", -1),)
    beyond = open_tensors(address="output/probabilities", part="vocabulary:999000")
    assert beyond.selectbox(key="widget_tensor_part_vocabulary").value == -2


def test_wrong_links_are_said_and_left_out(open_tensors: Callable[..., AppTest]) -> None:
    app = open_tensors(address="encoder/99/nose", axes="nose,ear", pins="head:0", form="song")
    assert app.session_state["state"] == State()
    assert not app.get("plotly_chart")  # the telling ones are shown


@pytest.mark.parametrize(
    "text", ["<b>x</b> <s> </s> the the", "$x$ &lt; :red[a] `b`", "我 爱 机器 学习", "no"]
)
def test_odd_words_are_literal_in_the_picture(
    open_tensors: Callable[..., AppTest], text: str
) -> None:
    app = open_tensors(text=text)
    names = chart(app)["layout"]["yaxis"]["ticktext"]
    assert not any(name.count("<") for name in names)
    assert "\n".join(names).count("&lt;eos&gt;") == 1


def test_the_page_opens_with_a_few_telling_tensors_in_reading_order() -> None:
    app = opened("tensors")
    run, cards = drawn(app), data_of(app, "telling")["cards"]
    assert [card["address"] for card in cards] == [
        "source/embedding",
        "source/positions",
        "encoder/1/self_attention/weights",
        "memory",
        "decoder/1/feed_forward_norm/output",
        "output/probabilities",
    ]
    it, animal = run.source_tokens.index("it"), run.source_tokens.index("animal")
    weights = run["encoder/1/self_attention/weights"][0, 0].numpy()
    assert cards[2]["about"] == f"“it” looks at “animal”: {weights[it, animal]:.1%}."
    sent = np.frombuffer(base64.b64decode(cards[2]["levels"]), np.uint8).reshape(weights.shape)
    assert sent == pytest.approx(254 * weights / weights.max(), abs=0.51)
    assert data_of(app, "picked_address") == {"address": ""}
    app = send(app, "telling", "pick", {"address": "encoder/1/self_attention/weights"})
    now = app.session_state["state"]
    assert (now.kind, now.layer, now.head) == ("encoder", 1, 0)
    assert 'trace["encoder/1/self_attention/weights"][0, 0]' in code(app)
    app.button(key="widget_tensors_telling").click().run()
    assert app.session_state["state"].address == ""
    assert len(data_of(app, "telling")["cards"]) == 6


def test_signed_pictures_have_nothing_in_the_middle() -> None:
    assert cell_levels(np.array([[-2.0, 0.0, 1.0]])).tolist() == [[0, 127, 190]]
    assert cell_levels(np.array([[0.0, 0.5, 1.0]])).tolist() == [[0, 127, 254]]
    assert cell_levels(np.full((2, 300), np.nan)).max() == 0
