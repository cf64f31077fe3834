"""Where two runs differ most, of all cells of all heads: in a sentence, and the way there."""

from collections.abc import Callable
from html import escape
from typing import Any

import streamlit as st

from glassformer.app.panels.compare import triple
from glassformer.app.panels.compare.wording import cell_in_words, change_in_words
from glassformer.app.session import store
from glassformer.app.session.memory import Pair
from glassformer.app.ui.layout import box
from glassformer.app.ui.text import on_top
from glassformer.app.words import say
from glassformer.core.analysis.comparison import Furthest, furthest


def find_largest_difference(pair: Pair) -> Furthest | None:
    """The largest difference; found once for two runs."""
    runs = pair.first, pair.second
    return store.once(lambda: furthest(runs, pair.kind == "experiment"), runs[1], id(runs[0]))


def show(pair: Pair, name: str, go: Callable[[Pair, Furthest], None] | None = None) -> None:
    """Draw the sentence and the button, which is gone where one is already; nothing without one."""
    found = find_largest_difference(pair)
    if found is None:
        return
    said = say(
        "experiment.compare_largest",
        kind=say(f"frame.focus_{found.kind}"),
        layer=found.layer + 1,
        head=found.head + 1,
        place=f"<b>{escape(cell_in_words(found.map, found.row, found.column))}</b>",
        change=change_in_words(found.map, found.row, found.column, store.get_state().precision),
    )
    row = {"horizontal": True, "vertical_alignment": "center", "gap": "small"}
    with box("dense", f"{name}_largest", **row):
        on_top(said, width="content")
        if go and store.get_state().changed(**_focus(pair, found)) != store.get_state():
            st.button(
                say("experiment.compare_go"),
                key=f"widget_{name}_go",
                icon=":material/near_me:",
                help=say("experiment.compare_go_help"),
                on_click=go,
                args=(pair, found),
            )


def jump_to_difference(pair: Pair, found: Furthest, **more: Any) -> None:
    """Bring the head into view and frame the cell; more: fields of the state that go with it."""
    store.update(**_focus(pair, found) | more)


def _focus(pair: Pair, found: Furthest) -> dict[str, Any]:
    own = triple.anchor_run(pair)
    row = int(found.map.rows.places[own][found.row])
    column = int(found.map.columns.places[own][found.column])
    place = {"stage": "weights", "kind": found.kind, "layer": found.layer, "head": found.head}
    return place | {"query": row, "key": column}
