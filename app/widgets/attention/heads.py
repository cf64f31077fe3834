"""Left: all heads of one kind, and what the chosen one does."""

from __future__ import annotations

from collections.abc import Container

import streamlit as st

from app import state
from app.figures.attention_roles import roles_figure
from app.figures.labels import format_percent
from app.widgets.attention import worth
from app.widgets.attention.focus import Focus, choice, head_name
from app.widgets.attention.off import off_button, off_heads
from app.widgets.attention.taught import SIGN, taught_note
from app.widgets.chart import show_chart
from app.widgets.head_grid import GridTexts, Thumbnail, head_grid
from app.widgets.pick import into, menu
from app.words import say
from core.reading.attention_views import Kind, attention_at, overview
from core.reading.head_roles import ROLES, Head, describe, heads_of, ranked

ROLES_HEIGHT = 190
NAMED_COLUMNS = 5  # with more columns there is room for the number alone


def show(focus: Focus) -> None:
    """Draw the pickers, the thumbnails and the roles of the head in focus."""
    now, trace = focus.now, focus.trace
    worth.show(focus)
    choice("kind", state.KINDS, width="stretch")
    orders = {"place": "place"} | {role: role_word(focus.kind, role) for role in ROLES}
    labels = {order: say(f"attention.order_{word}") for order, word in orders.items()}
    menu("attention_order", say("attention.order"), labels, now.order, into("order"))
    head_grid(
        overview(trace, focus.kind),
        thumbnails(focus),
        (now.layer, now.head),
        grid_texts(focus),
        focus.look,
        _pick,
    )
    name = head_name(now.layer, now.head)
    chosen = describe(trace, focus.kind, now.layer, now.head)
    habit = measured(focus) or does(focus.kind, chosen)
    said = say("attention.head_does", name=f"**{name}**", does=habit)
    with st.container(key="attention_does", horizontal=True, gap="xsmall"):
        st.markdown(said, help=say("attention.does_help"), width="stretch")
        off_button("attention_off")
    figure = roles_figure(
        {labels[role]: chosen.shares[role] for role in ROLES[:5]},
        focus.look,
        focus.look.px(ROLES_HEIGHT),
    )
    show_chart(figure, "attention_roles", say("attention.alt_roles", name=name))


def thumbnails(focus: Focus) -> list[Thumbnail]:
    """Every head in reading order: by layer with the layer's mean last, or ranked by a role."""
    now, trace = focus.now, focus.trace
    heads, off = heads_of(trace, focus.kind), off_heads(trace)
    if now.order != "place":
        return [_thumbnail(focus.kind, head, off, now.order) for head in ranked(heads, now.order)]
    items = []
    for layer in range(len(heads) // trace.config.n_heads):
        items += [_thumbnail(focus.kind, head, off) for head in heads if head.layer == layer]
        items.append(_thumbnail(focus.kind, describe(trace, focus.kind, layer, None), off))
    return items


def role_word(kind: Kind, role: str) -> str:
    """What a role is called: the decoder's first key is no word, it is the start flag."""
    return "start" if (kind, role) == ("decoder", "first") else role


def does(kind: Kind, head: Head) -> str:
    """What a head does, in a sentence."""
    role = head.clearest
    if role == "mixed":
        return say("attention.does_mixed")
    word = role_word(kind, role)
    return say(f"attention.does_{word}", share=format_percent(head.shares[role]))


def measured(focus: Focus) -> str:
    """What the head in focus was measured to do over many sentences; "" where that is nothing."""
    if focus.role is None:
        return ""
    (role, head), direction = focus.role, focus.trace.direction
    return say(
        "attention.measured",
        role=say(f"attention.role_{role}"),
        share=format_percent(head.roles[direction][role]),
        loss=format_percent(max(head.loss(direction) or 0.0, 0.0)),
    )


def _thumbnail(
    kind: Kind, head: Head, off: Container[tuple[str, int]], order: str = ""
) -> Thumbnail:
    name = head_name(head.layer, head.head)
    share = format_percent(head.shares[order]) if order else None
    place = {"layer": head.layer + 1, "head": say("attention.mean")}
    if head.head is not None:
        place["head"] = head.head + 1
    short = say("attention.short", **place)
    title = say("attention.head_does", name=name, does=does(kind, head))
    note = taught_note(kind, head.layer, head.head)
    title = f"{title}\n{SIGN} {note}" if note else title
    is_off = head.head is not None and (attention_at(kind, head.layer), head.head) in off
    title = f"{title}\n{say('switch_heads.thumbnail_off')}" if is_off else title
    return Thumbnail(head.layer, head.head, name, short, title, share, bool(note), is_off)


def grid_texts(focus: Focus) -> GridTexts:
    """What stands around the heads of the kind in focus."""
    heads, layers = focus.trace.config.n_heads, focus.trace.config.encoder_layers
    if focus.now.kind != "encoder":
        layers = focus.trace.config.decoder_layers
    wide = heads + 1 <= NAMED_COLUMNS
    columns = [
        say("attention.column", head=head + 1) if wide else str(head + 1) for head in range(heads)
    ]
    rows = [say("attention.row", layer=layer + 1) for layer in range(layers)]
    return GridTexts(say("attention.heads"), rows, [*columns, say("attention.mean")])


def _pick(layer: int, head: int | None) -> None:
    state.update(layer=layer, head=head)
