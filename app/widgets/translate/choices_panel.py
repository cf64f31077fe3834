"""What the model was choosing between at one step."""

from __future__ import annotations

import streamlit as st

from app import state
from app.figures.candidates import candidates
from app.figures.labels import visible
from app.widgets.chart import current_look, show_chart
from app.widgets.text import literal
from app.widgets.translate.focus import step_in_focus
from app.words import say
from core.reading.choices import Choice, choice_at
from core.text.vocabulary import END
from core.trace.trace import Candidate, Trace

SHOWN_BEFORE = 4  # words of the prefix that are written out


def show(trace: Trace) -> None:
    """Draw the chosen word and its five runners-up with a sentence saying for which step."""
    look = current_look()
    choice = choice_at(trace, step_in_focus(state.get_state(), trace))
    rows = (choice.chosen, *choice.others)
    with st.container(key="choices_panel", gap=None):
        st.markdown(title(choice))
        show_chart(
            candidates(
                [_shown(row) for row in rows],
                [row.probability for row in rows],
                look,
                height=look.px(158),
            ),
            key="candidates",
            alt=say("translate.choices_alt"),
        )


def title(choice: Choice) -> str:
    """For which step the candidates are, as markdown."""
    if not choice.before:
        return say("translate.choices_first")
    words = " ".join(visible(word) for word in choice.before[-SHOWN_BEFORE:])
    if len(choice.before) > SHOWN_BEFORE:
        words = f"… {words}"
    return say("translate.choices_after", words=literal(words))


def _shown(candidate: Candidate) -> str:
    return say("translate.end") if candidate.piece == END else candidate.token
