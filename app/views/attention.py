"""The attention page: all heads, one large, one cell spelled out."""

import streamlit as st

from app.widgets.attention import cell, heads, picture
from app.widgets.attention.focus import Focus
from app.widgets.style import put_sheet

put_sheet(heads.__file__, "attention.css")
focus = Focus.current()
left, middle, right = st.columns([1.05, 2.05, 1.25], gap="medium")
with left, st.container(gap="small"):
    heads.show(focus)
with middle, st.container(gap="xsmall"):
    picture.show(focus)
with right, st.container(gap="small"):
    cell.show(focus)
