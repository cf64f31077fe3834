"""The models that this browser keeps here: renamed, removed, and how long they stay."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from glassformer.app.runs import kept_models
from glassformer.app.session import store
from glassformer.app.ui.text import literal
from glassformer.app.words import say
from glassformer.core.opening.models import LONGEST_NAME

Change = Callable[[Callable[[], object]], None]


def show_own_models(change: Change) -> None:
    """Draw a row each. change: does what is asked for, and tells what cannot be done."""
    if not (kept := kept_models.own_models()):
        return
    st.markdown(f"**{say('opening.own')}**", help=say("opening.own_help"))
    with st.container(key="own_models", gap="xsmall"):
        for each in kept:
            _row(each, change)


def _row(kept: kept_models.OwnModel, change: Change) -> None:
    widget, days = f"own_model_{kept.fingerprint[:16]}", kept_models.days_left(kept)

    def rename() -> None:
        if typed := store.widget_value(widget):
            change(partial(kept_models.rename_model, kept, typed))

    with st.container(horizontal=True, gap="xsmall", wrap=False, vertical_alignment="center"):
        st.text_input(
            say("opening.own_name", name=literal(kept.name)), **store.bind(widget, kept.name),
            max_chars=LONGEST_NAME, label_visibility="collapsed", on_change=rename,
        )  # fmt: skip
        st.caption(say("opening.own_days", days=days), width="content")
        st.button(
            "×", key=f"widget_remove_{kept.fingerprint[:16]}", type="tertiary",
            help=say("opening.own_remove", name=literal(kept.name)),
            on_click=change, args=(partial(kept_models.remove_model, kept),),
        )  # fmt: skip
