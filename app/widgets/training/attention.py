"""The head in focus at the step in view, and all heads of its kind beside it."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from app import state
from app.figures.attention_map import MapLayout, map_figure
from app.widgets.attention.focus import Focus
from app.widgets.attention.heads import does, grid_texts, thumbnails
from app.widgets.attention.picture import alt, map_texts
from app.widgets.attention.taught import taught_note, with_mark
from app.widgets.chart import show_chart
from app.widgets.head_grid import head_grid
from app.widgets.training.moving import Training
from app.words import say
from core.reading.attention_views import overview
from core.reading.head_roles import describe

HEIGHT, WIDTH = 360, 640


def show(training: Training) -> None:
    """Draw all heads small, one large, and what it does at this step and at the end."""
    now = replace(training.now, stage="weights", view="matrix", order="place")
    focus = Focus(now, training.trace, training.look)
    left, middle, right = st.columns([1.6, 2.3, 1.1], gap="medium")
    with left.container(key="training_heads"):
        head_grid(
            overview(focus.trace, focus.kind),
            thumbnails(focus),
            (now.layer, now.head),
            grid_texts(focus),
            focus.look,
            _pick,
        )
    with middle.container(key="training_picture"):
        layout = MapLayout(focus.cell if focus.pinned else None, False, WIDTH, HEIGHT)
        figure = map_figure(
            focus.view, focus.sides, "weights", map_texts(focus), focus.look, layout
        )
        show_chart(figure, "training_attention", alt(focus), fill=True)
    with right.container(key="training_says", gap="small"):
        note = taught_note(focus.kind, now.layer, now.head)
        title = f"**{focus.name}** · {say(f'attention.title_{focus.kind}')}"
        st.markdown(with_mark(title, note, "  \n"), help=note or None)  # the column is narrow
        st.markdown(_does(training, focus))
        st.caption(say("training.attention_note"))


def _does(training: Training, focus: Focus) -> str:
    layer, head = focus.now.layer, focus.now.head
    here = does(focus.kind, describe(focus.trace, focus.kind, layer, head))
    last = does(focus.kind, describe(training.end, focus.kind, layer, head))
    said = say("training.does_here", step=training.steps[training.place], does=here)
    if training.now.step:
        said += "  \n" + say("training.does_end", does=last)
    return said


def _pick(layer: int, head: int | None) -> None:
    state.update(layer=layer, head=head)
