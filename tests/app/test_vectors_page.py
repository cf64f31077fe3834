"""The Vectors page: what is shown equals what plain torch makes of the recorded tensors."""

import base64
import json
from typing import Any

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from glassformer.app.pages.vectors import focus as focus_of
from glassformer.app.plots.labels import format_number, format_percent
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.session.state import VECTORS
from glassformer.core.text_models.checkpoints import load_model
from glassformer.core.trace.trace import Trace
from tests.opened_app import drawn, opened, state_of

TEXTS = ("I like you", "我 喜欢 你", "hello")
STACKS = ("encoder", "decoder")


def page(question: str, /, **query: str) -> AppTest:
    return opened("vectors", vectors=question, **query)


def component(app: AppTest, name: str) -> dict[str, Any]:
    found = [element.proto for element in app.get("bidi_component")]
    data = next(proto for proto in found if proto.component_name.endswith(name))
    parsed: dict[str, Any] = json.loads(data.bytes)
    return parsed


def tables(app: AppTest) -> list[dict[str, Any]]:
    found = [element.proto for element in app.get("bidi_component")]
    return [json.loads(each.bytes) for each in found if each.component_name.endswith("bar_table")]


def said(app: AppTest) -> str:
    return "\n".join(each.value for each in (*app.markdown, *app.caption, *app.warning))


def stream_of(trace: Trace, stack: str) -> list[str]:
    """The addresses along depth, written out for a post-norm model of two layers."""
    parts = ["self_attention", "feed_forward"]
    if stack == "decoder":
        parts.insert(1, "cross_attention")
    start = "source" if stack == "encoder" else "target"
    after = [f"{stack}/{layer}/{part}_norm/output" for layer in (0, 1) for part in parts]
    return [f"{start}/input", *after]


@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("text", TEXTS)
def test_every_number_of_the_stream(text: str, stack: str) -> None:
    app = page("stream", text=text, stack=stack)
    trace, grid = drawn(app), component(app, "depth_grid")
    states = torch.stack([trace[each][0].double() for each in stream_of(trace, stack)])  # (N, T, D)
    lengths = states.norm(dim=-1).T
    cosines = torch.cosine_similarity(states, states[-1:], dim=-1).T
    assert grid["cells"]["main"] == [
        [format_number(float(each)) for each in row] for row in lengths
    ]
    for row, shown in zip(cosines, grid["cells"]["arrows"], strict=True):
        assert [cosine for _, cosine in shown] == pytest.approx(row.tolist(), abs=1e-4)
    longest = float(lengths.max())
    sizes = np.array([[length for length, _ in row] for row in grid["cells"]["arrows"]])
    assert sizes * longest == pytest.approx(lengths.numpy(), abs=longest * 1e-4)


@pytest.mark.parametrize("stack", STACKS)
def test_what_each_sublayer_adds(stack: str) -> None:
    side = "source" if stack == "encoder" else "target"
    app = page("stream", text=TEXTS[0], stack=stack, token=f"{side}:2")
    trace = drawn(app)
    assert state_of(app).token == (side, 1)
    final = trace[stream_of(trace, stack)[-1]][0, 1].double()
    rows = tables(app)[0]["rows"]
    for row, address in zip(rows, stream_of(trace, stack)[1:], strict=True):
        where = address.removesuffix("_norm/output")
        x = trace[f"{where}_residual/stream"][0, 1].double()
        f = trace[f"{where}/output"][0, 1].double()
        cosine = [torch.cosine_similarity(f, each, dim=0).item() for each in (x, final)]
        length, added, ratio, with_stream, with_final = row["texts"][1:]
        assert ratio == f"{format_number((f.norm() / x.norm()).item())}×"
        assert (length, added) == (format_number(x.norm().item()), format_number(f.norm().item()))
        assert [_number(with_stream), _number(with_final)] == pytest.approx(cosine, abs=6e-3)


def _number(text: str) -> float:
    """Of "−0.5" and "2.87×10⁻⁵" what they say."""
    plain = text.replace("−", "-").replace("×10", "e")
    return float(plain.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")))


@pytest.mark.parametrize("text", TEXTS)
def test_every_number_of_the_lens(text: str) -> None:
    app = page("lens", text=text, token="target:1")
    trace, view = drawn(app), component(app, "lens_depth")
    model = load_model().transformer
    states = torch.stack([trace[each][0, 0] for each in stream_of(trace, "decoder")])  # (N, D)
    with torch.no_grad():
        chances = model.generator(states).double().softmax(-1)  # (N, V)
    word = trace.vocabulary.index(trace.output_pieces[0])
    for row, chance in zip(view["rows"], chances, strict=True):
        best = chance.topk(5).values.tolist()
        assert [each[1] for each in row["words"]] == [format_percent(each) for each in best]
        assert row["rank"] == str(1 + int((chance > chance[word]).sum()))
        entropy = -(chance * chance.log()).sum().item()
        assert _number(row["entropy"]) == pytest.approx(entropy, rel=6e-3, abs=1e-3)
    assert view["rows"][-1]["words"][0][3]  # the model writes its most probable word
    assert "post-norm model only the last state" in said(app)


@pytest.mark.parametrize("stack", STACKS)
def test_every_number_of_the_neurons(stack: str) -> None:
    side = "source" if stack == "encoder" else "target"
    app = page("neurons", text=TEXTS[0], stack=stack, layer="2", token=f"{side}:1")
    trace, view = drawn(app), component(app, "neuron_map")
    recorded = trace[f"{stack}/1/feed_forward/activation"][0].numpy()
    shown = np.frombuffer(base64.b64decode(view["values"]), "<f4").reshape(len(recorded), -1)
    assert np.array_equal(shown, recorded[:, view["units"]])
    assert set(view["units"]) == set(np.flatnonzero(recorded.max(axis=0) > 0))
    shares = (recorded > 0).mean(axis=1)
    assert [share for share, _ in view["shares"]] == pytest.approx(shares.tolist())
    best, words = tables(app)
    order = np.argsort(-recorded[0], kind="stable")[:6]
    assert [row["key"] for row in best["rows"]] == order.tolist()
    w_2 = dict(load_model().transformer.named_parameters())
    row = w_2[f"{stack}.layers.1.feed_forward.w_2.weight"].detach().double()[:, order[0]]
    if stack == "decoder":
        values = load_model().transformer.generator.weight.detach().double() @ row
    else:
        table = load_model().transformer.source_embedding.table.weight.detach().double()
        values = torch.nan_to_num(torch.cosine_similarity(table, row[None], dim=-1))
    up, down = values.topk(5).values, values.topk(5, largest=False).values.flip(0)
    expected = [*up.tolist(), *down.tolist()]
    assert [each["values"][1] for each in words["rows"]] == pytest.approx(expected, abs=1e-5)
    assert words["columns"][1]["mark"] > 0


def test_a_unit_of_the_encoder_promotes_nothing() -> None:
    assert "never reaches the generator" in said(page("neurons", text=TEXTS[0]))
    assert "random directions" in said(page("neurons", text=TEXTS[0], stack="decoder"))


def test_one_selection_for_all_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    changes: list[dict[str, Any]] = []
    app = page("stream", text=TEXTS[0], token="source:2")
    now = state_of(app)
    found = focus_of.VectorsFocus(now, drawn(app), FigureStyle(), "encoder")
    monkeypatch.setattr(focus_of.store, "get_state", lambda: now)
    monkeypatch.setattr(focus_of.store, "update", lambda **given: changes.append(given))
    focus_of.pick_word(found, 0)
    focus_of.pick_word(found, 1)
    focus_of.pick_word(found, 2, "source/input")
    assert changes == [
        {"token": ("source", 0)}, {"token": None},
        {"token": ("source", 2), "address": "source/input"},
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("edits", "note"),
    [
        ("", "In a post-norm model"),
        ("norm_place", "not even the last"),
        ("norm_place:pre,!1", "not even the last"),
    ],
)
def test_the_lens_says_what_the_model_was_trained_to_read(edits: str, note: str) -> None:
    app = page("lens", edits=edits)
    assert [note in warning.value for warning in app.warning] == [True]


def test_a_question_that_is_not_there_gives_the_first() -> None:
    app = page("song")
    assert state_of(app).vectors == VECTORS[0]
    assert app.session_state["dropped"] == ("vectors=song",)


@pytest.mark.parametrize("question", ["stream", "lens", "neurons"])
@pytest.mark.parametrize("text", ["<b>x</b> </s> $x$ &lt;", "the cat the cat"])
def test_odd_sentences_are_drawn(question: str, text: str) -> None:
    app = page(question, text=text, language="zh", stack="decoder", head="3", feature="300")
    assert drawn(app).source_text == text
    panels = [each.proto.bytes for each in app.get("bidi_component")]
    assert sum(map(len, panels)) < 256 * 1024
