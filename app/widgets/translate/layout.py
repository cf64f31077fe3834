"""The places of the page: columns as high as the window, so that nothing needs to be scrolled."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit as st


def apply_layout() -> None:
    """Put the page's own style sheet on it."""
    st.html(f"<style>{_sheet()}</style>")


@cache
def _sheet() -> str:
    return Path(__file__).with_name("layout.css").read_text(encoding="utf-8")
