"""The few rules of CSS that Streamlit has no setting for."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit as st


def apply_style(size: int) -> None:
    """Put the style sheet on the page; `size` is the type size in percent."""
    put_sheet(__file__, "style.css", f"html {{ font-size: {size}% !important; }}")


def put_sheet(module: str, name: str, more: str = "") -> None:
    """Put a style sheet on the page: the file `name` beside a module, and some rules more."""
    st.html(f"<style>{_text(module, name)}\n{more}</style>")


@cache
def _text(module: str, name: str) -> str:
    return Path(module).with_name(name).read_text(encoding="utf-8")
