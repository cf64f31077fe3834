"""The Translate page: the translation, where each word looked, and the model that made it."""

import streamlit as st

from app import service
from app.widgets.translate import choices_panel, lead, map_panel, words_panel
from app.widgets.translate.layout import apply_layout

trace = service.on_screen()
opened = map_panel.open_block(trace)
apply_layout()
lead.show(trace)
# An open block takes the place of the words; the map stays where it is, under the cursor.
left, right = st.columns([5, 6], gap="small")
with left.container(key="translate_left", gap="xsmall"):
    if opened:
        map_panel.show_block(trace)
    else:
        words_panel.show(trace)
        choices_panel.show(trace)
with right.container(key="translate_right", gap=None):
    map_panel.show_map(trace)
