"""The Lab: small computations to change while one watches."""

import streamlit as st

from app.pages.lab import kit
from app.panels.opening.on_file import show_part
from app.runs.turns import admitted
from app.session import store
from app.ui.layout import box
from app.ui.style import put_sheet
from app.words import say

# Every group is a module of this folder with a function `show_<bench>` for each bench.
GROUPS = {
    "notes": ("examples",),
    "weights": ("scaling", "normalisers", "labels", "dictionary", "similarity"),
    "masks": ("masks", "mask_building", "mask_steps"),
    "layers": ("layer_norm", "batch_norm", "norm_axes", "depth", "split"),
    "sequence": ("order", "why", "seq2seq"),
    "model": ("model",),
}


def show() -> None:
    """Draw the list of benches and the chosen one."""
    put_sheet(__file__, "lab.css")
    chosen = store.get_state().lab
    with st.container(key="lab_page", horizontal=True, gap="medium"):
        with box("fill scroll list", "lab_list", gap=None):
            for group, names in GROUPS.items():
                st.markdown(f":small[{say(f'lab.group_{group}')}]")
                labels = {name: say(f"lab.bench_{name}") for name in names}
                kit.choices("lab", "lab_bench", labels, chosen)
        with box("fill scroll", "lab_bench", gap="xsmall"):
            _bench(chosen)


@st.fragment
@admitted
def _bench(name: str) -> None:
    group = next(group for group, names in GROUPS.items() if name in names)
    show_part("app.pages.lab", group, show=f"show_{name}")


if __name__ == "__main__":
    show()
