"""Open…, EN / 中文 and ◐: files, language and theme, beside the navigation of every page."""

from __future__ import annotations

import streamlit as st

from app import state
from app.widgets.component import component
from app.widgets.opening import show_button
from app.widgets.pick import into, segments
from app.words import say

_theme = component(__file__, "theme_switch")
NAMES = {"en": "EN", "zh": "中文"}


def show_switches() -> None:
    """Draw the button and both switches in the header."""
    with st.container(
        horizontal=True,
        gap="xsmall",
        key="switches",
        width="content",
        vertical_alignment="center",
    ):
        show_button()
        now = state.get_state().language
        segments("language", say("frame.language"), NAMES, now, into("language"))
        # The callback makes Streamlit run again when the theme has changed: figures are drawn
        # in the colours of the theme, and Python learns of it only from a run.
        _theme(
            key="theme_switch",
            data={
                "label": say("frame.theme"),
                "seen": st.context.theme.type,
                "wanted": state.get_state().theme,
            },
            on_scheme_change=lambda: None,
            on_chosen_change=_choose,
            width="content",
        )


def _choose() -> None:
    """What the reader has chosen with the switch is in the link; what the system says is not."""
    state.update(theme=state.trigger("theme_switch", "chosen"))
