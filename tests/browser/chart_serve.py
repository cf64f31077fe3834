"""Serves the page for the test of charts, with the scripts that they need."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st

from glassformer.app.ui import scripts


@asynccontextmanager
async def _begin(_app: st.App) -> AsyncIterator[None]:
    with scripts.serve_scripts():
        yield


app = st.App("chart_page.py", lifespan=_begin, routes=[scripts.scripts_route()])
