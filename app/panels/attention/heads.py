"""The heads: what each does, which were taught, which are off."""

import math
from collections.abc import Container
from contextlib import suppress
from typing import Any, cast

import streamlit as st

from glassformer.app.panels.answers import Move
from glassformer.app.panels.attention.attention_map import colour_scale
from glassformer.app.panels.attention.focus import AttentionFocus, head_name
from glassformer.app.plots.labels import format_percent, visible
from glassformer.app.runs import on_screen
from glassformer.app.runs.models import get_taught
from glassformer.app.session import experiments, store
from glassformer.app.session.state import State
from glassformer.app.ui.components.head_grid import GridTexts, Thumbnail, grid_data, head_grid
from glassformer.app.ui.text import literal
from glassformer.app.words import say
from glassformer.core.analysis.attention_views import (
    LONG,
    Kind,
    attention_at,
    attention_overview,
    attention_sides,
    layers_of,
)
from glassformer.core.analysis.head_roles import Head, describe, heads_of, rank_heads
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions import Experiment
from glassformer.core.interventions import heads as per_head
from glassformer.core.interventions.heads import Way
from glassformer.core.trace.trace import Trace

SIGN = "◥"  # as in the corner of a thumbnail
NUMBERED = 16  # heads; of more, every fourth has its number
NAMED_COLUMNS = 5  # with more columns there is room for the number alone
MOST_READ = 4_000_000  # weights of all heads that are read for what each of them does
KIND_NAMES: dict[str, str] = {
    "encoder": "attention.kind_encoder", "decoder": "attention.kind_decoder",
    "cross": "attention.kind_cross",
}  # fmt: skip
FOLDED = 3  # layers, up to which the heads take two lines, as in head_grid.js


def taught_as(kind: Kind, layer: int, head: int | None) -> str:
    """What a head of the model in use was taught, "alignment" or "antecedent"; "" if nothing."""
    address = f"{attention_at(kind, layer)}/weights"
    with suppress(GlassformerError):  # a model that cannot be read is said by the stage bar
        for lesson, place in get_taught(on_screen.made_by()[0]).items():
            if (place.get("address"), place.get("head")) == (address, head):
                return str(lesson)
    return ""


def taught_note(kind: Kind, layer: int, head: int | None) -> str:
    """What to say of a head that was taught, in a sentence or two; "" of any other."""
    lesson = taught_as(kind, layer, head)
    return say(f"attention.taught_{lesson}") if lesson else ""


def show_title(
    kind: Kind, layer: int, head: int | None, name: str = "", joint: str = " · "
) -> None:
    """Draw the name of a head, or of what is shown in its place, and of its attention."""
    note = taught_note(kind, layer, head)
    title = f"**{name or head_name(layer, head)}** · {map_title(kind)}"
    st.markdown(with_mark(title, note, joint), help=note or None)


def map_title(kind: Kind) -> str:
    """What a map of this kind says of the words on its two sides."""
    alone = "" if on_screen.trace_on_screen().config.has_both else "_alone"
    return say(f"attention.title_{kind}{alone}")


def with_mark(title: str, note: str, joint: str = " · ") -> str:
    """A title in markdown, with the mark behind it where there is a note."""
    return f"{title}{joint}**{SIGN} {say('attention.taught')}**" if note else title


def way_of_silence() -> Way:
    """What heads that are switched off say: nothing, or their mean."""
    off = per_head.silenced_heads(
        experiments.current_experiment(), on_screen.trace_on_screen().config
    )
    return next(reversed(off.values()), None) or cast(Way, store.get_state().off)


def is_focus_off(now: State) -> bool:
    """Whether the head in focus is switched off."""
    config = on_screen.trace_on_screen().config
    off = per_head.silenced_heads(experiments.experiment_of(now), config)
    return (attention_at(cast(Kind, now.kind), now.layer), now.head) in off


def what_it_did() -> str:
    """What became of the words where the head in focus is off, as markdown; "" where it is on."""
    pair = on_screen.pair_on_screen()
    if pair is None or pair.kind != "experiment" or not is_focus_off(store.get_state()):
        return ""
    return became(*(literal(visible(run.output_text)) for run in (pair.first, pair.second)))


def became(before: str, after: str) -> str:
    """What the words became without a head."""
    did = "nothing" if before == after else "this"
    return say(f"switch_heads.did_{did}", before=before, after=after)


def with_head_turned(now: State) -> Experiment | None:
    """What is switched once the head in focus is turned off, or on; None where it cannot be."""
    if now.head is None or on_screen.file_on_screen() is not None:
        return None
    config, where = (
        on_screen.trace_on_screen().config,
        attention_at(cast(Kind, now.kind), now.layer),
    )
    switched = experiments.experiment_of(now)
    return per_head.toggle_head(switched, config, where, now.head, way_of_silence())


def off_button(key: str) -> None:
    """A small button that switches the head in focus off, or on again."""
    now = store.get_state()
    is_off = is_focus_off(now)

    def take() -> None:
        if (switched := with_head_turned(now)) is not None:
            experiments.switch_to(switched)

    file = on_screen.file_on_screen() is not None  # only the model can compute another run
    why = say("errors.file_model") if file else say("switch_heads.turn_help")
    st.button(
        say("switch_heads.turn_on" if is_off else "switch_heads.turn_off"),
        key=key,
        icon=":material/power_settings_new:",
        type="primary" if is_off else "secondary",
        disabled=file or now.head is None,
        help=say("switch_heads.turn_none") if now.head is None else why,
        on_click=take,
    )


def thumbnails(focus: AttentionFocus) -> list[Thumbnail]:
    """Every head in reading order: by layer with the layer's mean last, or ranked by a role."""
    now, trace = focus.now, focus.trace
    made_under = tuple(
        each for each in experiments.experiment_of(now).switches if each.text in trace.edits
    )
    off = per_head.silenced_heads(Experiment(made_under), trace.config)
    if now.order == "place" and _takes_long(trace, focus.kind):
        return _unread(focus, off)
    heads = heads_of(trace, focus.kind)
    if now.order != "place":
        return [
            _thumbnail(focus.kind, head, off, now.order) for head in rank_heads(heads, now.order)
        ]
    items = []
    for layer in range(layers_of(trace, focus.kind)):
        items += [_thumbnail(focus.kind, head, off) for head in heads if head.layer == layer]
        items.append(_thumbnail(focus.kind, describe(trace, focus.kind, layer, None), off))
    return items


def _takes_long(trace: Trace, kind: Kind) -> bool:
    """Whether to find out what each head does would keep the reader waiting."""
    rows, columns = (len(side.tokens) for side in attention_sides(trace, kind))
    return layers_of(trace, kind) * trace.config.of(kind).n_heads * rows * columns > MOST_READ


def _unread(focus: AttentionFocus, off: Container[tuple[str, int]]) -> list[Thumbnail]:
    """Every head by its name alone."""
    items = []
    for layer in range(layers_of(focus.trace, focus.kind)):
        where = attention_at(focus.kind, layer)
        for head in (*range(focus.config.n_heads), None):
            name = head_name(layer, head)
            is_off = head is not None and (where, head) in off
            items.append(Thumbnail(layer, head, name, "", name, off=is_off))
    return items


def role_word(kind: Kind, role: str) -> str:
    """What a role is called: the decoder's first key is no word, it is the start flag."""
    begins = on_screen.trace_on_screen().config.has_both  # one stack alone begins with a word
    return "start" if (kind, role) == ("decoder", "first") and begins else role


def head_role_sentence(kind: Kind, head: Head) -> str:
    """What a head does, in a sentence."""
    role = head.clearest
    if role == "mixed":
        return say("attention.does_mixed")
    word = role_word(kind, role)
    return say(f"attention.does_{word}", share=format_percent(head.shares[role]))


def _thumbnail(
    kind: Kind, head: Head, off: Container[tuple[str, int]], order: str = ""
) -> Thumbnail:
    name = head_name(head.layer, head.head)
    share = format_percent(head.shares[order]) if order else None
    number = say("attention.mean") if head.head is None else head.head + 1
    short = say("attention.short", layer=head.layer + 1, head=number)
    title = say("attention.head_does", name=name, does=head_role_sentence(kind, head))
    note = taught_note(kind, head.layer, head.head)
    title = f"{title}\n{SIGN} {note}" if note else title
    is_off = head.head is not None and (attention_at(kind, head.layer), head.head) in off
    title = f"{title}\n{say('switch_heads.thumbnail_off')}" if is_off else title
    return Thumbnail(head.layer, head.head, name, short, title, share, bool(note), is_off)


def heads_data(focus: AttentionFocus) -> dict[str, Any]:
    """All heads of the kind in focus, with the one in focus framed."""
    heads, place = attention_overview(focus.trace, focus.kind), (focus.now.layer, focus.now.head)
    return grid_data(heads, thumbnails(focus), place, grid_texts(focus), focus.look)


def show_heads(focus: AttentionFocus) -> None:
    """Draw all heads of the kind in focus; a click brings one into focus."""
    head_grid(heads_data(focus), focus.look, focus_on_head)


HEAD_MOVES = tuple(Move("head_grid", name, "pick", name) for name in ("layer", "head"))


def nearby_heads(focus: AttentionFocus) -> list[dict[str, object]]:
    """All heads of the kind in focus as places, those of the same layer first."""
    layer, heads = focus.now.layer, (*range(focus.config.n_heads), None)
    layers = sorted(range(layers_of(focus.trace, focus.kind)), key=lambda at: abs(at - layer))
    return [{"layer": layer, "head": head} for layer in layers for head in heads]


def map_preview(focus: AttentionFocus, chart: str) -> dict[str, Any] | None:
    """How the thumbnails show in small what a chart of one head is going to show of its weights.

    A thumbnail's row or column is grey where one that it stands for is a sink's.
    """
    if focus.stage != "weights" or focus.now.view != "matrix":
        return None
    blocks = _words_a_cell(focus)
    greyed = [
        sorted({sink // block for sink in side.sinks})
        for side, block in zip(focus.sides, blocks, strict=True)
    ]
    return {
        "chart": chart,
        "grid": "head_grid",
        "part": None if is_long(focus) else part_in_view(focus),
        "greyed": greyed,
        "apart": focus.now.sinks == "apart",
        "scales": [colour_scale("weights", grey, focus.look) for grey in (False, True)],
    }


def is_long(focus: AttentionFocus) -> bool:
    """Whether each head may show another part of its map."""
    return max(len(side.tokens) for side in focus.sides) > LONG


def part_in_view(focus: AttentionFocus) -> list[float]:
    """Which part of a thumbnail the large map shows, as shares: left, top, width, height."""
    sizes = attention_overview(focus.trace, focus.kind).levels.shape[2:]
    cells = [
        (window.start / block, len(window) / block)
        for window, block in zip(focus.window, _words_a_cell(focus), strict=True)
    ]
    (top, high), (left, wide) = (
        (start / size, count / size) for (start, count), size in zip(cells, sizes, strict=True)
    )
    return [left, top, wide, high]


def _words_a_cell(focus: AttentionFocus) -> list[int]:
    """How many words a row and a column of a thumbnail stand for."""
    sizes = attention_overview(focus.trace, focus.kind).levels.shape[2:]
    sides = zip(focus.sides, sizes, strict=True)
    return [math.ceil(len(side.tokens) / size) for side, size in sides]


def focus_on_head(layer: int, head: int | None) -> None:
    """Bring a head of this kind into focus, or the mean of a layer."""
    store.update(layer=layer, head=head)


def grid_texts(focus: AttentionFocus) -> GridTexts:
    """What stands around the heads of the kind in focus."""
    heads, layers = focus.config.n_heads, layers_of(focus.trace, focus.kind)
    wide = heads + 1 <= NAMED_COLUMNS
    columns = [
        say("attention.column", head=head + 1) if wide else str(head + 1) for head in range(heads)
    ]
    if heads > NUMBERED:  # no room for a number above each of them
        columns = [column if int(column) % 4 == 0 else "" for column in columns]
    rows = [say("attention.row", layer=layer + 1) for layer in range(layers)]
    mean = say("attention.mean") if wide or layers <= FOLDED else "x̄"
    return GridTexts(say("attention.heads"), rows, [*columns, mean])
