"""What is told while the run on screen is one from a file, and where nothing can be drawn."""

from importlib import import_module
from types import ModuleType
from typing import Any

import streamlit as st

from glassformer.app.runs import on_screen, opened_files
from glassformer.app.ui.layout import side_by_side
from glassformer.app.ui.pick import small_button
from glassformer.app.ui.text import format_error, literal
from glassformer.app.words import say
from glassformer.core.errors import GlassformerError


def show() -> None:
    """Draw the line where a file is on screen."""
    file = on_screen.file_on_screen()
    if file is None:
        return
    made_by = literal(file.model_name) or "–"
    text = say("opening.on_screen", name=literal(file.name), model=made_by)
    with side_by_side("stage_file", gap="xsmall", wrap=False, width="content"):
        st.markdown(
            f":blue[:material/description: **{text}**]",
            help=say("opening.on_screen_help"),
            width="content",
        )
        small_button("×", "leave_file", say("opening.leave_help"), opened_files.close_file)


def show_instead(key: str) -> None:
    """Draw the sentence, and the way to a run of the model where that is here. key: unique."""
    file = on_screen.file_on_screen()
    if file is None:
        return
    with st.container(key=f"{key}_instead", gap="small"):
        st.info(why_not(literal(file.model_name)))
        if file.model is not None:
            st.button(
                say("opening.compute"),
                key=f"widget_{key}_compute",
                on_click=opened_files.leave_file,
                icon=":material/play_arrow:",
            )


def why_not(model_name: str) -> str:
    """Why a run from a file cannot be computed with: its model, so called, is not in use."""
    file = on_screen.file_on_screen()
    if file is None or file.model is not None:
        return say("opening.model_here")
    return say("opening.model_away", model=model_name or "–")


def show_part(package: str | None, name: str, *given: Any, show: str = "show") -> None:
    """Draw a part of a page; what it cannot draw is told in its place.

    package: the `__package__` of the page. given: what its function `show` takes.
    """
    part: ModuleType = import_module(f"{package}.{name}")
    try:
        getattr(part, show)(*given)
    except GlassformerError as error:
        if error.key == "file_model":
            show_instead(name.partition(".")[0])
        else:
            st.warning(format_error(error))
