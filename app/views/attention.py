"""The attention page: all heads, one large, one cell spelled out."""

from pathlib import Path

import streamlit as st

from app.widgets.attention import cell, heads, picture
from app.widgets.attention.focus import Focus

st.html(Path(heads.__file__).with_name("attention.css"))
focus = Focus.current()
left, middle, right = st.columns([1.05, 2.05, 1.25], gap="medium")
with left, st.container(gap="small"):
    heads.show(focus)
with middle, st.container(gap="xsmall"):
    picture.show(focus)
with right, st.container(gap="small"):
    cell.show(focus)
