"""The page list and navigation, run for every visitor; `serve.py` has the server."""

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from app import process, state, work
from app.admission import admitted
from app.widgets import beside, frame, trail
from app.words import say

PAGES = (
    "translate", "walkthrough", "attention", "vectors", "decoding", "switch", "training", "lab",
    "tensors",
)  # fmt: skip

if __name__ != "__main__":
    # Never run: `streamlit run app.py` reads here, without running it, that there is a server to be
    # taken from the module `app`; `app/__init__.py` hands out that of serve.py.
    app = st.App("app.py")


@admitted
def run() -> None:
    """The page on screen, once few enough others are being run."""
    st.set_page_config("Glassformer", "🔍", layout="wide", initial_sidebar_state="collapsed")
    language = state.begin().language
    page = st.navigation(_pages(language), position="top")
    if state.sync(page.url_path).language != language:
        st.rerun()  # the browser's back button: the page titles are still in the other language
    process.prepare()
    with work.heard():
        frame.show()
        if not beside.show(page.url_path):
            page.run()
        trail.show()


def _pages(language: str) -> list[StreamlitPage]:
    # Streamlit resolves the path of each page that is made: once a session and language, not a run.
    pages = state.kept(f"pages_{language}")
    if pages is None:
        pages = [
            st.Page(f"app/views/{name}.py", title=say(f"frame.{name}"), default=name == PAGES[0])
            for name in PAGES
        ]
        state.keep(f"pages_{language}", pages)
    return pages


run()
