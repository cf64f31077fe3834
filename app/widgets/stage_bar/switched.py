"""Right end of the stage bar's second line: what is switched, the ways back, which run is seen."""

from __future__ import annotations

from html import escape as html_escape

import streamlit as st

from app import experiments, service, state
from app.widgets.chart import current_look
from app.widgets.phrases import line
from app.widgets.pick import segments
from app.words import say

PLAIN_PAGES = ("training", "lab")  # they draw runs of their own, without what is switched
RUNS = ("first", "second", "both")
OWN_ROW = "switch"  # this page says in a row of its own what is switched, with the ways back


def show(crowded: bool) -> None:
    """Draw what is switched; crowded: a message stands beside it and needs the room."""
    pair, own = service.pair(), state.page() == OWN_ROW
    told = not own and (experiments.now() or experiments.can_undo())
    if not told and pair is None:
        return
    with st.container(
        horizontal=True,
        gap="xsmall",
        key="stage_switched",
        wrap=False,
        width="content",
        vertical_alignment="center",
    ):
        acts = state.page() not in PLAIN_PAGES
        if not own:
            if service.experiment() or (pair is not None and not acts):
                _line(acts, crowded)
            _ways_back()
        if acts and pair is not None:
            _which_run(pair)


def _line(acts: bool, crowded: bool) -> None:
    said = line(service.experiment())
    now, pair = state.get_state(), service.pair()
    plain = pair is not None and pair.kind == "experiment" and now.run == "first"
    text = say("experiment.switched", line=said) if acts else say("experiment.no_effect_here")
    role = "changed" if acts and not plain else "faint"
    style = f"color: {current_look().colour(role)}"
    crowd = " crowded" if crowded else ""
    title = html_escape(said or text, quote=True)
    st.html(
        f'<div class="switched-line{crowd}" style="{style}" title="{title}">'
        f"{html_escape(text)}</div>",
        width="content",
    )


def _ways_back() -> None:
    if experiments.can_undo():
        st.button(
            ":material/undo:",
            key="widget_stage_undo",
            type="tertiary",
            help=say("experiment.undo_help"),
            on_click=experiments.undo,
        )
    if experiments.now():
        st.button(
            ":material/restart_alt:",
            key="widget_stage_reset",
            type="tertiary",
            help=say("experiment.reset_help"),
            on_click=experiments.reset,
        )


def _which_run(pair: service.Pair) -> None:
    """The plain run, the switched one, or both; of two sentences the first, the second, or both."""
    usual = "both" if pair.kind == "sentences" else "second"
    labels = {run: say(f"experiment.{pair.kind}_{run}") for run in RUNS}

    def take(chosen: str) -> None:
        state.update(run="" if chosen == usual else chosen)

    value = state.get_state().run or usual
    segments("run", say("experiment.which_run"), labels, value, take, wrap=False)
