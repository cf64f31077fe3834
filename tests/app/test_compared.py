"""Comparing two experiments: both runs, their difference, and the way to the largest one."""

from glassformer import load_model
from glassformer.app.ui.text import literal
from glassformer.app.words import say
from glassformer.core.analysis.attention_views import attention_at
from glassformer.core.analysis.comparison import furthest
from glassformer.core.interventions import Experiment, run
from tests.app.test_experiment_bar import FIRST, OFF, OTHER, link, texts
from tests.opened_app import opened, state_of


def test_two_experiments_show_both_runs_their_difference_and_where_it_is_largest() -> None:
    app = opened("switch", edits=link(OFF))
    app.button(key="widget_keep").click().run()
    app.button(key="widget_bar_reset").click().run()
    app.button(key="widget_compare").click().run()
    assert not app.exception
    model = load_model()
    plain, off = (run(each, model, FIRST) for each in (Experiment(), Experiment((OFF,))))
    best = furthest((plain, off), by_place=True)
    assert best is not None
    named = say("frame.focus_" + best.kind)
    start = (
        f"Largest difference of all heads: {named}, layer {best.layer + 1}, head {best.head + 1}"
    )
    assert start in texts(app)
    assert "encoder/0/self_attention/weights" in texts(app)  # the panel in view, of both
    app.button(key="widget_compare_go").click().run()
    app.button(key="widget_compare").click().run()
    assert f"{attention_at(best.kind, best.layer)}/weights" in texts(app)
    now = state_of(app)
    assert (now.kind, now.layer, now.head) == (best.kind, best.layer, best.head)
    assert (now.query, now.key) == (best.row, best.column)
    assert now.stage == "weights"


def test_experiments_of_two_sentences_say_what_is_compared() -> None:
    app = opened("switch", edits=link(OFF), text=OTHER)
    app.button(key="widget_keep").click().run()
    app.text_input(key="widget_sentence").set_value(FIRST).run()
    app.button(key="widget_compare").click().run()
    assert not app.exception
    shown = texts(app)
    assert say("experiment.compare_about_own") in shown
    model = load_model()
    for text in (FIRST, OTHER):
        assert f"**{literal(run(Experiment((OFF,)), model, text).full_text)}**" in shown
    app.segmented_control(key="widget_compare_on").set_value("screen").run()
    app.button(key="widget_compare").click().run()
    shown = texts(app)
    assert say("experiment.compare_about_screen") in shown
    assert f"**{literal(run(Experiment((OFF,)), model, OTHER).full_text)}**" not in shown
