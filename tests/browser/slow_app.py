"""The app on a server that takes a second for every run of a page; for test_walkthrough_keys."""

import time
from pathlib import Path

import streamlit as st

from glassformer.app.server import process
from glassformer.app.ui import scripts

prepare = process.prepare_process


def late() -> None:
    time.sleep(1)
    prepare()


process.prepare_process = late
app = st.App(str(Path(__file__).parents[2] / "app.py"), routes=[scripts.scripts_route()])
