"""The parts of a page: modules of its folder with `show()`, named as the state names them."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

import streamlit as st

from app.widgets.opening import instead
from app.widgets.text import told
from core.errors import GlassformerError


def show_part(package: str | None, name: str, *given: Any) -> None:
    """Draw a part of a page; what it cannot draw is told in its place.

    package: the `__package__` of the page. given: what its `show` takes.
    """
    part: ModuleType = import_module(f"{package}.{name}")
    try:
        part.show(*given)
    except GlassformerError as error:
        if error.key == "file_model":
            instead.show(name)
        else:
            st.warning(told(error))
