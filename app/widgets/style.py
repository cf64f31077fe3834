"""The few rules of CSS that Streamlit has no setting for."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit as st


def apply_style(size: int) -> None:
    """Put the style sheet on the page; `size` is the type size in percent."""
    st.html(f"<style>{_sheet()}\nhtml {{ font-size: {size}% !important; }}</style>")


@cache
def _sheet() -> str:
    return Path(__file__).with_name("style.css").read_text(encoding="utf-8")
