"""The Lab: small computations to change while one watches."""

from __future__ import annotations

import streamlit as st

from app import state
from app.admission import admitted
from app.widgets.chart import current_look
from app.widgets.parts import show_part
from app.widgets.style import put_sheet
from app.words import say

# Every bench is a module of this folder with `show()`.
GROUPS = {
    "notes": ("examples",),
    "weights": ("scaling", "normalisers", "dictionary", "masks"),
    "layers": ("layer_norm", "batch_norm", "depth", "split"),
    "sequence": ("order", "why"),
}


def show() -> None:
    """Draw the list of benches and the chosen one."""
    for style in ("lab.css", "benches.css"):
        put_sheet(__file__, style)
    st.html(f"<style>:root {{ --lab-wrong: {current_look().colour('changed')}; }}</style>")
    chosen = state.get_state().lab
    with st.container(key="lab_page", horizontal=True, gap="medium"):
        with st.container(key="lab_list", width=190, gap=None):
            _list(chosen)
        with st.container(key="lab_bench", gap="xsmall"):
            _bench(chosen)


def _list(chosen: str) -> None:
    for group, names in GROUPS.items():
        st.markdown(f":small[{say(f'lab.group_{group}')}]")
        for name in names:
            st.button(
                say(f"lab.bench_{name}"),
                key=f"lab_bench_{name}" + ("_chosen" if name == chosen else ""),
                type="tertiary",
                width="stretch",
                on_click=_choose,
                args=(name,),
            )


def _choose(name: str) -> None:
    state.update(lab=name)


@st.fragment
@admitted
def _bench(name: str) -> None:
    show_part(__package__, name)
