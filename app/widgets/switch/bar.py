"""The experiment on top of the page: its switches, ways back, what is kept, compared, shared."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from app import experiments, service
from app.widgets.chart import current_look
from app.widgets.phrases import phrase
from app.widgets.style import put_sheet
from app.widgets.switch import comparing, keeping, sharing
from app.widgets.switch.chips import chips
from app.widgets.switch.chips.chips import Chip
from app.words import say
from core.edits.switch import Switch


def show() -> None:
    """Draw the row: chips on the left, buttons on the right."""
    put_sheet(__file__, "bar.css")
    with st.container(
        key="switch_bar", horizontal=True, wrap=False, gap="xsmall", vertical_alignment="center"
    ):
        with st.container(key="switch_bar_chips", width="stretch"):
            _chips()
        _ways()
        keeping.show()
        comparing.show()
        sharing.show()


def _chips() -> None:
    chips(
        [_chip(each) for each in experiments.now().switches],
        empty=say("experiment.empty"),
        take_out=say("experiment.take_out"),
        look=current_look(),
        on_out=take_out,
    )


def _chip(switch: Switch) -> Chip:
    if switch in service.left_out():
        return Chip(phrase(switch), switch.text, say("experiment.misfit"))
    run = service.on_screen()
    words = {"source": run.source_tokens, "target": run.target_tokens}
    return Chip(phrase(switch, words=words), switch.text)


def take_out(text: str) -> None:
    """Take the switch with this text out of the experiment."""
    now = experiments.now()
    for each in now.switches:
        if each.text == text:
            experiments.put(now.without(each))


def _ways() -> None:
    switched = bool(experiments.now())
    _way("undo", "undo", experiments.undo, experiments.can_undo())
    _way("redo", "redo", experiments.redo, experiments.can_redo())
    _way("reset", "restart_alt", experiments.reset, switched)


def _way(name: str, icon: str, act: Callable[[], None], possible: bool) -> None:
    st.button(
        f":material/{icon}:",
        key=f"widget_bar_{name}",
        type="tertiary",
        help=say(f"experiment.{name}_help"),
        disabled=not possible,
        on_click=act,
    )
