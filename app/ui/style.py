"""The few rules of CSS that Streamlit has no setting for."""

from functools import partial

import streamlit as st

from glassformer.app.plots.colours import DARK, LIGHT
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.ui.kept import keep
from glassformer.app.ui.sheets import layout_rules, sheet_text
from glassformer.app.words import say


def apply_style(look: FigureStyle) -> None:
    """Put the style sheets of all pages on this one, type size, colours (`--weights` …)."""
    roles = DARK if look.dark else LIGHT
    colours = " ".join(f"--{role.replace('_', '-')}: {value};" for role, value in roles.items())
    type_size = f"html {{ font-size: {look.size}% !important; }}"
    st.html(f"<style>{layout_rules(look.size)}</style>")
    # What Streamlit calls "2 more", in the reader's language.
    pages = f'--more-pages: "{say("frame.more_pages")}";'
    st.html(f"<style>{type_size} :root {{ {colours} {pages} }}</style>")


def put_sheet(module: str, name: str, more: str = "") -> None:
    """Put a style sheet on the page: the file `name` beside a module, and some rules more."""
    put = partial(st.html, f"<style>{sheet_text(module, name)}\n{more}</style>")
    keep(f"sheet {name}", put, module, more)
