"""The experiment on screen: stage bar, messages with their ways out, the row of the Switch page."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from glassformer import load_model
from glassformer.app.frame.sentence import _letters, example_sentences, neighbouring_example
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.ui.text import literal
from glassformer.app.words import say
from glassformer.core.analysis.comparison import furthest
from glassformer.core.interventions import Experiment, run
from glassformer.core.interventions.heads import HeadsOff, HeadsRedirected
from glassformer.core.interventions.masks import Causal, Fill, Lines, Painted
from glassformer.core.interventions.switch import Switch
from glassformer.core.interventions.tensors import TensorScale
from tests.opened_app import drawn, memory, opened, state_of
from tests.opened_files import open_in

FIRST, OTHER = "The animal didn't cross the street because it was too tired", "I like you"
OFF = HeadsOff("encoder/0/self_attention", (1, 2))
REDIRECT = HeadsRedirected("encoder/*", (), 1)


def link(*switches: Switch) -> str:
    return Experiment(switches).text


def texts(app: AppTest) -> str:
    html = [each.proto.body for each in app.get("html")]
    return "\n".join([*(each.value for each in (*app.markdown, *app.caption)), *html])


def way(app: AppTest, name: str, language: str = "en"):  # type: ignore[no-untyped-def]
    label = say(f"experiment.way_{name}", language)
    return next(each for each in app.button if each.label == label)


@pytest.mark.parametrize("page", ["translate", "attention", "tensors", "decoding"])
def test_the_bar_says_what_is_switched_in_both_languages(page: str) -> None:
    app = opened(page, edits=link(OFF, Causal()))
    assert "switched: heads 2, 3 of encoder layer 1 off · causal mask off" in texts(app)
    chinese = opened(page, edits=link(OFF, Causal()), language="zh")
    assert "已切换：编码器第 1 层第 2、3 头关闭 · 因果掩码关闭" in texts(chinese)


def test_without_an_experiment_the_bar_is_as_before() -> None:
    app = opened("attention")
    assert '<div class="switched-line' not in texts(app)
    keys = {each.key for each in app.button}
    assert not keys & {"widget_stage_undo", "widget_stage_reset"}
    assert "widget_run" not in {each.key for each in app.segmented_control}


def test_reset_undo_and_the_run_on_screen() -> None:
    app = opened("attention", edits=link(REDIRECT))
    runs = app.segmented_control(key="widget_run")
    assert runs.value == "second"
    runs.set_value("first").run()
    assert state_of(app).run == "first"
    app.segmented_control(key="widget_run").set_value("second").run()
    assert state_of(app).run == ""  # the usual one is not in the link
    app.button(key="widget_stage_reset").click().run()
    assert state_of(app).edits == ""
    assert "run" not in app.query_params
    app.button(key="widget_stage_undo").click().run()
    assert state_of(app).edits == link(REDIRECT)


@pytest.mark.parametrize("page", ["training", "lab"])
def test_pages_of_their_own_runs_say_so_instead(page: str) -> None:
    app = opened(page, edits=link(OFF))
    assert say("experiment.no_effect_here") in texts(app)
    assert "widget_run" not in {each.key for each in app.segmented_control}


def test_a_second_sentence_opens_beside_the_first_and_closes() -> None:
    app = opened("attention", text=OTHER)
    app.button(key="widget_second_open").click().run()
    assert app.text_input(key="widget_second").value == OTHER  # one word is to be another
    assert state_of(app).second == ""
    app.text_input(key="widget_second").set_value("I like cats").run()
    assert state_of(app).second == "I like cats"
    assert app.segmented_control(key="widget_run").value == "both"
    app.segmented_control(key="widget_run").set_value("second").run()
    assert drawn(app).source_text == "I like cats"
    app.button(key="widget_second_close").click().run()
    assert (state_of(app).second, state_of(app).run) == ("", "")
    assert "widget_second" not in {each.key for each in app.text_input}


def test_a_paired_sentence_gets_its_partner_and_the_largest_difference() -> None:
    app = opened("attention", text="The animal didn't cross the street because it was too tired.")
    app.button(key="widget_second_open").click().run()
    now = state_of(app)
    assert now.second == FIRST.replace("tired", "wide")
    found = furthest((load_model().trace(now.text), load_model().trace(now.second)), False)
    assert found is not None
    assert (now.kind, now.layer, now.head) == (found.kind, found.layer, found.head)
    row, column = found.map.rows.places[1], found.map.columns.places[1]  # the second is on screen
    assert (now.query, now.key) == (row[found.row], column[found.column])
    assert f"layer {found.layer + 1}, head {found.head + 1}" in texts(app)


def test_every_pair_of_the_examples_goes_both_ways() -> None:
    assert neighbouring_example(FIRST) == FIRST.replace("tired", "wide")
    assert neighbouring_example("欢迎来到上海。") == "欢迎 来 到 北京"
    assert neighbouring_example("I like you") == ""
    for each in example_sentences():
        assert not each.beside or _letters(
            neighbouring_example(neighbouring_example(each.text))
        ) == _letters(each.text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_unreadable_second_sentence_is_told(language: str) -> None:
    app = opened("attention", second="?!", language=language)
    said = say("experiment.second_not_run", language, why="|").partition("|")[0]
    assert said in texts(app)
    assert drawn(app).source_text == FIRST


def test_a_broken_link_is_told_and_reset() -> None:
    app = opened("attention", edits="nonsense:(((")
    assert say("experiment.not_run", why="|").partition("|")[0] in texts(app)
    way(app, "reset").click().run()
    assert state_of(app).edits == ""
    assert ":material/error:" not in texts(app)


def test_what_does_not_fit_is_named_and_taken_out() -> None:
    painted = Painted("encoder/0/self_attention", (), ((20, 1, 3),))
    app = opened("attention", edits=link(painted, OFF))
    assert literal("encoder layer 1: 3 cells hidden") in texts(app)
    assert "12 × 12" in texts(app)
    assert "switched: heads 2, 3 of encoder layer 1 off" in texts(app)  # what is applied
    way(app, "take_out").click().run()
    assert state_of(app).edits == link(OFF)
    assert ":material/error:" not in texts(app)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_lost_numbers_name_their_beginning_and_the_way_out(language: str) -> None:
    closed = Lines("encoder/1/self_attention", (2,), (1,))
    app = opened("attention", edits=link(closed, Fill("minus_infinity")), language=language)
    trace = drawn(app)
    assert trace["encoder/1/self_attention/weights"][0, 2, 1].isnan().all()
    place = {
        "en": r"weights of encoder layer 2 self\-attention \(head 3; query 2\)",
        "zh": "编码器第 2 层自注意力的权重（头 3；查询 2）",
    }
    assert place[language] in texts(app)
    way(app, "fill", language).click().run()
    assert state_of(app).edits == link(closed)
    assert ":material/error:" not in texts(app)
    app.button(key="widget_stage_undo").click().run()
    assert place[language] in texts(app)


def test_numbers_that_grew_too_large_offer_the_way_back() -> None:
    app = opened("attention", edits=link(TensorScale("encoder/0/feed_forward/output", (), 1e38)))
    assert say("experiment.lost", place="|").partition("|")[0] in texts(app)
    way(app, "undo").click().run()
    assert state_of(app).edits == ""


def test_the_row_of_the_switch_page_steps_back_and_forth() -> None:
    app = opened("switch", edits=link(OFF))
    assert app.button(key="widget_bar_redo").disabled
    app.button(key="widget_bar_reset").click().run()
    assert state_of(app).edits == ""
    app.button(key="widget_bar_undo").click().run()
    assert state_of(app).edits == link(OFF)
    app.button(key="widget_bar_redo").click().run()
    assert state_of(app).edits == ""


def test_keep_load_forget() -> None:
    app = opened("switch", edits=link(OFF))
    app.text_input(key="widget_experiment_name").set_value("  two <b>heads</b> ").run()
    app.button(key="widget_keep").click().run()
    assert memory(app).experiments == {"two <b>heads</b>": Experiment((OFF,), "two <b>heads</b>")}
    assert app.text_input(key="widget_experiment_name").value == ""
    app.button(key="widget_bar_reset").click().run()
    app.button(key="widget_load_0").click().run()
    assert state_of(app).edits == link(OFF)
    app.button(key="widget_forget_0").click().run()
    assert memory(app).experiments == {}
    assert state_of(app).edits == link(OFF)


def test_any_two_are_compared_with_their_translations() -> None:
    app = opened("switch", edits=link(OFF, Causal()))
    app.button(key="widget_keep").click().run()
    app.button(key="widget_bar_reset").click().run()
    app.button(key="widget_compare").click().run()
    (name,) = memory(app).experiments
    assert name == "heads 2, 3 of encoder layer 1 off · caus"
    assert app.selectbox(key="widget_compare_second").value == ("kept", name)
    shown = texts(app)
    assert f"**{say('experiment.compare_only_second')}**\n\n- heads 2" in shown
    for experiment in (Experiment((OFF, Causal())), Experiment()):
        assert run(experiment, load_model(), FIRST).full_text in shown


def test_a_file_is_opened_or_told() -> None:
    model = load_model()
    good = Experiment((OFF, Causal()), "from a file").to_json(model)
    about = json.loads(good)
    foreign = json.dumps({**about, "model": {"name": "other", "fingerprint": "0" * 16}})
    newer = json.dumps({**about, "format": 99})
    app = opened("switch", edits=link(OFF))
    for given, said in (
        (foreign.encode(), "made on other"),
        (newer.encode(), "newer Glassformer"),
        (good.encode()[:-9], say("errors.file_damaged")),
        (b"\xff\xfe\x00", say("errors.file_foreign")),
        (good.encode() + b" " * 2**20, literal("at most 1.0 MB")),
    ):
        open_in(app, "experiment.json", given)
        assert said in app.error[0].value
        assert state_of(app).edits == link(OFF)
    open_in(app, "experiment.json", good.encode())
    assert not app.error
    assert state_of(app).edits == link(OFF, Causal())
    assert list(memory(app).experiments) == ["from a file"]
    open_in(app, "experiment.json", Experiment((OFF,), "long  " * 9999).to_json(model).encode())
    assert list(memory(app).experiments)[-1] == ("long " * 8).strip()
