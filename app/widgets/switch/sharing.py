"""The experiment as a link and as a file, in a pop-over; a file is opened there, too."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from app import experiments, service, state, uploads
from app.widgets.switch.keeping import name_of
from app.widgets.text import told
from app.words import say
from core.edits import Experiment
from core.errors import GlassformerError

FILE_NAME = "glassformer-experiment.json"
LARGEST = 1_000_000  # bytes
FAILED = "experiment_file_failed"
ROUND = "experiment_file_round"  # a new uploader after every file, so that one can come twice


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
        st.download_button(
            say("experiment.download"),
            lambda: named.to_json(model),
            file_name=FILE_NAME,
            mime="application/json",
            key="widget_experiment_download",
            help=say("experiment.download_help"),
            icon=":material/download:",
            disabled=not now,
            width="stretch",
            on_click="ignore",
        )
        _open()


def _link() -> None:
    query = state.get_state().to_query()
    if experiments.now() and "edits" not in query:
        st.caption(say("experiment.link_long"))
        return
    page = (st.context.url or "").partition("?")[0]
    st.code(f"{page}?{urlencode(query)}", language=None, height=70)


def _open() -> None:
    widget = f"experiment_file_{state.kept(ROUND, 0)}"

    def take() -> None:
        given = state.widget_value(widget)
        if given is not None:
            state.keep(ROUND, state.kept(ROUND, 0) + 1)
            open_file(uploads.dropped(given)[1])

    st.file_uploader(
        say("experiment.open"),
        type="json",
        max_upload_size=1,
        key=f"widget_{widget}",
        help=say("experiment.open_help"),
        on_change=take,
    )
    failed: GlassformerError | None = state.kept(FAILED)
    if failed is not None:
        st.error(told(failed))


def open_file(given: bytes) -> None:
    """Switch to the experiment of a file; one that cannot be used changes nothing and is told."""
    try:
        if len(given) > LARGEST:
            raise GlassformerError("experiment_damaged", problem=f"{len(given):,} > {LARGEST:,}")
        text = given.decode("utf-8")
        found = Experiment.from_json(text, service.plain_model())
    except UnicodeDecodeError:
        state.keep(FAILED, GlassformerError("experiment_damaged", problem="UTF-8"))
    except GlassformerError as error:
        state.keep(FAILED, error)
    else:
        state.keep(FAILED, None)
        if found.name.strip():
            experiments.keep(found.name, found)
        experiments.put(found)
