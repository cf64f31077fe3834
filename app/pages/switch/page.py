"""The page: the switches on the left, what they did in the middle and on the right."""

import streamlit as st

from glassformer.app.pages.switch import bar
from glassformer.app.pages.switch.examples import panel as examples
from glassformer.app.panels.opening import on_file
from glassformer.app.panels.opening.on_file import show_part
from glassformer.app.panels.panel import show_picker
from glassformer.app.runs import on_screen
from glassformer.app.session import experiments, store
from glassformer.app.ui.layout import box
from glassformer.app.ui.style import put_sheet
from glassformer.app.words import say

ATTENTION = ("masks", "heads")  # with these, attention comes into view


def show() -> None:
    """Draw the panel that the state names, and beside it its effect.

    A run of a file cannot be switched: only its model can compute another one.
    """
    put_sheet(__file__, "switch.css")
    with st.container(key="switch_page", gap="xsmall"):
        if on_screen.file_on_screen() is not None:
            on_file.show_instead("switch")
            return
        bar.show()
        panel = show_picker("switch", "switch_groups", say("switch.group"), go_to)
        if panel.fills:
            panel.show()
            return
        if (
            panel.id == "examples"
            and not experiments.current_experiment()
            and on_screen.pair_on_screen() is None
        ):
            examples.show_gallery()
            return
        if panel.id == "masks":
            _show_masks()
            return
        with box("thirds", "switch_thirds"):
            left, middle, right = st.columns([1.35, 1.9, 1.2], gap="medium")
        with left, st.container(key="switch_group", gap="small"):
            panel.show()
        with middle, st.container(key="switch_panel", gap="xsmall"):
            show_part("glassformer.app.pages.switch", "panel")
        with right, st.container(key="switch_effect", gap="xsmall"):
            show_part("glassformer.app.pages.switch", "effect")


def _show_masks() -> None:
    """The mask that is painted, large, and what it did beside it; the attention below both."""
    with box("stage", "mask_page"):
        left, middle, right = st.columns(3)
        with left:
            show_part("glassformer.app.pages.switch", "masks.panel")
        with middle, st.container(key="switch_effect", gap="xsmall"):
            show_part("glassformer.app.pages.switch", "effect")
        with right:
            show_part("glassformer.app.pages.switch", "masks.panel", show="show_settings")
    with box("across", "mask_panel", gap="xsmall"):
        show_part("glassformer.app.pages.switch", "panel")


def go_to(group: str) -> None:
    """Show another group; the panel leaves a tensor that an example brought into view."""
    store.update(switches=group, **({"address": ""} if group in ATTENTION else {}))


if __name__ == "__main__":
    show()
