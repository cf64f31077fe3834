"""Any page with two runs beside each other: this is the one place that decides."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

import streamlit as st

from app import service
from app.widgets.text import told
from core.errors import GlassformerError

# The pages that have a body for two runs, by the path of their URL; "" is the first page.
BODIES = {
    "": "translate",
    "attention": "attention",
    "tensors": "tensors",
    "walkthrough": "walkthrough",
    "vectors": "vectors",
    "decoding": "decoding",
}


def show(url_path: str) -> bool:
    """Draw a page for both runs; False where it shows one run, as always."""
    pair = service.both()
    if pair is None or url_path not in BODIES:
        return False
    body: ModuleType = import_module(f"{__package__}.{BODIES[url_path]}")
    try:
        body.show(pair)
    except GlassformerError as error:
        st.warning(told(error))
    return True
