"""The heads of the switch page, driven through its widgets, on the numbers of the run."""

from typing import Any

import pytest
import torch
from streamlit.testing.v1 import AppTest

from glassformer import load_model
from glassformer.app.pages.switch.heads.panel import NOBODY
from glassformer.core.analysis.attention_views import attention_at
from glassformer.core.interventions import Experiment, run
from glassformer.core.interventions.experiment import mean_contexts
from glassformer.core.interventions.heads import HeadsOff
from glassformer.core.trace.trace import Trace
from tests.opened_app import drawn, opened, state_of
from tests.sent import data_of, send

TEXT = "The cat likes the dog"
FIRST, CROSS = "encoder/0/self_attention", "decoder/1/cross_attention"


def open_heads(**query: str) -> AppTest:
    return opened("switch", switches="heads", text=TEXT, **query)


def trace_of(app: AppTest) -> Trace:
    trace: Trace = drawn(app)
    return trace


def act(app: AppTest, act: str, kind: str, layer: int | None, head: int | None) -> AppTest:
    return send(app, "head_grid", "act", {"act": act, "kind": kind, "layer": layer, "head": head})


def silent(app: AppTest) -> set[tuple[str, int]]:
    """The heads whose part of `concat`, what W_O multiplies, is exactly zero."""
    trace = trace_of(app)
    wide = trace.config.d_k
    return {
        (address.removesuffix("/concat"), head)
        for address in trace
        if address.endswith("attention/concat")
        for head in range(trace.config.n_heads)
        if not trace[address][..., head * wide : (head + 1) * wide].any()
    }


def marked(app: AppTest, mark: str) -> set[tuple[str, int]]:
    items = data_of(app, "head_grid")["items"]
    return {(attention_at(e["kind"], e["layer"]), e["head"]) for e in items if e[mark]}


def pick(app: AppTest, name: str, value: Any) -> AppTest:
    app.selectbox(key=f"widget_head_{name}").set_value(NOBODY if value is None else value).run()
    assert not app.exception
    return app


def test_a_click_switches_a_head_off_and_on_and_brings_it_into_focus() -> None:
    app = open_heads()
    assert silent(app) == set()
    act(app, "toggle", "cross", 1, 2)
    assert silent(app) == {(CROSS, 2)} == marked(app, "off")
    context = trace_of(app)[f"{CROSS}/context"][0, 2]
    assert torch.equal(context, torch.zeros_like(context))
    now = state_of(app)
    assert (now.kind, now.layer, now.head) == ("cross", 1, 2)
    assert now.edits == HeadsOff(CROSS, (2,)).text == app.query_params["edits"]
    act(app, "toggle", "cross", 1, 0)
    assert silent(app) == {(CROSS, 0), (CROSS, 2)}
    act(app, "toggle", "cross", 1, 2)
    act(app, "toggle", "cross", 1, 0)
    assert silent(app) == set() and state_of(app).edits == ""


def test_a_double_click_leaves_one_head_alone() -> None:
    app = act(open_heads(), "alone", "cross", 1, 3)
    assert silent(app) == {(CROSS, 0), (CROSS, 1), (CROSS, 2)} == marked(app, "off")
    assert marked(app, "alone") == {(CROSS, 3)}
    act(app, "toggle", "cross", 1, 1)
    assert silent(app) == {(CROSS, 0), (CROSS, 2)}
    act(app, "alone", "cross", 1, 1)
    act(app, "alone", "cross", 1, 1)
    assert silent(app) == set()


def test_a_focus_switches_nothing() -> None:
    app = act(open_heads(), "focus", "decoder", 0, 3)
    assert state_of(app).edits == "" and silent(app) == set()
    assert (state_of(app).kind, state_of(app).layer, state_of(app).head) == ("decoder", 0, 3)


@pytest.mark.parametrize(("layer", "layers"), [(0, (0,)), (None, (0, 1))])
def test_a_whole_layer_and_a_whole_kind(layer: int | None, layers: tuple[int, ...]) -> None:
    every = {(f"encoder/{at}/self_attention", head) for at in layers for head in range(4)}
    app = act(open_heads(), "all", "encoder", layer, None)
    assert silent(app) == every == marked(app, "off")
    act(app, "all", "encoder", layer, None)
    assert silent(app) == set()


def test_off_can_mean_the_mean() -> None:
    app = act(open_heads(), "toggle", "encoder", 0, 1)
    app.segmented_control(key="widget_switch_heads_way").set_value("mean").run()
    means = mean_contexts(load_model())[f"{FIRST}/context"][1]  # (K,)
    said = trace_of(app)[f"{FIRST}/context"][0, 1]
    assert torch.equal(said, means.expand_as(said)) and bool(means.any())
    act(app, "toggle", "encoder", 0, 3)
    assert state_of(app).edits == HeadsOff(FIRST, (1, 3), "mean").text
    app.segmented_control(key="widget_switch_heads_way").set_value("zero").run()
    assert silent(app) == {(FIRST, 1), (FIRST, 3)}


def test_a_head_frozen_to_even_weights_and_to_its_own_place() -> None:
    app = pick(open_heads(kind="decoder", layer="2", head="3"), "look", "uniform")
    weights = trace_of(app)["decoder/1/self_attention/weights"][0]
    rows = weights.size(-1)
    allowed = torch.ones(rows, rows).tril()
    assert torch.allclose(weights[2], allowed / allowed.sum(dim=-1, keepdim=True))
    assert not torch.allclose(weights[1], allowed / allowed.sum(dim=-1, keepdim=True))
    assert marked(app, "steered") == {("decoder/1/self_attention", 2)}
    pick(app, "look", "diagonal")
    own = trace_of(app)["decoder/1/self_attention/weights"][0, 2]
    assert torch.equal(own, torch.eye(len(own)))
    pick(app, "look", "own")
    assert state_of(app).edits == ""


def test_a_head_turned_to_one_word_in_all_rows_or_in_one() -> None:
    app = pick(open_heads(kind="cross", layer="2", head="1"), "look", "word")
    pick(app, "key", 4)
    weights = trace_of(app)[f"{CROSS}/weights"][0, 0]  # (T, S)
    one = torch.nn.functional.one_hot(torch.tensor(4), weights.size(-1)).float()
    assert torch.equal(weights, one.expand_as(weights))
    pick(app, "row", 1)
    trace = trace_of(app)
    assert torch.equal(trace[f"{CROSS}/weights"][0, 0, 1], one)
    assert not torch.equal(trace[f"{CROSS}/weights"][0, 0, 0], one)
    assert app.selectbox(key="widget_head_key").value == 4
    pick(app, "row", None)
    assert torch.equal(trace_of(app)[f"{CROSS}/weights"][0, 0, 0], one)


def test_a_menu_always_says_what_is_chosen() -> None:
    """Also no head and all rows are choices: a menu without a value would ask for one."""
    app = pick(open_heads(kind="cross", layer="2", head="1"), "look", "word")
    for name in ("row", "swap"):
        pick(app, name, 1)
        pick(app, name, -1)
        assert app.selectbox(key=f"widget_head_{name}").value == -1
    assert state_of(app).edits == "heads_redirected:decoder/1/cross_attention,(0)"


def test_without_a_head_in_focus_the_whole_layer_looks_there() -> None:
    app = pick(open_heads(kind="encoder", layer="1"), "look", "diagonal")
    weights = trace_of(app)[f"{FIRST}/weights"][0]
    assert torch.equal(weights, torch.eye(weights.size(-1)).expand_as(weights))
    assert app.selectbox(key="widget_head_swap").disabled


def test_two_heads_swapped() -> None:
    plain = load_model().trace(TEXT)
    app = pick(open_heads(kind="encoder", layer="1", head="2"), "swap", 3)
    was, now = plain[f"{FIRST}/weights"][0], trace_of(app)[f"{FIRST}/weights"][0]
    assert torch.equal(now, was[[0, 3, 2, 1]])
    pick(app, "what", "context")
    contexts = plain[f"{FIRST}/context"][0], trace_of(app)[f"{FIRST}/context"][0]
    assert torch.equal(contexts[1], contexts[0][[0, 3, 2, 1]])
    assert torch.equal(trace_of(app)[f"{FIRST}/weights"][0], was)
    pick(app, "swap", 0)
    contexts = plain[f"{FIRST}/context"][0], trace_of(app)[f"{FIRST}/context"][0]
    assert torch.equal(contexts[1], contexts[0][[1, 0, 2, 3]])
    pick(app, "swap", None)
    assert state_of(app).edits == ""


def test_the_heads_sorted_by_what_their_absence_does() -> None:
    base = Experiment.from_text("unscaled:encoder/*")
    app = open_heads(edits=f"{base.text};{HeadsOff(FIRST, (1,)).text}")
    app.segmented_control(key="widget_switch_heads_order").set_value("harm").run()
    assert app.query_params["heads_by"] == "harm"
    items = data_of(app, "head_grid")["items"]
    assert len(items) == 24 and marked(app, "off") == {(FIRST, 1)}
    model = load_model()
    plain = run(base, model, TEXT)
    before = plain["output/logits"][0].double().log_softmax(dim=-1)
    ids = [model.tokenizer.vocabulary.id(piece) for piece in plain.output_pieces]
    sums = []
    for item in items:
        off = HeadsOff(attention_at(item["kind"], item["layer"]), (item["head"],))
        trace = run(base.having(off), model, TEXT, plain.output_text)
        after = trace["output/logits"][0].double().log_softmax(dim=-1)
        sums.append(float((before.exp() * (before - after)).sum(dim=-1).mean()))
        if sums[-1] > 1e-3:
            assert float(item["line"]["harm"]) == pytest.approx(sums[-1], rel=0.006)
        losses = [(before[at, word].exp() - after[at, word].exp()) for at, word in enumerate(ids)]
        at = max(range(len(ids)), key=losses.__getitem__)
        if losses[at] > 1e-3:
            assert item["line"]["word"] == plain.output_tokens[at]
            chances = [f"{100 * float(each[at, ids[at]].exp()):.1f}%" for each in (before, after)]
            assert item["line"]["change"] == " → ".join(chances)
    assert sums == pytest.approx(sorted(sums, reverse=True), abs=1e-5)
    assert [each["line"]["share"] for each in items] == pytest.approx(
        [each / sums[0] for each in sums], abs=1e-3
    )
    order = [(each["kind"], each["layer"], each["head"]) for each in items]
    act(app, "toggle", *order[0])
    again = data_of(app, "head_grid")["items"]
    assert [(each["kind"], each["layer"], each["head"]) for each in again] == order


def test_what_is_sent_is_small() -> None:
    items = data_of(open_heads(), "head_grid")
    assert len(str(items)) < 100_000


def test_a_switch_of_another_model_is_no_crash() -> None:
    app = open_heads(edits="heads_off:encoder/9/self_attention,(1)")
    assert silent(app) == set() == marked(app, "off")
    act(app, "toggle", "encoder", 0, 1)
    assert silent(app) == {(FIRST, 1)}


@pytest.mark.parametrize("run_on_screen", ["", "first"])
def test_the_attention_page_strikes_the_heads_that_were_off(run_on_screen: str) -> None:
    app = opened(
        "attention", kind="cross", layer="2", head="3", text=TEXT,
        edits=HeadsOff(CROSS, (2,)).text, run=run_on_screen,
    )  # fmt: skip
    items = data_of(app, "head_grid")["items"]
    struck = {(each["layer"], each["head"]) for each in items if each["off"]}
    assert struck == ({(1, 2)} if run_on_screen == "" else set())


def test_the_attention_page_switches_the_head_in_focus() -> None:
    app = opened("attention", kind="cross", layer="2", head="3", text=TEXT)
    app.button(key="attention_off").click().run()
    assert silent(app) == {(CROSS, 2)}
    assert app.button(key="attention_off").label == "turn on"
    app.button(key="attention_off").click().run()
    assert silent(app) == set()
    assert opened("attention", kind="cross", layer="2").button(key="attention_off").disabled


def test_the_page_in_chinese() -> None:
    app = open_heads(language="zh", head="2", heads_by="harm")
    assert data_of(app, "head_grid")["items"][0]["short"].endswith(" 头")
