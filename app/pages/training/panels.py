"""The panels of the replay: one of them is drawn below the curves, for the step in view."""

from collections.abc import Mapping
from dataclasses import replace
from html import escape
from typing import Any, cast

import numpy as np
import streamlit as st

from glassformer.app.pages.training.curves import Training
from glassformer.app.pages.training.figures.lengths import (
    ROLES,
    lengths_figure,
    similarity_figure,
    sizes_figure,
)
from glassformer.app.pages.training.figures.words import ends_of, group_colours, words_figure
from glassformer.app.panels.attention.attention_map import MapLayout, map_figure
from glassformer.app.panels.attention.focus import AttentionFocus
from glassformer.app.panels.attention.heads import (
    head_role_sentence,
    role_word,
    show_heads,
    show_title,
)
from glassformer.app.panels.attention.picture import head_in_words
from glassformer.app.panels.words import words_panel
from glassformer.app.panels.words.words_panel import apply_layout
from glassformer.app.plots.colours import sequential
from glassformer.app.plots.labels import format_percent, visible
from glassformer.app.ui.chart import show_chart
from glassformer.app.ui.component import CELLS, component, go_to_place, pack_numbers
from glassformer.app.ui.layout import box
from glassformer.app.words import say, say_each
from glassformer.core.analysis.attention_views import Kind, attention_sides
from glassformer.core.analysis.head_roles import describe
from glassformer.core.analysis.training_views import (
    Frame,
    agreeing_words,
    head_frames,
    marked_text,
    mean_length,
    similarity,
    stream_places,
    word_groups,
)
from glassformer.core.trace.tables import as_numpy

ATTENTION_HEIGHT, ATTENTION_WIDTH = 360, 640
POSITIONS_HEIGHT, POSITIONS_WIDTH = 352, 480
WORD_MAP_HEIGHT, WORD_MAP_WIDTH = 330, 900  # of the plot in a window of 1280 × 720
LENGTHS_HEIGHT = 330

_steps = component(__file__, "steps", scripts=(CELLS,))


def show_translation(training: Training) -> None:
    """Draw the list of all steps beside the words of one; a click on a step goes there."""
    apply_layout()
    texts = say_each("training.step training.translation training.nothing")
    language = training.trace.language  # of the translations
    data = {
        "rows": translation_rows(training),
        "now": training.place,
        "language": language,
        "texts": texts,
    }
    left, right = st.columns([6, 5], gap="medium")
    with left, box("fill", "training_steps", gap=None):
        go = go_to_place(len(training.steps), training.go)
        _steps("step_table", data, height="stretch", go=go)
    with right, box("fill", "training_words", gap="xsmall"):
        words_panel.show(training.trace, candidates=False)


def translation_rows(training: Training) -> list[dict[str, Any]]:
    """A row a step; words that stand in the translation of the end, in its order, are marked."""
    end = training.replay.moments[-1].tokens
    return [
        {
            "step": str(each.step),
            "parts": marked_text(each.text, each.tokens, agreeing_words(each.tokens, end)),
        }
        for each in training.replay.moments
    ]


def show_attention(training: Training) -> None:
    """Draw all heads small, one large, and what it does at this step and at the end."""
    now = replace(training.now, stage="weights", view="matrix", order="place")
    focus = AttentionFocus(now, training.trace, training.look)
    left, middle, right = st.columns([1.6, 2.3, 1.1], gap="medium")
    with left, box("fill scroll", "training_heads"):
        show_heads(focus)
    with middle, box("fill", "training_picture"):
        cell = focus.cell if focus.pinned else None
        layout = MapLayout(cell, False, ATTENTION_WIDTH, ATTENTION_HEIGHT)
        figure = map_figure(focus.view, focus.sides, "weights", focus.look, layout)
        show_chart(figure, "training_attention", head_in_words(focus), fill=True)
    with right.container(key="training_says", gap="small"):
        show_title(focus.kind, now.layer, now.head, joint="  \n")  # the column is narrow
        st.markdown(_does(training, focus))
        st.caption(say("training.attention_note"))


def _does(training: Training, focus: AttentionFocus) -> str:
    layer, head = focus.now.layer, focus.now.head
    here = head_role_sentence(focus.kind, describe(focus.trace, focus.kind, layer, head))
    last = head_role_sentence(focus.kind, describe(training.end, focus.kind, layer, head))
    said = say("training.does_here", step=training.steps[training.place], does=here)
    if training.now.step:
        said += "  \n" + say("training.does_end", does=last)
    return said


def show_film(training: Training) -> None:
    """Draw a map a step under a line that says which head it is."""
    now, kind = training.now, cast(Kind, training.now.kind)
    show_title(kind, now.layer, now.head)
    legend = "training.film_legend" if kind == "encoder" else "training.film_legend_forced"
    frames = head_frames(
        training.replay, kind, now.layer, now.head, attention_sides(training.end, kind)
    )
    data = {
        "label": say("training.panel_film"),
        "legend": say(legend),
        **_words_along(training, kind, frames),
        "shots": [_shot(frame, kind) for frame in frames],
        "now": training.place,
        "scale": sequential("weights", training.look.dark),
    }
    _steps("film_strip", data, height="stretch", go=go_to_place(len(frames), training.go))


def _words_along(training: Training, kind: Kind, frames: tuple[Frame, ...]) -> dict[str, Any]:
    """The words along the sides of all maps, none where they differ from map to map."""
    both = attention_sides(training.end, kind)
    shape = tuple(len(side.tokens) for side in both)
    # Pooled, or of other words: then a cell has no pair of words.
    same = all(frame.levels.shape == shape for frame in frames)
    words = ([visible(word) for word in side.labels] if same else [] for side in both)
    return dict(zip(("rows", "columns"), words, strict=True))


def _shot(frame: Frame, kind: Kind) -> dict[str, Any]:
    """One map: its levels, a byte a cell; the note below it; a title for screen readers."""
    step = str(frame.step)
    title, note, head = say("training.step_only", step=step), "", frame.does
    if head is not None:
        title, note, role = (
            f"{title}: {head_role_sentence(kind, head)}",
            say("training.no_habit"),
            head.clearest,
        )
        if role != "mixed":
            word = say(f"training.short_{role_word(kind, role)}")
            note = f"{word} {format_percent(head.shares[role])}"
    size, levels = frame.levels.shape, pack_numbers(frame.levels)
    return {"step": step, "levels": levels, "note": note, "title": title, "size": size}


def show_positions(training: Training) -> None:
    """Draw how alike the positions are, alone and with the words, and say what trains."""
    trace, look = training.trace, training.look
    positions = trace.config.positions
    kind = positions if positions in ("learned", "none") else "fixed"  # a formula
    alone = as_numpy(trace["source/positions"])  # (S, D)
    together = as_numpy(trace["source/input"][0])  # (S, D)
    columns = st.columns([2, 2, 1.2], gap="medium")
    for place, name, vectors in ((0, "alone", alone), (1, "together", together)):
        with columns[place], box("fill", f"training_{name}", gap="xsmall"):
            st.markdown(f"**{say(f'training.positions_{name}')}**")
            if name == "alone" and kind == "none":
                st.caption(say("training.positions_none"))
                continue
            cosines = similarity(vectors)
            figure = similarity_figure(
                cosines, trace.source_tokens, look, POSITIONS_WIDTH, POSITIONS_HEIGHT
            )
            alt = say(f"training.alt_{name}")
            show_chart(figure, f"training_positions_{name}", alt, fill=True)
    with columns[2].container(key="training_says", gap="small"):
        st.markdown(say(f"training.positions_{kind}"))
        st.markdown(_lengths(training))
        st.caption(say("training.positions_note"))


def _lengths(training: Training) -> str:
    """How long the words' vectors are against those of their positions."""
    words = as_numpy(training.trace["source/scaled"][0])  # (S, D)
    positions = as_numpy(training.trace["source/positions"])  # (S, D)
    number = training.look.number
    lengths = {"words": number(mean_length(words)), "positions": number(mean_length(positions))}
    return say("training.positions_lengths", **lengths)


def show_word_map(training: Training) -> None:
    """Draw the plane, and beside it what the colours and signs mean."""
    replay, look = training.replay, training.look
    paths = np.stack([replay.plane.of(each.vectors) for each in replay.moments])  # (steps, N, 2)
    first, second = (format_percent(share) for share in replay.plane.shares)
    axes = (say("training.axis_first", share=first), say("training.axis_second", share=second))
    groups_called = {name: say(f"training.group_{name}") for name in word_groups()}
    left, right = st.columns([4.2, 1.1], gap="medium")
    with left, box("fill", "training_plane"):
        figure = words_figure(
            replay.words, paths[: training.place + 1], ends_of(paths), axes, groups_called, look,
            (WORD_MAP_WIDTH, look.px(WORD_MAP_HEIGHT)),
        )  # fmt: skip
        show_chart(figure, "training_words_chart", say("training.alt_words"), fill=True)
    with right.container(key="training_says", gap="small"):
        st.html(_word_map_legend(training, groups_called))
        st.caption(say("training.words_note"))


def _word_map_legend(training: Training, groups_called: Mapping[str, str]) -> str:
    hues = group_colours(training.replay.words, training.look)
    rows = [
        f'<div><i style="background:{hue}"></i>{escape(groups_called[name])}</div>'
        for name, hue in hues.items()
        if name
    ]
    rows += [
        f"<div><b>{sign}</b>{escape(say(f'training.sign_{name}'))}</div>"
        for sign, name in (("●", "en"), ("◆", "zh"), ("◎", "spoken"))
    ]
    return f'<div class="training-legend">{"".join(rows)}</div>'


def show_lengths(training: Training) -> None:
    """Draw both, each under its title."""
    replay, look = training.replay, training.look
    found = stream_places(training.trace.config)
    gap = next(at for at, place in enumerate(found) if place.stack == "decoder")
    parts = {name: say(f"training.part_{name}") for name in ROLES}
    stacks = {0: say("frame.focus_encoder"), gap: say("frame.focus_decoder")}
    left, right = st.columns([1.25, 1], gap="medium")
    with left, box("fill", "training_lengths", gap="xsmall"):
        st.markdown(f"**{say('training.lengths')}**", help=say("training.lengths_help"))
        lengths = np.array([each.lengths for each in replay.moments], dtype=np.float32)
        figure = lengths_figure(
            [say(f"training.place_{place.part}", layer=(place.layer or 0) + 1) for place in found],
            lengths, training.steps, training.place, stacks, say("training.hover_length"), look,
            look.px(LENGTHS_HEIGHT),
        )  # fmt: skip
        show_chart(figure, "training_lengths_chart", say("training.alt_lengths"), fill=True)
    with right, box("fill", "training_sizes", gap="xsmall"):
        st.markdown(f"**{say('training.sizes')}**", help=say("training.sizes_help"))
        sizes = {
            part: [each.sizes[part] for each in replay.moments]
            for part in ROLES
            if part in replay.moments[0].sizes
        }
        figure = sizes_figure(
            sizes, training.steps, training.place, parts, say("training.hover_size"), look,
            look.px(LENGTHS_HEIGHT),
        )  # fmt: skip
        show_chart(figure, "training_sizes_chart", say("training.alt_sizes"), fill=True)
        st.html(_lengths_legend({parts[part]: look.colour(ROLES[part]) for part in sizes}))


def _lengths_legend(colours: Mapping[str, str]) -> str:
    names = (
        f'<span><i style="background:{colour}"></i>{escape(name)}</span>'
        for name, colour in colours.items()
    )
    return f'<div class="training-line">{"".join(names)}</div>'
