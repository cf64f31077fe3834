"""The Lab: small computations to change while one watches."""

import streamlit as st

from glassformer.app.pages.lab import kit, tiles
from glassformer.app.panels.opening.on_file import show_part
from glassformer.app.runs.turns import wait_for_turn
from glassformer.app.session import store
from glassformer.app.ui.layout import box, side_by_side
from glassformer.app.ui.pick import menu, set_field
from glassformer.app.ui.style import put_sheet
from glassformer.app.words import say

# Every group is a module of this folder with a function `show_<bench>` for each bench. A bench's
# tile asks what its title asks; its picture, if it has one, is in tile_pictures.py.
GROUPS = {
    "weights": ("scaling", "normalisers", "labels", "dictionary", "similarity"),
    "masks": ("masks", "mask_building", "mask_steps"),
    "layers": ("layer_norm", "batch_norm", "norm_axes", "depth", "split", "one_matrix"),
    "stack": ("skips", "clones"),
    "sequence": ("order", "added", "why", "seq2seq"),
    "model": ("model",),
    "notes": ("examples",),
}


def show() -> None:
    """Draw the chosen bench, or the tiles of all."""
    put_sheet(__file__, "lab.css")
    if chosen := _chosen():
        with st.container(key="lab_page", gap="xsmall"):
            _way_back(chosen)
            with box("fill scroll", "lab_bench", gap="xsmall"):
                _bench(chosen)
    else:
        kit.draw_heading(say("lab.tiles_title"), say("lab.tiles_about"))
        tiles.show(GROUPS)


def _chosen() -> str:
    """The bench; "" for the tiles. Old links to the worked examples do not name them."""
    now = store.get_state()
    if now.lab:
        return "" if now.lab == "tiles" else now.lab
    return "examples" if now.example or "example_" in now.inputs else ""


def _way_back(chosen: str) -> None:
    """The line above a bench: all tiles, this bench in a menu of all, and the one after it."""
    group_of = {name: group for group, names in GROUPS.items() for name in names}
    labels = {
        name: f"{say(f'lab.group_{group}')} · {say(f'lab.bench_{name}')}"
        for name, group in group_of.items()
    }
    names = list(labels)
    after = names[(names.index(chosen) + 1) % len(names)]
    with side_by_side("lab_way_back", "dense", gap="small", wrap=False):
        all_of_them, further = {"lab": "tiles"}, {"lab": after}
        icon = ":material/grid_view:"
        st.button(say("lab.all"), key="lab_all", icon=icon, on_click=store.update,
                  kwargs=all_of_them)  # fmt: skip
        menu("lab_bench", say("lab.bench"), labels, chosen, set_field("lab"))
        st.button(say("lab.next", name=say(f"lab.bench_{after}")), key="lab_next", type="tertiary",
                  on_click=store.update, kwargs=further)  # fmt: skip


@st.fragment
@wait_for_turn
def _bench(name: str) -> None:
    group = next(group for group, names in GROUPS.items() if name in names)
    show_part("glassformer.app.pages.lab", group, show=f"show_{name}")


if __name__ == "__main__":
    show()
