"""What the model was choosing between at one step."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import streamlit as st

from app import state
from app.figures.candidates import candidates
from app.figures.labels import visible
from app.widgets import trail
from app.widgets.bridge import Click, plotly_clicks
from app.widgets.chart import current_look, show_chart
from app.widgets.translate.focus import step_in_focus
from app.widgets.translate.layout import is_large
from app.words import say
from core.reading.choices import Choice, choice_at
from core.text.vocabulary import END
from core.trace.trace import Trace

CHART = "candidates"
SHOWN_BEFORE = 4  # words of the prefix that are written out
OTHERS, OTHERS_LARGE = 5, 3  # runners-up; large type needs the room for the words above
SIGNS = (END, "<en>", "<zh>")  # pieces that are no words
BAR, AROUND = 23.7, 16  # pixels of a bar, and above and below all of them


def show(trace: Trace) -> None:
    """Draw the chosen word and its runners-up with a sentence saying for which step."""
    look, now = current_look(), state.get_state()
    choice = choice_at(trace, step_in_focus(now, trace), OTHERS_LARGE if is_large(now) else OTHERS)
    rows = (choice.chosen, *choice.others)
    with st.container(key="choices_panel", gap=None):
        st.html(title(choice))
        show_chart(
            candidates(
                [row.token for row in rows],
                [row.probability for row in rows],
                look,
                height=look.px(AROUND + BAR * len(rows)),
                signs=signs([row.piece for row in rows]),
            ),
            key=CHART,
            alt=say("translate.choices_alt"),
        )

    def clicked(click: Click) -> None:
        piece = trace.vocabulary.index(rows[int(click.y)].piece)
        trail.open_trail("output/probabilities", (0, choice.row, piece))

    plotly_clicks([CHART], clicked, key="choices")


def title(choice: Choice) -> str:
    """For which step the candidates are, as one line of HTML; all words before it on hover."""
    guarded = _guarded(choice)
    if not choice.before:
        return _line(escape(say("translate.choices_first")) + guarded, "")
    all_words = " ".join(map(visible, choice.before))
    words = " ".join(map(visible, choice.before[-SHOWN_BEFORE:]))
    if len(choice.before) > SHOWN_BEFORE:
        words = f"… {words}"
    # The words stand where nothing else could: a place is marked, then the sentence is cut there.
    before, after = say("translate.choices_after", words="\0").split("\0")
    parts = (
        f"<span>{escape(before)}</span><b><bdi>{escape(words)}</bdi></b>"
        f"<span>{escape(after)}</span>{guarded}"
    )
    return _line(parts, say("translate.choices_after", words=all_words))


def _guarded(choice: Choice) -> str:
    if not choice.guarded:
        return ""
    told = say("translate.choices_guarded", word=f"“{visible(choice.guarded)}”")
    return f"<span> · <b>{escape(told)}</b></span>"


def signs(pieces: Sequence[str]) -> dict[int, str]:
    """The places of begin and end signs, and what they are."""
    return {
        place: say(f"translate.sign_{piece.strip('<>')}")
        for place, piece in enumerate(pieces)
        if piece in SIGNS
    }


def _line(content: str, hover: str) -> str:
    return f'<p class="choices-title" title="{escape(hover)}">{content}</p>'
