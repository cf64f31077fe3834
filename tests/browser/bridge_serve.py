"""Serves the page for the test of charts and their bridge, with the script that charts need."""

import streamlit as st

from app import scripts

app = st.App("bridge_page.py", routes=[scripts.route()])
