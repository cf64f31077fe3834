"""The masks of the Switch page: what the grid shows is the run's own mask; strokes and ways out."""

import base64
import json
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from glassformer import load_model
from glassformer.app.pages.switch.masks.mask_grid import read_strokes, row_labels
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.session.state import State
from glassformer.core.analysis.attention_views import Side, attention_at
from glassformer.core.interventions import Experiment, run
from glassformer.core.interventions.masks import Causal, Fill, Painted
from glassformer.core.trace.trace import Trace
from tests.opened_app import opened, state_of

TEXT = "She bought two red apples yesterday"
PLACE = "encoder/0/self_attention"


def traced(edits: str, text: str = TEXT) -> Trace:
    return run(Experiment.from_text(edits), load_model("translator"), text)


def sent(app: AppTest) -> dict[str, Any]:
    found = [element.proto for element in app.get("bidi_component")]
    proto = next(each for each in found if each.component_name.endswith("mask_grid"))
    data: dict[str, Any] = json.loads(proto.bytes)
    return data


def planes(data: dict[str, Any]) -> list[np.ndarray]:
    """Allowed, mixed, changed, own: (T, S) each."""
    size = data["rows"], data["columns"]
    bits = (np.frombuffer(base64.b64decode(each), np.uint8) for each in data["planes"])
    return [np.unpackbits(each)[: size[0] * size[1]].reshape(size).astype(bool) for each in bits]


def weights(data: dict[str, Any]) -> np.ndarray:
    given = np.frombuffer(base64.b64decode(data["weights"]), np.float32)
    return given.reshape(data["rows"], data["columns"])


def text_of(app: AppTest) -> str:
    return "\n".join(each.value for each in app.markdown)


@pytest.mark.parametrize(
    ("kind", "head", "edits"),
    [
        ("encoder", None, ""),
        ("decoder", 1, "causal:decoder/*/self_attention,!0"),
        ("cross", 2, "painted:decoder/1/cross_attention,(2),((0,1,3)),()"),
        ("encoder", 0, "band:encoder/1/self_attention,(0),-1,1"),
    ],
)
def test_cells_are_those_of_the_run(kind: Any, head: int | None, edits: str) -> None:
    query = {"head": str(head + 1)} if head is not None else {}
    app = opened("switch", switches="masks", text=TEXT, kind=kind, layer="2", edits=edits, **query)
    data, trace, plain = sent(app), traced(edits), traced("")
    where = attention_at(kind, 1)
    chosen = slice(None) if head is None else slice(head, head + 1)
    mask = trace[f"{where}/mask"][0, chosen]
    allowed, mixed, changed, own = planes(data)
    assert np.array_equal(allowed, mask.all(dim=0).numpy())
    assert not mixed.any()
    assert changed.any() == bool(edits)
    assert np.array_equal(own[:1], plain[f"{where}/mask"][0, 0, :1].numpy()[:, : own.shape[1]])
    assert np.array_equal(changed, allowed != own)
    expected = trace[f"{where}/weights"][0, chosen].mean(dim=0).numpy()
    assert np.array_equal(weights(data), expected)
    assert (weights(data)[~allowed] == 0).all()


def test_what_some_heads_may_and_others_not_is_told_apart() -> None:
    app = opened("switch", switches="masks", text=TEXT, edits=f"painted:{PLACE},(1),((0,0,1)),()")
    allowed, mixed, changed, _ = planes(sent(app))
    assert np.argwhere(mixed).tolist() == [[0, 0], [0, 1]]
    assert np.array_equal(mixed, changed)
    assert not allowed[mixed].any()


@pytest.mark.parametrize(("fill", "said"), [("", "14.3%"), ("mask_fill;", "NaN")])
def test_a_closed_row_is_told_with_its_own_numbers_and_opened(fill: str, said: str) -> None:
    edits = f"{fill}painted:{PLACE},(),((2,0,6)),()"
    app = opened("switch", switches="masks", text=TEXT, edits=edits)
    row = traced(edits)[f"{PLACE}/weights"][0, :, 2]
    assert bool(row.isnan().all()) == (said == "NaN")
    assert sent(app)["closed"] == [2]
    assert "two may look nowhere" in text_of(app)
    assert said in text_of(app)
    app.button(key="mask_open_rows").click().run()
    assert not app.exception
    assert state_of(app).edits == fill.rstrip(";")
    assert "may look nowhere" not in text_of(app)


def test_numbers_instead_of_nan_are_one_press_away() -> None:
    edits = f"mask_fill;painted:{PLACE},(),((2,0,6)),()"
    app = opened("switch", switches="masks", text=TEXT, edits=edits)
    app.button(key="mask_to_number").click().run()
    assert Experiment.from_text(state_of(app).edits).switches == (Painted(PLACE, (), ((2, 0, 6),)),)


def test_presets_and_what_they_were_before() -> None:
    app = opened("switch", switches="masks", text=TEXT, head="2")
    app.button(key="mask_neighbours").click().run()
    away = np.subtract.outer(np.arange(7), np.arange(7))
    assert np.array_equal(planes(sent(app))[0], abs(away) <= 1)
    assert state_of(app).edits == f"band:{PLACE},(1),-1,1"
    app.button(key="mask_as_it_was").click().run()
    assert planes(sent(app))[0].all()
    assert app.button(key="mask_as_it_was").disabled


def test_masks_of_the_whole_model() -> None:
    app = opened("switch", switches="masks", text=TEXT, kind="decoder", edits="mask_fill")
    control = next(each for each in app.button_group if each.key == "widget_mask_quick")
    assert control.value == ["causal", "padding_source", "padding_target"]
    control.set_value(["padding_source", "padding_target"]).run()
    assert Experiment.from_text(state_of(app).edits).switches == (Fill(), Causal())
    assert planes(sent(app))[0].all()


def test_a_mask_of_a_longer_sentence_stays_and_the_grid_is_drawn() -> None:
    edits = f"painted:{PLACE},(),((30,0,40)),()"
    app = opened("switch", switches="masks", text="I like you", edits=edits)
    assert not app.exception
    assert planes(sent(app))[0].all()
    assert state_of(app).edits == edits


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kind_and_a_long_sentence(language: str) -> None:
    text = " ".join([TEXT] * 10)
    for kind in ("encoder", "decoder", "cross"):
        app = opened("switch", switches="masks", text=text, kind=kind, language=language)
        assert not app.exception
        assert len(json.dumps(sent(app))) < 256 * 1024


def test_what_is_no_stroke_is_left_out() -> None:
    good = {"number": 2, "place": f"{PLACE}|1", "brush": "cell", "stroke": "hide"}
    good |= {"from": [0, 1], "to": [2, 3]}
    bad = [None, {}, good | {"brush": "x"}, good | {"from": [-1, 0]}, good | {"number": "x"}]
    (found,) = read_strokes({"strokes": [*bad, good]})
    assert (found.place, found.heads, found.first, found.last) == (PLACE, (1,), (0, 1), (2, 3))
    assert read_strokes(None) == ()
    assert State().ones == "look"


def test_long_rows_do_not_say_what_they_write() -> None:
    short = Side(("a", "b"), frozenset(), ("c", "d"))
    assert row_labels(short, FigureStyle()) == ["c (a)", "d (b)"]
    long = Side(("a" * 20, "b"), frozenset(), ("c" * 20, "d"))
    assert row_labels(long, FigureStyle()) == ["a" * 20, "b"]
