"""The workshop: the form on the left; its data, and then its run, on the right."""

from __future__ import annotations

import streamlit as st

from app import trainings
from app.widgets.style import put_sheet
from app.widgets.workshop import actions, data, live, settings
from app.widgets.workshop.form import get_form


def show() -> None:
    """Draw the workshop below the frame of the page."""
    put_sheet(__file__, "workshop.css")
    form, run = get_form(), trainings.current_run()
    left, right = st.columns([1, 2.9], gap="medium")
    with left, st.container(key="workshop_form", gap="xsmall"):
        settings.show(form, fixed=run is not None)
        actions.show(form, run)
    with right, st.container(key="workshop_place", gap="xsmall"):
        if run is None:
            data.show(form)
        else:
            live.show(run)
