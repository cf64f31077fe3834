"""The attention page with the bundled model, without a browser."""

import base64
import json
import re
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from glassformer.app.panels.attention import focus, picture
from glassformer.app.plots.labels import format_number
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.session.state import KINDS, State
from glassformer.app.ui.chart import Click
from glassformer.core.analysis import attention_views
from glassformer.core.analysis.head_roles import ROLES
from glassformer.core.interventions import Experiment, run
from glassformer.core.interventions.heads import HeadsOff
from glassformer.core.text_models.checkpoints import load_model
from tests.opened_app import drawn, opened, state_of

PAPER_STAGES = ("scores", "scaled", "masked", "weights")  # no distances are added


@pytest.fixture
def open_page() -> Callable[..., AppTest]:
    return partial(opened, "attention")


def charts(app: AppTest) -> list[dict[str, Any]]:
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


def large(app: AppTest) -> dict[str, Any]:
    return next(chart for chart in charts(app) if "xaxis2" in chart["layout"] and _is_map(chart))


def _is_map(chart: dict[str, Any]) -> bool:
    return [trace["type"] for trace in chart["data"][:2]] == ["heatmap", "heatmap"]


def numbers(array: dict[str, str]) -> np.ndarray:
    values = np.frombuffer(base64.b64decode(array["bdata"]), np.dtype(array["dtype"]))
    return values.reshape([int(side) for side in array["shape"].split(",")])


def cells(app: AppTest) -> np.ndarray:
    words, marks = (numbers(trace["z"]) for trace in large(app)["data"][:2])
    return np.where(np.isnan(words), marks, words)


def markdown(app: AppTest) -> str:
    return "\n".join(element.value for element in (*app.markdown, *app.latex, *app.caption))


def component(app: AppTest, name: str) -> dict[str, Any]:
    found = [element.proto for element in app.get("bidi_component")]
    data = next(proto for proto in found if proto.component_name.endswith(name))
    parsed: dict[str, Any] = json.loads(data.bytes)
    return parsed


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("stage", PAPER_STAGES)
def test_what_is_drawn_is_what_was_recorded(
    open_page: Callable[..., AppTest], kind: str, stage: str
) -> None:
    app = open_page(kind=kind, stage=stage, layer="2", head="3", text="I like you")
    recorded = drawn(app)[f"{attention_views.attention_at(kind, 1)}/{stage}"][0, 2].numpy()  # type: ignore[arg-type]
    assert np.array_equal(cells(app), recorded)


def test_the_first_visit_explains_itself(open_page: Callable[..., AppTest]) -> None:
    shown = markdown(open_page())
    assert "Layer 2 · Head 1" in shown
    assert "as an example. Click any cell" in shown
    assert "encoder/1/self_attention/weights" in shown
    assert "Pick a head" not in shown
    shown = markdown(open_page(opens="picked"))
    assert "Layer 1 · mean of its heads" in shown
    assert "Pick a head" in shown
    assert "encoder/0/self_attention/weights" in shown


def test_sorted_by_a_role_says_which_head_and_what_their_mean_has(
    open_page: Callable[..., AppTest],
) -> None:
    app = open_page(order="diagonal", kind="encoder")
    maps = [drawn(app)[f"encoder/{layer}/self_attention/weights"][0].numpy() for layer in (0, 1)]
    own = np.array([[np.diag(head).mean() for head in heads] for heads in maps])  # (L, H)
    layer, head = divmod(int(own.argmax()), own.shape[1])
    softened = np.diag(maps[layer].mean(axis=0)).mean()
    assert softened < own.max()
    said = markdown(app)
    assert f"Most in **Layer {layer + 1} · Head {head + 1}**: {own.max():.1%}" in said
    assert f"mean of that layer’s heads has {softened:.1%}" in said
    assert "Most in" not in markdown(open_page(kind="encoder"))


def top(app: AppTest) -> str:
    found = (each.proto.body for each in app.get("html"))
    line = next(body for body in found if "on-top" in body)
    return re.sub(r"<[^>]+>", "", line)


def test_the_sentence_on_top_says_what_the_head_does_here(
    open_page: Callable[..., AppTest],
) -> None:
    app = open_page()
    run = drawn(app)
    it, animal = run.source_tokens.index("it"), run.source_tokens.index("animal")
    share = run["encoder/1/self_attention/weights"][0, 0, it, animal].item()
    assert share > 0.5
    assert top(app) == f"Head 1 of encoder layer 2 looks from it at animal ({share:.1%})"
    app = open_page(kind="cross", layer="2", query="4", key="6")
    run = drawn(app)
    share = run["decoder/1/cross_attention/weights"][0, :, 3, 5].mean().item()
    assert top(app) == (
        f"The heads of cross-attention layer 2: writing {run.output_tokens[3]} (has read "
        f"{run.target_tokens[3]}), they look at {run.source_tokens[5]} ({share:.1%} on average)"
    )


def test_the_controls_change_the_state_and_the_link(open_page: Callable[..., AppTest]) -> None:
    app = open_page(layer="2", head="1")
    for name, value in (("kind", "cross"), ("stage", "scaled"), ("terms", "dimension")):
        app.segmented_control(key=f"widget_attention_{name}").set_value(value).run()
        assert not app.exception
        assert getattr(state_of(app), name) == value
        assert app.query_params[name] == value
    app.toggle(key="widget_attention_sinks").set_value(True).run()
    assert state_of(app).sinks == "apart"
    assert app.query_params["sinks"] == "apart"
    app.selectbox(key="widget_attention_order").set_value("next").run()
    assert state_of(app).order == "next"
    app.segmented_control(key="widget_attention_view").set_value("heads").run()
    assert state_of(app).view == "heads"
    assert not app.exception


def test_a_pinned_cell_is_spelled_out(open_page: Callable[..., AppTest]) -> None:
    app = open_page(layer="1", head="2", query="3", key="5")
    cell = drawn(app).pick("encoder/0/self_attention/weights", head=1, query=2, key=4).item()
    shown = markdown(app)
    assert "Pinned" in shown
    assert format_number(cell).partition("×10")[0] in shown
    assert large(app)["layout"]["shapes"][-1]["x0"] == 3.5
    terms = next(chart for chart in charts(app) if chart["data"][0].get("texttemplate"))
    score = drawn(app).pick("encoder/0/self_attention/scores", head=1, query=2, key=4).item()
    assert _bars(terms).sum() == pytest.approx(score, abs=1e-4)


def _bars(chart: dict[str, Any]) -> np.ndarray:
    array = chart["data"][1]["x"]
    return np.frombuffer(base64.b64decode(array["bdata"]), np.dtype(array["dtype"]))


@pytest.mark.parametrize(
    ("stage", "title"),
    list(zip(PAPER_STAGES, ("Score", "Scaled score", "Masked score", "Weight"), strict=True)),
)
def test_the_mean_shows_the_cell_of_the_stage_in_every_head(
    open_page: Callable[..., AppTest], stage: str, title: str
) -> None:
    app = open_page(layer="2", query="2", key="2", stage=stage)
    recorded = drawn(app)[f"encoder/1/self_attention/{stage}"][0, :, 1, 1].numpy()
    found = [chart for chart in charts(app) if len(chart["data"]) == 1]
    bars = found[0]["data"][0]["x"]
    shown = np.frombuffer(base64.b64decode(bars["bdata"]), np.float32)
    assert shown == pytest.approx(recorded)
    assert f"**{title} in each head**" in markdown(app)


def test_the_mean_of_a_forbidden_cell_says_forbidden(open_page: Callable[..., AppTest]) -> None:
    app = open_page(kind="decoder", query="2", key="4", stage="masked")
    found = [chart["layout"].get("annotations", []) for chart in charts(app)]
    texts = [note["text"] for notes in found for note in notes]
    assert texts.count("forbidden") == 4


def test_in_the_decoder_the_first_key_is_the_start_flag(open_page: Callable[..., AppTest]) -> None:
    for kind, name in (
        ("decoder", "begin token"),
        ("encoder", "first word"),
        ("cross", "first word"),
    ):
        names = [
            chart["layout"]["yaxis"]["ticktext"]
            for chart in charts(open_page(kind=kind))
            if "begin, end,<br>punctuation" in chart["layout"]["yaxis"].get("ticktext", [])
        ]
        assert names[0][3].replace("<br>", " ") == name


def test_the_example_says_what_it_is(open_page: Callable[..., AppTest]) -> None:
    trace = load_model().trace(State().text)
    places, said = attention_views.attention_sides(trace, "encoder"), dict[str, dict[str, str]]()
    for layer, head in product(range(2), range(4)):
        view = attention_views.head_map(trace, "encoder", layer, head, "weights")
        words = attention_views.strongest_cell(view.weights, *places)
        name = "largest weight after softmax"
        if words != attention_views.largest_cell(view.weights):
            name += " apart from begin token, end"
        said[name] = {"layer": str(layer + 1), "head": str(head + 1)}
    assert len(said) == 2  # heads of both kinds are there
    for name, query in said.items():
        shown = markdown(open_page(**query))
        assert name in shown and (("apart from" in shown) == ("apart from" in name))
    assert "一格为例" in markdown(open_page(language="zh"))


def test_a_click_pins_a_cell_and_a_second_one_releases_it(monkeypatch: pytest.MonkeyPatch) -> None:
    pins: list[dict[str, Any]] = []
    now = State()
    monkeypatch.setattr(focus.store, "get_state", lambda: now)
    monkeypatch.setattr(focus.store, "update", lambda **changes: pins.append(changes))
    picture.pin_clicked_cell(Click("attention_large", 3, 2, 0, None))
    picture.pin_clicked_cell(Click("attention_large", 0.5, 2, 3, None))  # a bar is no cell
    assert pins == [{"query": 2, "key": 3}]
    now = State(query=2, key=3)
    picture.pin_clicked_cell(Click("attention_large", 3, 2, 1, None))
    assert pins[-1] == {"query": None, "key": None}


def test_a_word_in_the_lines_is_pinned_with_its_partner(
    open_page: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = drawn(open_page(view="lines", kind="cross"))
    weights = trace["decoder/0/cross_attention/weights"][0].mean(0)
    pins: list[dict[str, Any]] = []
    monkeypatch.setattr(picture.store, "update", lambda **changes: pins.append(changes))

    def pressed(side: str, place: int, **pinned: int) -> dict[str, Any]:
        now = State(kind="cross", view="lines", **pinned)  # type: ignore[arg-type]
        picture.pin_word(focus.AttentionFocus(now, trace, FigureStyle()), side, place)
        return pins[-1]

    assert pressed("query", 2) == {"query": 2, "key": int(weights[2].argmax())}
    assert pressed("key", 1) == {"query": int(weights[:, 1].argmax()), "key": 1}
    assert pressed("key", 4, query=2, key=0) == {"key": 4}
    assert pressed("query", 2, query=2, key=0) == {"query": None, "key": None}


@pytest.mark.parametrize("role", ROLES)
def test_heads_can_be_ranked_by_what_they_do(open_page: Callable[..., AppTest], role: str) -> None:
    grid = component(open_page(order=role), "head_grid")
    shares = [item["share"] for item in grid["items"]]
    assert len(shares) == 8
    assert all(share.endswith("%") for share in shares)
    assert {item["name"] for item in grid["items"]} == {
        f"Layer {layer} · Head {head}" for layer in (1, 2) for head in (1, 2, 3, 4)
    }


def test_lines_have_one_head_the_mean_or_every_head(open_page: Callable[..., AppTest]) -> None:
    for query, names in (
        ({"view": "lines", "head": "2"}, ["Layer 1 · Head 2"]),
        ({"view": "lines", "opens": "picked"}, ["Layer 1 · mean of its heads"]),
        ({"view": "heads", "opens": "picked"}, [f"Layer 1 · Head {head}" for head in (1, 2, 3, 4)]),
    ):
        data = component(open_page(**query), "attention_lines")
        assert [head["name"] for head in data["heads"]] == names


def test_the_page_in_chinese(open_page: Callable[..., AppTest]) -> None:
    shown = markdown(open_page(language="zh", kind="decoder", stage="masked", head="1"))
    assert "**第 1 层 · 第 1 头**" in shown
    assert "斜线：被掩码禁止，不是零。" in shown


@pytest.mark.parametrize(
    "text", ["hello", "<b>x</b> <s> </s> $x$ &lt; 🙂", "the cat the cat the cat", "我 爱 你 。"]
)
@pytest.mark.parametrize("view", ["matrix", "lines", "heads"])
def test_odd_sentences_are_drawn(open_page: Callable[..., AppTest], text: str, view: str) -> None:
    app = open_page(text=text, view=view, kind="cross", head="1")
    assert drawn(app).source_text == text
    if view == "matrix":
        assert len(cells(app)) == len(drawn(app).target_tokens)


def test_a_link_beyond_the_sentence_is_said_and_left_out(open_page: Callable[..., AppTest]) -> None:
    app = open_page(query="50", key="2", layer="9", order="song", terms="x")
    assert state_of(app).query is None
    assert "query “50”" in markdown(app)


def words_without_the_head(app: AppTest) -> list[str]:
    """What is said of them beside the switch."""
    begins = ("Without this head: ", "Without this head the words ")
    return [each.value for each in app.markdown if each.value.startswith(begins)]


@pytest.mark.parametrize("layer", [1, 2])
def test_what_became_of_the_words_stands_beside_the_switch(
    open_page: Callable[..., AppTest], layer: int
) -> None:
    text, model = "The animal didn't cross the street because it was too tired", load_model()
    app = open_page(kind="cross", layer=str(layer), head="1")
    assert words_without_the_head(app) == []
    app.button(key="attention_off").click().run()
    (said,) = words_without_the_head(app)
    off = Experiment((HeadsOff(f"decoder/{layer - 1}/cross_attention", (0,)),))
    before, after = model.trace(text).output_text, run(off, model, text).output_text
    assert before in said and after in said
    assert ("became" in said) == (before != after)
    app.button(key="attention_off").click().run()
    assert words_without_the_head(app) == []
