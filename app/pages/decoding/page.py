"""The page: one question about the decoding on top, its answer below."""

from html import escape

import streamlit as st

from glassformer.app.pages.decoding import blanks
from glassformer.app.pages.decoding.run import Decoding
from glassformer.app.pages.decoding.strip import word_of_step
from glassformer.app.panels.opening.on_file import show_part
from glassformer.app.plots.labels import format_percent, visible
from glassformer.app.runs import on_screen
from glassformer.app.session import store
from glassformer.app.session.state import DECODING
from glassformer.app.ui.pick import draw_choice, set_field
from glassformer.app.ui.style import put_sheet
from glassformer.app.ui.text import on_top
from glassformer.app.words import say
from glassformer.core.errors import GlassformerError


def show() -> None:
    """Draw the question that the state names: a module of this folder with `show()`."""
    put_sheet(__file__, "decoding.css")
    chosen = store.get_state().decoding
    with st.container(key="decoding_page", gap="xsmall"):
        if on_screen.trace_on_screen().task == "fill_in":
            blanks.show(on_screen.trace_on_screen())
            return
        with st.container(key="decoding_top", horizontal=True, gap="medium"):
            draw_choice(
                "decoding_questions", "decoding.question", DECODING, chosen, set_field("decoding")
            )
            on_top(_said(chosen), width="content")
        show_part("glassformer.app.pages.decoding", chosen)


def _said(chosen: str) -> str:
    """What one sees, as HTML: of the step in view what it read and wrote."""
    if chosen != "timeline":
        return escape(say(f"decoding.top_{chosen}"))
    try:
        decoding = Decoding.current()
    except GlassformerError:  # a file's run without its model: the answer says so
        return ""
    run, place = decoding.run, decoding.place(store.get_state())
    words = {"reads": visible(run.trace.target_tokens[place]), "writes": word_of_step(run, place)}
    words["writes"] = words["writes"] or say("timeline.strip_end")
    return say(
        "timeline.said_step",
        step=run.number(place),
        percent=format_percent(run.moments[place].step.probability),
        **{name: f"<b>{escape(word)}</b>" for name, word in words.items()},
    )


if __name__ == "__main__":
    show()
