"""Open…, EN / 中文 and ◐: files, language and theme, beside the navigation of every page."""

from __future__ import annotations

import streamlit as st

from app.panels.opening.opening import show_button
from app.session import store
from app.session.state import LANGUAGES
from app.ui.component import component
from app.ui.layout import box
from app.ui.pick import into, segments
from app.words import say

_theme = component(__file__, "theme_switch")


def show_switches() -> None:
    """Draw the button and both switches in the header."""
    with box(
        "afloat", "switches", horizontal=True, gap="xsmall", width="content",
        vertical_alignment="center",
    ):  # fmt: skip
        show_button()
        now = store.get_state().language
        names = {each: say("language.name", each) for each in LANGUAGES}
        segments("language", say("frame.language"), names, now, into("language"))
        # The callback makes Streamlit run again when the theme has changed: figures are drawn
        # in the colours of the theme, and Python learns of it only from a run. What the reader
        # has chosen with the switch is in the link; what the system says is not.
        _theme(
            key="theme_switch",
            data={
                "label": say("frame.theme"),
                "seen": st.context.theme.type,
                "wanted": store.get_state().theme,
            },
            scheme=lambda _: None,
            chosen=lambda theme: store.update(theme=theme),
            width="content",
        )
