"""The Translate page: the translation, where each word looked, and the model that made it."""

import streamlit as st

from glassformer.app.pages.translate import lead
from glassformer.app.pages.translate.block import block_panel
from glassformer.app.pages.translate.map.architecture_map import architecture_map
from glassformer.app.panels.words import words_panel
from glassformer.app.runs import on_screen
from glassformer.app.session import store
from glassformer.app.ui.layout import box
from glassformer.core.analysis.blocks import block_at


def show() -> None:
    """Draw the translation, then the words beside the model."""
    trace = on_screen.trace_on_screen()
    opened = block_at(trace.config, store.get_state().block)  # None also for one it has not
    words_panel.apply_layout()
    lead.show(trace, opened is not None)
    # An open block takes the place of the words; the map stays where it is, under the cursor.
    left, right = st.columns([5, 6], gap="small")
    with left.container(key="translate_left", gap="xsmall"):
        if opened:
            block_panel(trace, opened)
        else:
            words_panel.show(trace)
            lead.show_choices(trace)
    with right, box("fill tall scroll", "translate_right", gap=None):
        architecture_map(trace)


if __name__ == "__main__":
    show()
