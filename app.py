"""The page list and navigation, run for every visitor; `serve.py` has the server."""

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from glassformer.app.frame import frame
from glassformer.app.panels import compare
from glassformer.app.panels.provenance import panel as provenance
from glassformer.app.runs import trainings, turns
from glassformer.app.runs.models import task_of
from glassformer.app.runs.turns import wait_for_turn
from glassformer.app.server import process
from glassformer.app.session import store
from glassformer.app.session.state import State
from glassformer.app.words import say

PAGES = (
    "translate", "walkthrough", "attention", "vectors", "decoding", "switch", "training", "lab",
    "tensors", "lectures",
)  # fmt: skip

if __name__ != "__main__":
    # Never run: `streamlit run app.py` reads here, without running it, that there is a server to be
    # taken from the module `app`; `app/__init__.py` hands out that of serve.py.
    app = st.App("app.py")


@wait_for_turn
def run() -> None:
    """The page on screen, once few enough others are being run."""
    st.set_page_config("Glassformer", "🔍", layout="wide", initial_sidebar_state="collapsed")
    titles = _titles(store.begin_run())
    page = st.navigation(_pages(*titles), position="top")
    if _titles(store.sync(page.url_path)) != titles:
        st.rerun()  # the browser's back button: the page titles are still those of another screen
    trainings.claim_workshop()
    process.prepare_process()
    with turns.interruptible_rerun():
        frame.show()
        if not compare.show(page.url_path):
            page.run()
        provenance.show()


def _titles(state: State) -> tuple[str, str]:
    """What the pages are called by: the language, and what the model does with a text."""
    return state.language, task_of(state.model)


def _pages(language: str, task: str) -> list[StreamlitPage]:
    # Streamlit resolves the path of each page that is made: once a session and language, not a run.
    first = say("frame.translate") if task == "translate" else say(f"frame.page_{task}")
    return store.once(
        lambda: [
            st.Page(
                f"app/pages/{name}/page.py",
                title=first if name == PAGES[0] else say(f"frame.{name}"),
                url_path=name,
                default=name == PAGES[0],
            )
            for name in PAGES
        ],
        None,
        language,
        task,
    )


run()
