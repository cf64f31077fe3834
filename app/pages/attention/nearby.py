"""What the browser draws of attention before the server answers: other heads, stages and kinds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from html import escape

import numpy as np

from glassformer.app.pages.attention.figures import READABLE
from glassformer.app.panels.answers import Answers, Cells, Move
from glassformer.app.panels.attention.attention_map import CELLS
from glassformer.app.panels.attention.focus import AttentionFocus
from glassformer.app.panels.attention.heads import (
    HEAD_MOVES,
    became,
    is_focus_off,
    is_long,
    map_preview,
    nearby_heads,
    part_in_view,
    show_heads,
    with_head_turned,
)
from glassformer.app.panels.compare import pickers
from glassformer.app.plots.labels import visible
from glassformer.app.runs import on_screen
from glassformer.app.session import store
from glassformer.app.session.experiments import experiment_of
from glassformer.app.session.state import State, clamp
from glassformer.app.words import say
from glassformer.core.analysis.attention_views import asks_with, attention_at, kinds_of, stages_of
from glassformer.core.interventions import Experiment
from glassformer.core.trace.tables import as_numpy

DOES, OFF = "attention_does", "attention_off"  # what the head in focus does; its switch


def attention_answers(draw: Callable[[AttentionFocus], object]) -> Answers:
    """The other heads of this kind, the other stages and kinds; this head off, or on again.

    draw: draws the components of a focus that clicks change, but the grid.
    """
    focus = AttentionFocus.current()
    stage, now, trace = focus.stage, focus.now, focus.trace
    stages = stages_of(trace, focus.kind) if now.view == "matrix" else ()
    moves = [*HEAD_MOVES, Move("widget_attention_stage", "stage", "click", values=stages)]
    kinds = [pickers.head_of_kind(trace, now, kind) for kind in kinds_of(trace.config)]
    moves += _moves_to(kinds, now)
    nearby: list[Mapping[str, object]] = [*nearby_heads(focus)]
    nearby[focus.config.n_heads + 1 : 0] = [*({"stage": each} for each in stages), *kinds]
    of, preview = (id(trace), focus.look), map_preview(focus, "attention_large")
    part = (lambda there: part_in_view(replace(focus, now=there))) if is_long(focus) else None
    costly: dict[str, list[dict[str, object]]] = {}
    if now.run in ("", "second") and (switched := with_head_turned(now)) is not None:
        costly[OFF] = [{"edits": switched.text}]
        moves.append(Move(OFF, "edits", "click", values=[switched.text]))

    def draw_there(there: State) -> None:
        focus_there = _focus_at(there)
        draw(focus_there)
        if _is_grid_other(focus_there):
            show_heads(focus_there)

    return Answers(
        replace(now, stage=stage), of, moves, nearby, draw_there, preview, part, _cells(focus),
        placed=("edits",), costly=costly, words=_early_words,
    )  # fmt: skip


def _focus_at(there: State) -> AttentionFocus:
    """A place near the one in view; with other switches it is one of another run."""
    focus = AttentionFocus.current()
    if there.edits == focus.now.edits:
        return replace(focus, now=there)
    trace = on_screen.run_with(experiment_of(there))
    return AttentionFocus(clamp(there, trace)[0], trace, focus.look)


def _is_grid_other(focus: AttentionFocus) -> bool:
    """Whether the grid of heads is to be drawn: of another head it moves its frame by itself."""
    here, now = AttentionFocus.current(), focus.now
    at_head = (now.layer, now.head, focus.stage) == (here.now.layer, here.now.head, here.stage)
    return at_head or (now.kind, now.edits) != (here.now.kind, here.now.edits)


def _moves_to(kinds: Sequence[Mapping[str, object]], now: State) -> list[Move]:
    """What picking a kind changes: a pinned cell is none of another kind's."""
    places: list[Mapping[str, object]] = [{**each, "query": None, "key": None} for each in kinds]
    moved = {"kind", "query", "key"}
    moved |= {name for each in kinds for name, value in each.items() if value != getattr(now, name)}
    return [
        Move("widget_attention_kind", name, "click", values=[each[name] for each in places])
        for name in sorted(moved)
    ]


def _early_words(there: State) -> dict[str, str]:
    """What the line about the head in focus says of a run with it off, before that is on screen."""
    if there.edits == store.get_state().edits or not is_focus_off(there):
        return {}
    runs = (on_screen.run_with(each) for each in (Experiment(), experiment_of(there)))
    return {DOES: became(*(visible(run.output_text) for run in runs)).replace("**", "")}


def _cells(focus: AttentionFocus) -> Cells | None:
    """How a cell is spelled out in the browser; None where that takes more than the map has."""
    if focus.now.view != "matrix" or is_long(focus) or focus.now.terms == "writers":
        return None
    trace, kind, width = focus.trace, focus.kind, focus.config.d_k

    def vectors(there: State) -> tuple[np.ndarray, np.ndarray] | None:
        if there.head is None or there.kind != kind:
            return None
        where, (asks, answers) = attention_at(kind, there.layer), asks_with(trace.config, kind)
        q, k = trace[f"{where}/{asks}"][0], trace[f"{where}/{answers}"][0]
        return as_numpy(q[there.head]), as_numpy(k[focus.config.key_head(there.head)])

    look = {
        "by": focus.now.terms,
        "most": READABLE,
        "rest": escape(say("attention.rest", count=width - READABLE + 1)),
        "digits": focus.look.precision,
        "colours": {role: focus.look.colour(role) for role in ("query", "key")},
    }
    rows = len(focus.sides[0].tokens)
    return Cells("attention_large", "attention_terms", rows, CELLS, look, vectors)
