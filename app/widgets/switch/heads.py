"""Heads: all of them as switches, which one matters, and what else can be done to one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, cast

import streamlit as st

from app import experiments, service, state
from app.figures.labels import format_number, format_percent, visible
from app.widgets.attention.heads import does
from app.widgets.attention.off import way
from app.widgets.chart import current_look
from app.widgets.head_switches import Head, Kind, SwitchTexts, head_switches
from app.widgets.pick import into, segments
from app.widgets.style import put_sheet
from app.widgets.switch import head_focus
from app.words import say
from core.edits import per_head
from core.edits.heads import Way
from core.reading.attention_views import Kind as Name
from core.reading.attention_views import attention_at, layers_of, overview
from core.reading.head_roles import heads_of

WAYS = ("zero", "mean")
ORDERS = ("place", "harm")
LEVELS = 120_000  # bytes of all thumbnails together
ABOVE = "33.1rem"  # what frame, controls and the head in focus take of the window


def show() -> None:
    """Draw the controls, the switches and the head in focus."""
    put_sheet(__file__, "heads.css")
    with st.container(key="heads_controls", horizontal=True, gap="small"):
        _choice("order", ORDERS, state.get_state().heads_by, into("heads_by"))
        _choice("way", WAYS, way(), _take_way)
    with st.container(key="heads_help"):
        st.caption(_help())
    _show_switches()
    head_focus.show()


def _help() -> str:
    now = state.get_state()
    if now.heads_by == "harm":
        return say("switch_heads.how_harm")
    joint = "" if now.language == "zh" else " "
    return f"{say('switch_heads.how')}{joint}{say(f'switch_heads.about_{way()}')}"


def act(value: Mapping[str, Any]) -> None:
    """What was done to a head, to a layer or to a kind; the head comes into focus."""
    now, config, chosen = experiments.now(), service.on_screen().config, way()
    layer, head = value.get("layer"), value.get("head")
    where = attention_at(value["kind"], 0 if layer is None else int(layer))
    if value["act"] == "all":
        stack, _, attention = where.split("/")
        pattern = where if layer is not None else f"{stack}/*/{attention}"
        experiments.put(per_head.toggled_all(now, config, pattern, chosen))
        return
    if layer is None or head is None:
        return
    if value["act"] == "toggle":
        experiments.put(per_head.toggled(now, config, where, int(head), chosen))
    elif value["act"] == "alone":
        experiments.put(per_head.toggled_alone(now, config, where, int(head), chosen))
    state.update(kind=value["kind"], layer=int(layer), head=int(head))


def _take_way(chosen: Way) -> None:
    experiments.put(per_head.with_way(experiments.now(), chosen), off=chosen)


def _choice(name: str, options: tuple[str, ...], value: str, take: Callable[[Any], object]) -> None:
    labels = {option: say(f"switch_heads.{name}_{option}") for option in options}
    segments(f"switch_heads_{name}", say(f"switch_heads.{name}"), labels, value, take)


def _show_switches() -> None:
    now, trace = state.get_state(), service.on_screen()
    ranked = now.heads_by == "harm"
    count = sum(layers_of(trace, _name(kind)) for kind in state.KINDS)
    size = min(32, math.isqrt(LEVELS // (count * (trace.config.n_heads + 1))))
    kinds = [
        Kind(
            kind,
            say(f"attention.kind_{kind}"),
            [say("attention.row", layer=at + 1) for at in range(layers_of(trace, _name(kind)))],
            overview(trace, _name(kind), size),
        )
        for kind in state.KINDS
    ]
    texts = SwitchTexts(
        say("switch_heads.label"),
        say("switch_heads.kind_off"),
        say("switch_heads.layer_off"),
        say("switch_heads.all_help"),
        ["", *(say(f"switch_heads.column_{name}") for name in ("head", "bar", "kl", "word"))],
    )
    focus = (now.kind, now.layer, now.head)
    heads = ranking() if ranked else [*all_heads().values()]
    head_switches(kinds, heads, ranked, focus, texts, current_look(), ABOVE, act)


def all_heads() -> dict[tuple[str, int], Head]:
    """Every head in reading order, by attention and head, with what is switched in it."""
    now, trace = experiments.now(), service.on_screen()
    config = trace.config
    off, alone = per_head.silenced(now, config), per_head.alone(now, config)
    found = {}
    for kind in map(_name, state.KINDS):
        for each in heads_of(trace, kind):
            if each.head is None:
                continue
            place = attention_at(kind, each.layer), each.head
            name = head_focus.name_of(kind, each.layer, each.head)
            found[place] = Head(
                kind,
                each.layer,
                each.head,
                name=name,
                title=f"{name}\n{does(kind, each)}\n{say('switch_heads.how')}",
                off=place in off,
                mean=off.get(place) == "mean",
                alone=place in alone,
                steered=per_head.latest(now, config, head_focus.TURNED, *place) is not None,
            )
    return found


def ranking() -> list[Head]:
    """Every head as a line, the one without which the output suffers most first.

    The heads that are off now are on while it is measured, and dropout is out of it: it would drop
    other units in every copy. All other switches hold.
    """
    trace, made_by, look = service.on_screen(), service.made_by(), current_look()
    base = head_focus.measured_under(service.experiment())
    found = service.get_damage(base, trace.source_text, trace.direction, *made_by, way())
    run = service.get_run(base, trace.source_text, trace.direction, *made_by)
    heads = all_heads()
    largest = max((each.kl for each in found if math.isfinite(each.kl)), default=0.0)
    lines = []
    for each in found:
        head, row = heads[each.where, each.head], each.worst
        before, after = format_percent(each.before[row]), format_percent(each.after[row])
        short = say(f"switch_heads.short_{head.kind}", layer=head.layer + 1, head=head.head + 1)
        lines.append(
            Head(
                **vars(head)
                | {
                    "short": short,
                    "share": each.kl / largest if math.isfinite(each.kl) and largest else 1.0,
                    "harm": format_number(each.kl, look.precision),
                    "word": visible(run.output_tokens[row]),
                    "change": f"{before} → {after}",
                }
            )
        )
    return lines


def _name(kind: str) -> Name:
    return cast(Name, kind)
