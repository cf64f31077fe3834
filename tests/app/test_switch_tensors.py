"""The form for tensors, without a browser: what it says it will do, does, and refuses."""

import pytest
from streamlit.testing.v1 import AppTest

from glassformer import load_model
from glassformer.app.pages.switch.tensor_draft import UnreadableError, parse_places
from glassformer.core.interventions import Experiment, run
from glassformer.core.interventions.tensors import TensorNoise, TensorPatch, TensorScale, TensorSet
from glassformer.core.trace.sites import Axis
from tests.opened_app import opened, state_of

MODEL = load_model()
WIDTH = MODEL.config.d_model
CAT, DOG = "I have a cat", "I have a dog"
OUTPUT = "encoder/0/feed_forward/output"
WEIGHTS = "encoder/1/self_attention/weights"
ALL = 5 * WIDTH  # the numbers of `OUTPUT`: of four words and the end of the sentence


def at(address: str, **more: str) -> AppTest:
    return opened("switch", switches="tensors", text=CAT, address=address, **more)


def said(app: AppTest) -> str:
    return "\n".join(each.value for each in app.markdown)


def apply(app: AppTest) -> None:
    app.button(key="tensor_apply").click().run()
    assert not app.exception


def changed(switch: object, address: str) -> int:
    after = run(Experiment((switch,)), MODEL, CAT)[address]  # type: ignore[arg-type]
    return int((after != MODEL.trace(CAT)[address]).sum())


def test_some_cells_are_set() -> None:
    app = at(WEIGHTS)
    app.multiselect(key="widget_tensor_at_head").set_value([1]).run()
    app.multiselect(key="widget_tensor_at_query").set_value([0, 2]).run()
    app.text_input(key="widget_tensor_value").set_value("0.5").run()
    assert "takes hold of 10 of 100 numbers" in said(app)
    assert state_of(app).edits == ""
    apply(app)
    switch = TensorSet(WEIGHTS, (("head", (1,)), ("query", (0, 2))), 0.5)
    assert state_of(app).edits == switch.text
    count = changed(switch, WEIGHTS)
    assert 0 < count <= 10 and f"{count} of the 100 numbers" in said(app)
    assert app.button(key="tensor_apply").label == "Take out"
    apply(app)
    assert state_of(app).edits == ""


def test_numbers_along_an_axis_without_words() -> None:
    app = at(OUTPUT)
    app.button_group(key="widget_tensor_act").set_value("scale").run()
    app.text_input(key="widget_tensor_at_feature").set_value("1-8, 12").run()
    app.text_input(key="widget_tensor_by").set_value("−3").run()
    apply(app)
    switch = TensorScale(OUTPUT, (("feature", (*range(8), 11)),), -3.0)
    assert state_of(app).edits == switch.text
    assert f"{changed(switch, OUTPUT)} of the {ALL} numbers" in said(app)


def test_noise_has_a_spread_and_a_draw() -> None:
    app = at(OUTPUT)
    app.button_group(key="widget_tensor_act").set_value("noise").run()
    app.text_input(key="widget_tensor_spread").set_value("0.25").run()
    app.number_input(key="widget_tensor_draw").set_value(7).run()
    apply(app)
    assert state_of(app).edits == TensorNoise(OUTPUT, (), 0.25, 7).text


def test_a_patch_from_other_places_of_another_sentence() -> None:
    app = at(OUTPUT)
    app.button_group(key="widget_tensor_act").set_value("patch").run()
    assert "Type the sentence" in said(app)
    app.text_input(key="widget_tensor_sentence").set_value(DOG).run()
    app.multiselect(key="widget_tensor_at_position").set_value([3]).run()
    app.multiselect(key="widget_tensor_origin").set_value([0]).run()
    assert f"takes hold of {WIDTH} of {ALL} numbers" in said(app)
    apply(app)
    switch = TensorPatch(OUTPUT, (("position", (3,)),), DOG, (("position", (0,)),))
    assert state_of(app).edits == switch.text
    assert f"{changed(switch, OUTPUT)} of the {ALL} numbers" in said(app)


def test_rows_that_another_word_moved_are_told_apart() -> None:
    cross = "decoder/1/cross_attention/output"
    switch = TensorPatch(cross, (("position", (3,)),), DOG)
    app = at(cross, edits=switch.text)
    assert f"{changed(switch, cross)} of the {6 * WIDTH} numbers" in said(app)
    assert changed(switch, cross) > WIDTH and "Rows after the first other word" in said(app)
    assert "Rows after" not in said(at(OUTPUT, edits=TensorScale(OUTPUT, (), 1.001).text))


def test_the_second_sentence_is_where_a_patch_comes_from() -> None:
    app = at(OUTPUT, second=DOG)
    app.button_group(key="widget_tensor_act").set_value("patch").run()
    apply(app)
    assert state_of(app).edits == TensorPatch(OUTPUT, (), DOG).text


@pytest.mark.parametrize(
    ("sentence", "error"),
    [("The animal is very tired", "cannot fill"), ("Привет", "neither in English nor in Chinese")],
)
def test_a_patch_that_does_not_fit_is_refused_in_place(sentence: str, error: str) -> None:
    app = at(OUTPUT)
    app.button_group(key="widget_tensor_act").set_value("patch").run()
    app.text_input(key="widget_tensor_sentence").set_value(sentence).run()
    assert any(error in each.value for each in app.error)
    assert state_of(app).edits == "" and "tensor_apply" not in {each.key for each in app.button}


@pytest.mark.parametrize("typed", ["", "abc", "nan", "1e999", "1 2"])
def test_no_number_is_said_in_place(typed: str) -> None:
    app = at(OUTPUT)
    app.text_input(key="widget_tensor_value").set_value(typed).run()
    assert any("is not a number" in each.value for each in app.error)


@pytest.mark.parametrize("typed", ["0", str(WIDTH + 1), "5-3", "x", "1-999999"])
def test_places_that_are_not_there_are_said(typed: str) -> None:
    app = at(OUTPUT)
    app.text_input(key="widget_tensor_at_feature").set_value(typed).run()
    assert any("names no places" in each.value for each in app.error)
    app.text_input(key="widget_tensor_at_feature").set_value("").run()
    assert not app.error


def test_an_attention_map_comes_into_focus() -> None:
    app = at(OUTPUT)
    app.selectbox(key="widget_tensor_address").set_value("decoder/1/cross_attention/scores").run()
    now = state_of(app)
    assert (now.kind, now.layer, now.stage) == ("cross", 1, "scores")
    assert now.address == "decoder/1/cross_attention/scores"


def test_places_in_words_and_spans() -> None:
    words = Axis("vocabulary", "V", 4, ("a", "b", "c", "d"))
    assert parse_places("c, 1-2，2", words) == (2, 0, 1)
    assert parse_places("  ", words) == ()
    with pytest.raises(UnreadableError):
        parse_places("e", words)


def test_a_pattern_edits_every_tensor_that_it_names() -> None:
    pattern = "encoder/*/feed_forward/output"
    app = at("", draft=f"form:address,{pattern}")
    assert f"takes hold of {2 * ALL:,} of {2 * ALL:,} numbers" in said(app)
    apply(app)
    assert state_of(app).edits == TensorSet(pattern, (), 0.0).text
    app = at("", draft="form:address,encoder/7/nowhere")
    assert any("Nothing is recorded at" in each.value for each in app.error)


@pytest.mark.parametrize(
    "switch",
    [
        TensorSet(WEIGHTS, (("head", (1,)), ("query", (0, 2))), -0.5),
        TensorScale(OUTPUT, (("feature", (0, 1, 11)),), 3.0),
        TensorNoise(OUTPUT, (), 0.25, 7),
        TensorPatch(OUTPUT, (("position", (3,)),), DOG, (("position", (0,)),)),
    ],
    ids=lambda switch: switch.kind,
)
def test_a_link_brings_its_switch_into_the_form(switch: TensorSet) -> None:
    app = opened("switch", switches="tensors", text=CAT, edits=switch.text)
    assert app.button(key="tensor_apply").label == "Take out"
    assert f"{changed(switch, switch.address)} of the" in said(app)
    apply(app)
    assert state_of(app).edits == ""
    apply(app)
    assert state_of(app).edits == switch.text


def test_a_form_half_filled_comes_back_with_the_link() -> None:
    app = at(WEIGHTS)
    app.segmented_control(key="widget_tensor_act").set_value("scale").run()
    app.multiselect(key="widget_tensor_at_query").set_value([0, 2]).run()
    app.text_input(key="widget_tensor_by").set_value("−3").run()
    again = opened("switch", **dict(app.query_params))
    assert again.multiselect(key="widget_tensor_at_query").value == [0, 2]
    assert again.text_input(key="widget_tensor_by").value == "−3"
    assert said(again) == said(app)


@pytest.mark.parametrize(
    "draft",
    ["form:act,x", "form:draw,-1", "form:draw,!1", "form:value,(1)", "form:at_query,(9999999)",
     "form:at_query,x", "form:origin,x", "form:colour,red", "form:at_colour,(1)"],
)  # fmt: skip
def test_what_no_form_can_hold_is_left_out_and_said(draft: str) -> None:
    app = opened("switch", switches="tensors", draft=draft)
    assert state_of(app).draft == ""
    assert "form for a tensor" in said(app)
