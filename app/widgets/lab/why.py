"""An RNN, convolutions and attention on the same words, beside the paper's Table 1."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import streamlit as st

from app import state
from app.figures.lab_bounds import table_html
from app.figures.lab_race import time_figure
from app.figures.lab_why import WhyTexts, travel_figure
from app.widgets.chart import current_look, show_chart
from app.widgets.lab import kit
from app.widgets.lab.kit import Field
from app.widgets.style import put_sheet
from app.words import say
from core.lab.inputs import choice
from core.lab.race import LENGTHS, Race, race
from core.lab.table_one import Bound, table_one
from core.lab.why_attention import KINDS, Route, routes

VIEWS = ("travel", "time")
WINDOW = 8  # r of restricted attention
RACED = (*LENGTHS, 1024)  # words
RACE_WIDTH, RACE_KERNEL, RACE_SECONDS = 64, 3, 3
TABLE = ("cost", "sequential", "path")


class Compared(NamedTuple):
    """What was measured on one sequence, the paper's bounds for it, and what is looked at."""

    routes: tuple[Route, ...]
    bounds: tuple[Bound, ...]
    view: str


def show() -> None:
    """Draw the bench."""
    put_sheet(__file__, "measured.css")
    kit.head("why")
    answer = kit.worked("why", _fields(), _computed)
    texts = _texts()
    with st.container(key="lab_chart", horizontal=True, gap="medium"):
        with st.container(key="lab_why_picture", gap="xsmall"):
            if answer.result.view == "travel":
                figure = travel_figure(answer.result.routes, texts, current_look())
            else:
                figure = time_figure(_race(), texts, current_look())
            alt = say(f"lab_why.alt_{answer.result.view}")
            show_chart(figure, f"lab_why_{answer.result.view}", alt, fill=True)
        with st.container(key="lab_why_table", gap=None):
            _table(answer.result, dict(answer.typed))


@lru_cache(maxsize=32)
def _computed(length: Any, width: Any, kernel: Any, view: Any) -> Compared:
    found = routes(length, width, kernel)
    return Compared(found, table_one(length, width, kernel, WINDOW), choice("view", view, VIEWS))


def _race() -> Race | None:
    """The button and the last race of this session."""
    found: Race | None = state.kept("lab_race")
    button, line = st.columns([1, 2.2], gap="small", vertical_alignment="center")
    said = line.empty()
    if button.button(say("lab_why.measure"), key="lab_why_measure", width="stretch"):
        bar = said.progress(0.0)

        def told(share: float) -> None:
            bar.progress(share)

        found = race(RACED, RACE_WIDTH, RACE_KERNEL, limit=RACE_SECONDS, report=told)
        state.keep("lab_race", found)
    said.markdown(f":small[{_verdict(found)}]")
    return found


def _verdict(found: Race | None) -> str:
    values = {"width": RACE_WIDTH, "kernel": RACE_KERNEL, "limit": RACE_SECONDS}
    if found is None:
        return say("lab_why.race_waiting", longest=max(RACED), **values)
    if found.overtaken is None:
        return say("lab_why.race_never", **values)
    return say("lab_why.race_from", length=found.overtaken, **values)


def _table(found: Compared, typed: dict[str, Any]) -> None:
    kinds = {each.layer: say(f"lab_why.layer_{each.layer}") for each in found.bounds}
    heads = [say(f"lab_why.head_{name}") for name in TABLE]
    sizes = {name: typed[name] for name in ("length", "width", "kernel")}
    stacked = next(each for each in found.routes if each.kind == "convolution")
    spaced = next(each for each in found.routes if each.kind == "dilated")
    st.markdown(
        f"**{say('lab_why.table')}** :small[{say('lab_why.sizes', window=WINDOW, **sizes)}]"
    )
    st.html(
        table_html(found.bounds, found.routes, heads, kinds, say("lab_why.here"), current_look())
    )
    layers = {"stacked": stacked.layers, "spaced": spaced.layers}
    st.markdown(f":small[{say('lab_why.layers', **layers)}]")


def _texts() -> WhyTexts:
    names = ("gradient", "path", "word", "hover", "length", "time", "time_hover", "waiting")
    said = {name: say(f"lab_why.{name}") for name in names}
    return WhyTexts(kinds={kind: say(f"lab_why.kind_{kind}") for kind in KINDS}, **said)


def _fields() -> list[Field]:
    def about(name: str) -> str:
        return say(f"lab_why.input_{name}")

    views = {view: say(f"lab_why.view_{view}") for view in VIEWS}
    return [
        Field("view", say("lab_why.view"), "travel", "choice", "weights", options=views),
        Field("length", "n", 24, "slider", about=about("length"), low=2, high=32, step=1),
        Field("width", "d", 16, "slider", about=about("width"), low=4, high=16, step=4),
        Field("kernel", "k", 3, "slider", about=about("kernel"), low=2, high=9, step=1),
    ]
