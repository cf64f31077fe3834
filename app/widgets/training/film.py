"""The film strip: one head at all steps."""

from __future__ import annotations

from typing import cast

import streamlit as st

from app.figures.labels import format_percent, visible
from app.widgets.attention.focus import head_name
from app.widgets.attention.heads import does, role_word
from app.widgets.attention.taught import taught_note, with_mark
from app.widgets.training.film_strip import Shot, StripTexts, film_strip
from app.widgets.training.moving import Training
from app.words import say
from core.reading.attention_views import Kind, sides
from core.reading.film_strip import Frame, film


def show(training: Training) -> None:
    """Draw a map a step under a line that says which head it is."""
    now = training.now
    kind = cast(Kind, now.kind)
    name = head_name(now.layer, now.head)
    note = taught_note(kind, now.layer, now.head)
    title = f"**{name}** · {say(f'attention.title_{kind}')}"
    st.markdown(with_mark(title, note), help=note or None)
    frames = film(training.replay, kind, now.layer, now.head, sides(training.end, kind))
    film_strip(
        [_shot(frame, kind) for frame in frames],
        training.place,
        _texts(training, kind, frames),
        training.look,
        training.goer(),
    )


def _texts(training: Training, kind: Kind, frames: tuple[Frame, ...]) -> StripTexts:
    rows, columns = sides(training.end, kind)
    legend = say("training.film_legend" if kind == "encoder" else "training.film_legend_forced")
    label = say("training.panel_film")
    shape = (len(rows.tokens), len(columns.tokens))
    if any(frame.levels.shape != shape for frame in frames):
        return StripTexts(label, legend)  # pooled, or of other words: a cell has no pair of words
    return StripTexts(
        label, legend, *([visible(word) for word in side.labels] for side in (rows, columns))
    )


def _shot(frame: Frame, kind: Kind) -> Shot:
    step = str(frame.step)
    head = frame.does
    if head is None:
        return Shot(step, frame.levels, "", say("training.step_only", step=step))
    title = f"{say('training.step_only', step=step)}: {does(kind, head)}"
    role = head.clearest
    if role == "mixed":
        return Shot(step, frame.levels, say("training.no_habit"), title)
    word = say(f"training.short_{role_word(kind, role)}")
    return Shot(step, frame.levels, f"{word} {format_percent(head.shares[role])}", title)
