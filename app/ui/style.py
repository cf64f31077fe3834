"""The few rules of CSS that Streamlit has no setting for."""

import re
from functools import cache
from pathlib import Path

import streamlit as st

from glassformer.app.plots.colours import DARK, LIGHT
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.words import say


def apply_style(look: FigureStyle) -> None:
    """Put the style sheets of all pages on this one, type size, colours (`--weights` …)."""
    roles = DARK if look.dark else LIGHT
    colours = " ".join(f"--{role.replace('_', '-')}: {value};" for role, value in roles.items())
    type_size = f"html {{ font-size: {look.size}% !important; }}"
    put_sheet(__file__, "layout.css", _text(__file__, "style.css") + _sizes(look.size))
    # What Streamlit calls "2 more", in the reader's language.
    pages = f'--more-pages: "{say("frame.more_pages")}";'
    st.html(f"<style>{type_size} :root {{ {colours} {pages} }}</style>")


def put_sheet(module: str, name: str, more: str = "") -> None:
    """Put a style sheet on the page: the file `name` beside a module, and some rules more."""
    st.html(f"<style>{_text(module, name)}\n{more}</style>")


@cache
def _sizes(percent: int) -> str:
    """The rules for small windows, with their bounds in pixels.

    In a condition the browser takes 1rem for 16 pixels, whatever the size of the type.
    """

    def pixels(bound: re.Match[str]) -> str:
        return f"< {float(bound[1]) * 16 * percent / 100:g}px"

    return re.sub(r"< ([\d.]+)rem", pixels, _text(__file__, "sizes.css"))


@cache
def _text(module: str, name: str) -> str:
    return Path(module).with_name(name).read_text(encoding="utf-8")
