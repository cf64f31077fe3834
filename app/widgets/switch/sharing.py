"""The experiment as a link and as a file, in a pop-over; `app/widgets/opening` opens the file."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from app import experiments, service, state
from app.widgets.switch.keeping import name_of
from app.words import say
from core.edits import Experiment

FILE_NAME = "glassformer-experiment.json"


def show() -> None:
    """Draw the button and what it opens."""
    with st.popover(
        say("experiment.share"),
        key="switch_share",
        icon=":material/share:",
        help=say("experiment.share_help"),
    ):
        st.markdown(f"**{say('experiment.link')}**")
        _link()
        now, model = experiments.now(), service.plain_model()
        named = Experiment(now.switches, name_of(now))
        screen = state.get_state()
        sentence = {name: getattr(screen, name) for name in ("text", "direction", "second")}
        st.download_button(
            say("experiment.download"),
            lambda: named.to_json(model, sentence),
            file_name=FILE_NAME,
            mime="application/json",
            key="widget_experiment_download",
            help=say("experiment.download_help"),
            icon=":material/download:",
            disabled=not now,
            width="stretch",
            on_click="ignore",
        )


def _link() -> None:
    query = state.link()
    if "edits" in state.unlinked():
        st.caption(say("experiment.link_long"))
        return
    page = (st.context.url or "").partition("?")[0]
    st.code(f"{page}?{urlencode(query)}", language=None, height=70)
