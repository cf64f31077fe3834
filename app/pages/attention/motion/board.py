"""What moves: the boxes of one row, their numbers and pictures; the browser has the time."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from app.pages.attention.motion.story import Story
from app.panels.attention.focus import AttentionFocus
from app.panels.compare import pickers
from app.plots.colours import diverging
from app.plots.labels import visible
from app.session import store
from app.session.state import KINDS, MOTION
from app.ui.component import CELLS, component, packed
from app.ui.layout import box
from app.ui.pick import choice, into, menu
from app.ui.text import literal
from app.words import say
from core.analysis.attention_row import attention_row
from core.analysis.attention_views import layers_of, partner

TEXTS = ("label", "back", "play", "stop", "on", "line", "speed", "pick", "hidden")
LANES = ("q", "k", "product", "dimension", "scores", "masked", "weights", "value", "output")
DIMENSIONS = 9  # boxes side by side at 100 %, the last one for all others
MIDDLE = 127  # the level of 0 in a picture

_board = component(__file__, "motion", scripts=(CELLS, "stills.js"))


def show(focus: AttentionFocus) -> None:
    """Draw the pickers of the row and its movement, over the whole page."""
    now = focus.now
    if now.head is None:  # a mean has no q and no k
        store.update(head=0)
        st.rerun()
    with st.container(gap="xsmall"):
        with pickers.row("motion"):
            choice("motion_kind", "attention.kind", KINDS, now.kind, into("kind"))
            pickers.layers(layers_of(focus.trace, focus.kind), now.layer, into("layer"), "motion")
            pickers.one_head(focus.trace, "motion")
            words = [say("motion.row", word=visible(word)) for word in focus.sides[0].labels]
            labels, take = dict(enumerate(words)), partial(_row, focus)
            menu("motion_row", say("motion.rows"), labels, focus.cell[0], take, width=180)
            st.button(
                say("attention.view_matrix"), key="motion_close", icon=":material/grid_on:",
                help=say("motion.close"), on_click=store.update, kwargs={"view": "matrix"},
            )  # fmt: skip
        st.caption(say("motion.about", word=literal(visible(focus.words[0]))))
        with box("fill", "motion_place"):
            _board(
                "motion",
                board_data(focus),
                height="stretch",
                pick=partial(_picked, focus),
                at=_arrived,
            )


def board_data(focus: AttentionFocus) -> dict[str, Any]:
    """What is sent: the stations, the boxes with their numbers, the pictures of vectors."""
    now, look, (query, key) = focus.now, focus.look, focus.cell
    row = attention_row(focus.trace, focus.kind, now.layer, now.head or 0, query)
    words = [visible(word) for word in focus.sides[1].labels]
    asks = visible(focus.sides[0].labels[query])
    story = Story(row, (asks, words[key]), key, focus.trace.config, look)
    return {
        "stations": story.stations(),
        "row": asks,
        "head": row.head,
        "heads": [say("motion.head", head=at + 1) for at in range(len(row.q))],
        "columns": columns(story, words),
        "dimensions": dimensions(story),
        "sum": story.short(row.scores[key]),
        "result": story.short(row.context[row.head, row.feature]),
        "pictures": {
            "q": _picture(row.q), "k": _picture(row.k[key]), "v": _picture(row.v),
            "context": _picture(row.context), "output": _picture(row.output),
        },
        "scale": diverging(look.dark),
        "lanes": {name: say(f"motion.lane_{name}", **_named(story)) for name in LANES},
        "lanes_scaled": "= " if row.unscaled else f"÷ √{story.config.d_k}",
        "texts": {name: say(f"motion.{name}") for name in TEXTS},
        "type": look.px(17),
        "at": MOTION.index(now.motion),
    }  # fmt: skip


def _named(story: Story) -> dict[str, Any]:
    return {"word": story.words[0], "key": story.words[1], "feature": story.row.feature + 1}


def columns(story: Story, words: Sequence[str]) -> list[dict[str, Any]]:
    """A box each of the telling keys, and one for all others together."""
    row, feature = story.row, story.row.feature
    found = [
        {
            "word": words[at], "key": at, "focus": at == story.key,
            "hidden": not row.allowed[at], "share": _share(row.weights[at]),
            "scores": story.short(row.scores[at]), "scaled": story.short(row.scaled[at]),
            "masked": story.short(row.masked[at]), "weights": story.short(row.weights[at]),
            "value": story.short(row.v[at, feature]), "part": story.short(row.parts[at, feature]),
        }
        for at in story.drawn
    ]  # fmt: skip
    rest = sorted(set(range(len(words))) - set(story.drawn))
    if rest:
        weight, part = row.weights[rest].sum(), row.parts[rest, feature].sum()
        dots = dict.fromkeys(("scores", "scaled", "masked", "value"), "…")
        told = {"weights": story.short(weight), "part": story.short(part), "share": _share(weight)}
        word = say("motion.others", count=len(rest))
        found.append({"word": word, "key": None, "focus": False, "hidden": False} | dots | told)
    return found


def dimensions(story: Story) -> list[dict[str, str]]:
    """The largest products of q · k, and the sum of all others."""
    products = story.row.products(story.key)
    q, k = story.row.q[story.row.head], story.row.k[story.key]
    order = np.argsort(-np.abs(products), kind="stable").tolist()
    most = max(4, DIMENSIONS * 100 // story.look.size - 1)
    single = order if len(order) <= most + 1 else order[:most]
    found = [
        {"name": str(at + 1), "q": story.short(q[at]), "k": story.short(k[at]),
         "product": story.short(products[at])}
        for at in single
    ]  # fmt: skip
    if rest := order[len(single) :]:
        name = say("motion.others", count=len(rest))
        total = story.short(products[rest].sum())
        found.append({"name": name, "q": "…", "k": "…", "product": total})
    return found


def _share(weight: float) -> float:
    return float(np.clip(np.nan_to_num(weight), 0, 1))


def _picture(numbers: np.ndarray) -> dict[str, Any]:
    """Signed numbers as levels, 0 in the middle; (rows, columns) of one picture each."""
    rows = np.atleast_2d(np.nan_to_num(numbers, posinf=0, neginf=0))
    most = float(np.abs(rows).max()) or 1.0
    levels = np.rint(MIDDLE + MIDDLE * rows / most).astype(np.uint8)
    return {"levels": packed(levels), "width": rows.shape[1]}


def _row(focus: AttentionFocus, query: int) -> None:
    """Another row is followed, at first to the word that it looks at most."""
    store.update(query=query, key=partner(focus.view.weights, query=query))


def _picked(focus: AttentionFocus, sent: Mapping[str, Any]) -> None:
    """A word was clicked: its number is the one that the formulas follow."""
    store.update(query=focus.cell[0], key=int(sent["key"]))


def _arrived(sent: Mapping[str, Any]) -> None:
    """The movement rests at a station: a link opens it there."""
    store.update(motion=MOTION[int(sent["at"])])
