"""The Lab: small computations to change while one watches."""

import streamlit as st

from glassformer.app.pages.lab import kit, tiles
from glassformer.app.panels.panel import panels_of
from glassformer.app.runs.turns import wait_for_turn
from glassformer.app.session import store
from glassformer.app.ui.layout import box, side_by_side
from glassformer.app.ui.pick import menu, set_field
from glassformer.app.ui.style import put_sheet
from glassformer.app.words import say


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
        tiles.show()


def _chosen() -> str:
    """The bench; "" for the tiles. Old links to the worked examples do not name them."""
    now = store.get_state()
    if now.lab:
        return "" if now.lab == "tiles" else now.lab
    return "examples" if now.example or "example_" in now.inputs else ""


def _way_back(chosen: str) -> None:
    """The line above a bench: all tiles, this bench in a menu of all, and the one after it."""
    benches = panels_of("lab")
    labels = {each.id: f"{say(each.group)} · {say(each.title)}" for each in benches.values()}
    names = list(benches)
    after = names[(names.index(chosen) + 1) % len(names)]
    with side_by_side("lab_way_back", "dense small", gap="small", wrap=False):
        all_of_them, further = {"lab": "tiles"}, {"lab": after}
        icon = ":material/grid_view:"
        st.button(say("lab.all"), key="lab_all", icon=icon, on_click=store.update,
                  kwargs=all_of_them)  # fmt: skip
        menu("lab_bench", say("lab.bench"), labels, chosen, set_field("lab"))
        label = say("lab.next", name=say(benches[after].title))
        st.button(label, key="lab_next", type="tertiary", on_click=store.update, kwargs=further)


@st.fragment
@wait_for_turn
def _bench(name: str) -> None:
    panels_of("lab")[name].show()


if __name__ == "__main__":
    show()
