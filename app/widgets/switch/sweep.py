"""Causal tracing: which vector of another sentence turns a word of the translation."""

from __future__ import annotations

import streamlit as st

from app import experiments, service, state
from app.figures.labels import format_percent, visible
from app.figures.sweep_map import SweepTexts, sweep_map
from app.widgets.bridge import Click, plotly_clicks
from app.widgets.chart import current_look, show_chart
from app.widgets.pick import into, menu
from app.widgets.style import put_sheet
from app.widgets.switch import sweep_runs, tensor_draft
from app.widgets.switch.sweep_panels import full_name, panels, patch_at, patched_cell, word_of
from app.widgets.switch.sweep_runs import SUGGESTIONS, Asked
from app.widgets.text import literal, told
from app.words import say
from core.edits import Experiment
from core.edits.sweep import Question, questions
from core.edits.tensors import TensorPatch
from core.edits.tracing import Tracing
from core.errors import GlassformerError

CHART = "sweep_map"
SIZE = (1380, 440)  # pixels at 1440 × 900; they decide how words are written


def show() -> None:
    """Draw the choice of the pair, the picture, and what the chosen patch does."""
    put_sheet(__file__, "sweep.css")
    first = sweep_runs.first_text()
    second = sweep_runs.second_text(first)
    with st.container(key="sweep_page", gap="xsmall"):
        st.markdown(f"**{say('sweep.title')}** :small[{say('sweep.about')}]")
        _suggestions(first, second)
        sentence, word, status = st.columns([2.6, 1.7, 1.5], gap="medium")
        with sentence:
            _other(second)
        try:
            wanted, found = _asked(first, second)
        except GlassformerError as error:
            _instead(told(error))
            return
        if wanted is None:
            _instead(say("sweep.choose"))
            return
        with word:
            question = _word(wanted, found)
        with status, st.container(key="sweep_status", gap=None):
            tracing = _run(wanted, question)
        _picture(wanted, tracing)
        _below(wanted, tracing)


def _asked(first: str, second: str) -> tuple[Asked | None, tuple[Question, ...]]:
    if not second:
        return None, ()
    wanted = sweep_runs.asked(first, second)
    return wanted, questions(service.plain_model(), wanted.plain, wanted.other)


def _instead(text: str) -> None:
    """What stands in the place of the picture where there is none."""
    with st.container(key="sweep_instead"):
        st.info(text)


def _suggestions(first: str, second: str) -> None:
    by_id = {each.id: each for each in SUGGESTIONS}
    labels = {name: say(f"sweep.pair_{name}") for name in by_id}
    chosen = next((e.id for e in SUGGESTIONS if (e.first, e.second) == (first, second)), None)
    with st.container(
        key="sweep_pairs", horizontal=True, gap="medium", vertical_alignment="center"
    ):
        st.pills(
            say("sweep.pairs"),
            list(by_id),
            key=state.bind("sweep_pair", chosen),
            format_func=labels.__getitem__,
            label_visibility="collapsed",
            width="content",
            on_change=take_pair,
        )
        note = say(f"sweep.note_{chosen}") if chosen else say("sweep.note_own")
        st.markdown(f":small[{note}]")


def take_pair() -> None:
    """Both sentences of a suggestion; a patch of the pair before is no experiment on this one."""
    chosen = next((e for e in SUGGESTIONS if e.id == state.widget_value("sweep_pair")), None)
    if chosen is None:
        return
    sentences = {"text": chosen.first, "second": chosen.second, "direction": "auto"}
    if any(isinstance(each, TensorPatch) for each in experiments.now().switches):
        experiments.put(Experiment(), **sentences)
    else:
        state.update(**sentences)


def _other(second: str) -> None:
    def take() -> None:
        state.update(second=" ".join(state.widget_value("sweep_second").split()))

    st.text_input(
        say("sweep.other"),
        key=state.bind("sweep_second", second),
        placeholder=say("sweep.other_hint"),
        on_change=take,
    )


def _word(wanted: Asked, found: tuple[Question, ...]) -> Question:
    """The choice of the word that is watched."""
    chosen = sweep_runs.watched(wanted, found)
    labels = {
        each.row: say(
            "sweep.word_of",
            place=each.row + 1,
            rival=visible(word_of(wanted.plain, each.rival)),
            answer=visible(word_of(wanted.other, each.answer)),
        )
        for each in found
    }

    word, why = say("sweep.word"), say("sweep.word_help")
    menu("sweep_watch", word, labels, chosen.row, into("watch"), bare=False, help=why)
    return chosen


def _run(wanted: Asked, question: Question) -> Tracing:
    """What was found: all of it, or what was there when the reader stopped."""
    found = sweep_runs.run(wanted, question.row)
    if found.done == found.total:
        st.markdown(f":small[{say('sweep.done', runs=_runs(found))}]")
    else:
        st.markdown(f":small[{say('sweep.stopped', done=found.done, total=found.total)}]")
    return found


def _runs(found: Tracing) -> int:
    grids = (found.grid("encoder"), found.grid("decoder"))
    return sum(grid.restored.numel() for grid in grids if grid is not None)


def _picture(wanted: Asked, tracing: Tracing) -> None:
    look = current_look()
    drawn = panels(wanted, tracing)
    answer = word_of(wanted.other, tracing.question.answer)
    texts = SweepTexts("", say("sweep.turned"), say("sweep.chance", word=visible(answer)))
    with st.container(key="sweep_picture"):
        show_chart(
            sweep_map(drawn, texts, look, SIZE), CHART, say("sweep.alt"), "patching_sweep", True
        )

    def clicked(click: Click) -> None:
        place, row, column = map(int, click.custom)
        grid = tracing.grid("decoder" if place else "encoder")
        if grid is None or row >= len(grid.addresses):
            return
        patch = patch_at(grid.addresses[row], column, wanted.other.source_text)
        experiment = Experiment((patch,))
        experiments.put(Experiment() if experiments.now() == experiment else experiment)

    plotly_clicks([CHART], clicked, key="sweep")


def _below(wanted: Asked, tracing: Tracing) -> None:
    """How to read the picture; what the chosen patch does, and the way to all of its effect."""
    plain, other, question = wanted.plain, wanted.other, tracing.question
    rival, answer = word_of(plain, question.rival), word_of(other, question.answer)
    read, patched = st.columns([1, 1], gap="medium")
    read.markdown(f":small[{say('sweep.read', rival=_chip(rival), answer=_chip(answer))}]")
    chosen = patched_cell(tracing, other.source_text)
    with patched, st.container(key="sweep_patched", gap="xsmall"):
        if chosen is None:
            st.markdown(f":small[{say('sweep.click')}]")
            return
        grid, row, column = chosen
        patch = patch_at(grid.addresses[row], column, other.source_text)
        now = state.get_state()
        run = service.get_run(Experiment((patch,)), wanted.first, *wanted.place)
        before = float(plain["output/probabilities"][0, question.row, question.answer])
        st.markdown(
            say(
                "sweep.patched",
                name=full_name(grid.addresses[row]),
                word=_chip(grid.tokens[column]),
                before=literal(plain.output_text),
                after=literal(run.output_text),
                answer=_chip(answer),
                chance=format_percent(before, now.precision),
                now=format_percent(float(grid.probabilities[row, column]), now.precision),
            )
        )
        with st.container(horizontal=True, gap="small"):
            st.button(
                say("sweep.effect"),
                key="sweep_effect",
                type="primary",
                on_click=_effect,
                args=(patch,),
            )
            st.button(say("sweep.undo"), key="sweep_undo", on_click=experiments.undo)


def _effect(patch: TensorPatch) -> None:
    """All that the patch changes: the page's panels compare it with the plain run."""
    tensor_draft.fill(patch)
    state.update(switches="tensors", second="", run="")


def _chip(token: str) -> str:
    return f"**{literal(visible(token))}**"
