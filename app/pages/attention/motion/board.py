"""What moves: the boxes of one row, their numbers and pictures; the browser has the time."""

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from glassformer.app.pages.attention.figures import term_rows
from glassformer.app.pages.attention.motion.story import Story
from glassformer.app.panels.attention.focus import AttentionFocus
from glassformer.app.panels.compare import pickers
from glassformer.app.plots.colours import diverging_scale
from glassformer.app.plots.labels import MINUS, format_number, visible
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.session import store
from glassformer.app.session.state import MOTION
from glassformer.app.ui.component import CELLS, component, pack_numbers
from glassformer.app.ui.layout import box
from glassformer.app.ui.pick import menu, set_field
from glassformer.app.ui.text import literal, with_arrows
from glassformer.app.words import say
from glassformer.core.analysis.attention_cell import cell_terms
from glassformer.core.analysis.attention_row import attention_row
from glassformer.core.analysis.attention_views import layers_of, strongest_partner

TEXTS = ("label", "back", "play", "stop", "on", "line", "speed", "pick", "hidden")
LANES = ("q", "k", "product", "dimension", "scores", "masked", "weights", "value", "output")
DIMENSIONS = 9  # products side by side at 100 %, the last one all others together
LEAST, SMALL = 0.0005, 0.1  # in a box, smaller numbers are "≈ 0", or have three decimals
MIDDLE = 127  # the level of 0 in a picture

_board = component(__file__, "motion", scripts=(CELLS, "stills.js"))


def show(focus: AttentionFocus) -> None:
    """Draw the pickers of the row and its movement, over the whole page."""
    now = focus.now
    if now.head is None:  # a mean has no q and no k
        store.update(head=0)
        st.rerun()
    with st.container(gap="xsmall"):
        with pickers.picker_row("motion"):
            pickers.pick_kind(focus.trace, "motion")
            pickers.pick_layer(
                layers_of(focus.trace, focus.kind), now.layer, set_field("layer"), "motion"
            )
            pickers.one_head(focus.config.n_heads, "motion")
            words = [say("motion.row", word=visible(word)) for word in focus.sides[0].labels]
            labels, take, wide = dict(enumerate(words)), partial(_row, focus), focus.look.px(180)
            menu("motion_row", say("motion.rows"), labels, focus.cell[0], take, width=wide)
            st.button(
                say("attention.view_matrix"), key="motion_close", icon=":material/grid_on:",
                help=say("motion.close"), on_click=store.update, kwargs={"view": "matrix"},
            )  # fmt: skip
        st.caption(say("motion.about", word=literal(visible(focus.words[0]))))
        with box("fill", "motion_place"):
            data, pick = board_data(focus), partial(_picked, focus)
            _board("motion", data, height="stretch", pick=pick, at=_arrived)


def board_data(focus: AttentionFocus) -> dict[str, Any]:
    """What is sent: the stations, the boxes with their numbers, the pictures of vectors."""
    now, trace, look, (query, key) = focus.now, focus.trace, focus.look, focus.cell
    place = (trace, focus.kind, now.layer, now.head or 0, query)
    row, cell = attention_row(*place), cell_terms(*place, key)
    asks, words = visible(focus.sides[0].labels[query]), focus.sides[1].labels
    itself = None if focus.kind == "cross" else query
    asked = asks, visible(words[key])
    story = Story(row, cell, asked, key, focus.config, look, focus.kind, itself)
    named = {"word": asks, "key": story.words[1], "feature": row.feature + 1}
    vectors = {"q": row.q, "k": row.k[key], "v": row.v, "context": row.context,
               "output": row.output}  # fmt: skip
    return {
        "stations": story.stations(),
        "row": asks,
        "head": row.head,
        "heads": [say("motion.head", head=at + 1) for at in range(len(row.q))],
        "columns": story_columns(story, [visible(word) for word in words]),
        "dimensions": dimensions(story),
        "sum": short_number(cell.score, look),
        "result": short_number(row.context[row.head, row.feature], look),
        "pictures": {name: _picture(numbers) for name, numbers in vectors.items()},
        "scale": diverging_scale(look.dark),
        "lanes": {name: say(f"motion.lane_{name}", **named) for name in LANES}
        | {"scaled": "=" if row.unscaled or not row.divides else f"÷ √{focus.config.d_k}"},
        "texts": {name: with_arrows(say(f"motion.{name}")) for name in TEXTS},
        "type": look.px(17),
        "at": MOTION.index(now.motion),
    }


def story_columns(story: Story, words: list[str]) -> list[dict[str, Any]]:
    """A box each of the telling keys, and one for all others together."""
    row, look = story.row, story.look
    numbers = {name: getattr(row, name) for name in ("scores", "scaled", "masked", "weights")}
    numbers |= {"value": row.v[:, row.feature], "part": row.parts[:, row.feature]}
    found = [
        {"word": words[at], "key": at, "focus": at == story.key, "hidden": not row.allowed[at],
         "share": _share(row.weights[at])}
        | {name: short_number(values[at], look) for name, values in numbers.items()}
        for at in story.drawn
    ]  # fmt: skip
    if rest := sorted(set(range(len(words))) - set(story.drawn)):
        sums = {name: short_number(numbers[name][rest].sum(), look) for name in ("weights", "part")}
        about: dict[str, Any] = {
            "word": say("motion.others", count=len(rest)), "key": None, "focus": False,
            "hidden": False, "share": _share(row.weights[rest].sum()),
        }  # fmt: skip
        found.append(about | dict.fromkeys(numbers, "…") | sums)
    return found


def dimensions(story: Story) -> list[dict[str, str]]:
    """The largest products of q · k, and the sum of all others."""
    most = max(5, DIMENSIONS * 100 // story.look.size)
    return [
        {"name": each.label, "product": short_number(each.product, story.look)}
        | {name: "…" if math.isnan(value) else short_number(value, story.look)
           for name, value in (("q", each.q), ("k", each.k))}
        for each in term_rows(story.cell, "largest", most)
    ]  # fmt: skip


def short_number(value: float, look: FigureStyle) -> str:
    """A number for a box: of few digits, three decimals where it is small."""
    if 0 < abs(value) < LEAST:
        return "≈ 0"
    if 0 < abs(value) < SMALL:
        return f"{value:.3f}".replace("-", MINUS)
    return format_number(float(value), min(look.precision, 4))


def _share(weight: float) -> float:
    return float(np.clip(np.nan_to_num(weight), 0, 1))


def _picture(numbers: np.ndarray) -> dict[str, Any]:
    """Signed numbers as levels, 0 in the middle: a line of so many cells for each vector."""
    finite = np.nan_to_num(numbers, posinf=0, neginf=0)
    levels = np.rint(MIDDLE + MIDDLE * finite / (np.abs(finite).max() or 1.0)).astype(np.uint8)
    return {"levels": pack_numbers(levels), "width": numbers.shape[-1]}


def _row(focus: AttentionFocus, query: int) -> None:
    """Another row is followed, at first to the word that it looks at most."""
    store.update(query=query, key=strongest_partner(focus.view.weights, query=query))


def _picked(focus: AttentionFocus, sent: Mapping[str, Any]) -> None:
    """A word was clicked: its number is the one that the formulas follow."""
    store.update(query=focus.cell[0], key=int(sent["key"]))


def _arrived(sent: Mapping[str, Any]) -> None:
    """The movement rests at a station: a link opens it there."""
    store.update(motion=MOTION[int(sent["at"])])
