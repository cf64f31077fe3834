"""Heads: all of them as switches, which one matters, and what else can be done to one."""

import math
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any, cast

import streamlit as st

from glassformer.app.panels.attention.focus import head_name
from glassformer.app.panels.attention.heads import KIND_NAMES, head_role_sentence, way_of_silence
from glassformer.app.plots.labels import format_number, format_percent, visible
from glassformer.app.runs import on_screen
from glassformer.app.runs.traces import get_ablated_heads, get_run
from glassformer.app.session import experiments, store
from glassformer.app.ui.chart import current_look
from glassformer.app.ui.components.head_grid import draw_heads, kind_data
from glassformer.app.ui.layout import box
from glassformer.app.ui.pick import draw_choice, menu, set_field
from glassformer.app.words import say, say_each
from glassformer.core.analysis.attention_views import (
    Kind,
    attention_at,
    attention_overview,
    attention_sides,
    kinds_of,
    layers_of,
)
from glassformer.core.analysis.head_roles import heads_of
from glassformer.core.config import ModelConfig
from glassformer.core.interventions import heads as per_head
from glassformer.core.interventions.heads import (
    HeadsFrozen,
    HeadsOff,
    HeadsRedirected,
    HeadsSwapped,
    Way,
)
from glassformer.core.trace.address import Address

WAYS = ("zero", "mean")
ORDERS = ("place", "harm")
STAGED = 8  # heads of a ranking in front of a hall
LEVELS = 120_000  # bytes of all thumbnails together
LOOKS = {
    "own": "switch_heads.look_own",
    "uniform": "switch_heads.look_uniform",
    "diagonal": "switch_heads.look_diagonal",
    "word": "switch_heads.look_word",
}
SWAPPED = {"weights": "switch_heads.what_weights", "context": "switch_heads.what_context"}
STEERED: per_head.Kinds = (*per_head.STEERED, HeadsSwapped)
NOBODY = -1  # no head, or all rows


def show() -> None:
    """Draw the controls, the switches and the head in focus."""
    with box("dense", "heads_controls", horizontal=True, gap="small"):
        by = store.get_state().heads_by
        draw_choice("switch_heads_order", "switch_heads.order", ORDERS, by, set_field("heads_by"))
        draw_choice("switch_heads_way", "switch_heads.way", WAYS, way_of_silence(), _take_way)
    with box("rows-2 scroll note", "heads_help"):
        st.caption(_help(), unsafe_allow_html=True)
    _show_switches()
    _show_focus()


def _help() -> str:
    if store.get_state().heads_by == "harm":
        return say("switch_heads.how_harm")
    inside = {name: escape(say(f"switch_heads.how_{name}")) for name in ("keys", "fingers")}
    ways = [f'<span class="{name}-only">{text}</span>' for name, text in inside.items()]
    said = (say("switch_heads.how"), "".join(ways), say(f"switch_heads.about_{way_of_silence()}"))
    return say("language.gap").join(said)


def apply_head_action(value: Mapping[str, Any]) -> None:
    """What was done to a head, to a layer or to a kind; the head comes into focus."""
    now, config, chosen = (
        experiments.current_experiment(),
        on_screen.trace_on_screen().config,
        way_of_silence(),
    )
    layer, head = value.get("layer"), value.get("head")
    where = attention_at(value["kind"], 0 if layer is None else int(layer))
    if value["act"] == "all":
        at = Address.of(where)
        pattern = where if layer is not None else f"{at.stack}/*/{at.part}"
        experiments.switch_to(per_head.toggled_all(now, config, pattern, chosen))
        return
    if layer is None or head is None:
        return
    if value["act"] == "toggle":
        experiments.switch_to(per_head.toggle_head(now, config, where, int(head), chosen))
    elif value["act"] == "alone":
        experiments.switch_to(per_head.toggled_alone(now, config, where, int(head), chosen))
    store.update(kind=value["kind"], layer=int(layer), head=int(head))


def _take_way(chosen: Way) -> None:
    experiments.switch_to(per_head.with_way(experiments.current_experiment(), chosen), off=chosen)


def _show_switches() -> None:
    """Draw the heads in reading order, or a line each, the most harmful first."""
    now, trace, config = (
        store.get_state(),
        on_screen.trace_on_screen(),
        on_screen.trace_on_screen().config,
    )
    kinds = kinds_of(config)
    layers = {kind: layers_of(trace, kind) for kind in kinds}
    count = sum(layers.values())
    heads = {kind: config.of(kind).n_heads for kind in kinds}
    size = min(32, math.isqrt(LEVELS // (count * (max(heads.values()) + 1))))
    ranked = now.heads_by == "harm"
    every = _ranking() if ranked else [*_all_heads().values()]
    items = every[: STAGED if ranked and store.memory().presented else None]
    texts = say_each("switch_heads.kind_off switch_heads.layer_off switch_heads.all_help")
    columns = [
        *say_each(
            "switch_heads.column_head switch_heads.column_bar switch_heads.column_kl "
            "switch_heads.column_word"
        ).values()
    ]
    data = {
        "kinds": [
            kind_data(
                kind,
                say(KIND_NAMES[kind]),
                [say("attention.row", layer=layer + 1) for layer in range(layers[kind])],
                [str(head + 1) for head in range(heads[kind])],
                attention_overview(trace, kind, size),
            )
            for kind in kinds
        ],
        "items": items,
        "ranked": ranked,
        "focus": {"kind": now.kind, "layer": now.layer, "head": now.head},
        "label": say("switch_heads.label"),
        "switches": texts | {"header": ["", *columns]},
        "colours": {"kinds": str(len(kinds)), "rows": str(count)},
    }
    with box("fill medium", "heads_all"):
        draw_heads("head_switches", data, current_look(), height="stretch", act=apply_head_action)
        if len(items) < len(every):
            st.caption(say("switch_heads.some", some=len(items), count=len(every)))


def _all_heads() -> dict[tuple[str, int], dict[str, Any]]:
    """Every head in reading order, by attention and head, with what is switched in it."""
    now, trace = experiments.current_experiment(), on_screen.trace_on_screen()
    off, alone = per_head.silenced_heads(now, trace.config), per_head.heads_alone(now, trace.config)
    how = say("language.gap").join(say(f"switch_heads.{name}") for name in ("how", "how_keys"))
    found = {}
    for kind in kinds_of(trace.config):
        for each in heads_of(trace, kind):
            if each.head is None:
                continue
            place = attention_at(kind, each.layer), each.head
            name = _name(kind, each.layer, each.head)
            found[place] = {
                "kind": kind,
                "layer": each.layer,
                "head": each.head,
                "name": name,
                "title": f"{name}\n{head_role_sentence(kind, each)}\n{how}",
                "off": place in off,
                "mean": off.get(place) == "mean",
                "alone": place in alone,
                "steered": per_head.latest_of_head(now, trace.config, STEERED, *place) is not None,
            }
    return found


def _ranking() -> list[dict[str, Any]]:
    """Every head as a line, the one without which the output suffers most first.

    The heads that are off now are on while it is measured, and dropout is out of it: it would drop
    other units in every copy. All other switches hold.
    """
    trace, made_by, digits = (
        on_screen.trace_on_screen(),
        on_screen.made_by(),
        store.get_state().precision,
    )
    base = on_screen.experiment_on_screen().keeping(
        lambda each: each.seed is None and not isinstance(each, HeadsOff)
    )
    found = get_ablated_heads(base, trace.line, trace.direction, *made_by, way_of_silence())
    run = get_run(base, trace.line, trace.direction, *made_by)
    heads, lines = _all_heads(), []
    largest = max((each.kl for each in found if math.isfinite(each.kl)), default=0.0)
    for each in found:
        head, row = heads[each.where, each.head], each.worst
        place = {"layer": head["layer"] + 1, "head": head["head"] + 1}
        before, after = format_percent(each.before[row]), format_percent(each.after[row])
        line = {
            "share": each.kl / largest if math.isfinite(each.kl) and largest else 1.0,
            "harm": format_number(each.kl, digits),
            "word": visible(run.output_tokens[row]),  # the one that suffers most
            "change": f"{before} → {after}",
        }
        short = say(f"switch_heads.short_{head['kind']}", **place)
        lines.append(head | {"short": short, "line": line})
    return lines


def _name(kind: Kind, layer: int, head: int | None) -> str:
    """A head with its kind: "Encoder · Layer 1 · Head 2"; head None: all of the layer."""
    every = say("switch_heads.every", layer=layer + 1)
    name = every if head is None else head_name(layer, head)
    return f"{say(KIND_NAMES[kind])} · {name}"


def _show_focus() -> None:
    """Draw the name of the head in focus and what can be done to it, besides off and on."""
    now, trace = store.get_state(), on_screen.trace_on_screen()
    kind = cast(Kind, now.kind)
    where = attention_at(kind, now.layer)
    with box("dense", "head_focus", gap="xsmall"):
        off = (where, now.head) in per_head.silenced_heads(
            experiments.current_experiment(), trace.config
        )
        pink = current_look().colour("changed")
        said = f' · <b style="color:{pink}">{say("switch_heads.is_off")}</b>' if off else ""
        st.html(f"<b>{escape(_name(kind, now.layer, now.head))}</b>{said}")
        rows, keys = attention_sides(trace, kind)
        _show_look(trace.config, where, now.head, rows.labels, keys.tokens)
        _show_swap(trace.config, where, now.head)


def _show_look(
    config: ModelConfig, where: str, head: int | None, rows: Sequence[str], keys: Sequence[str]
) -> None:
    """Where the head looks, or with None all heads of the attention: one of `LOOKS`."""
    found = per_head.latest_of_head(
        experiments.current_experiment(), config, per_head.STEERED, where, head or 0
    )
    if found and found.heads and head is None:
        found = None  # some heads of the layer look there, not all
    look, key, row = "own", 0, None
    if isinstance(found, HeadsFrozen):
        look = found.to
    elif isinstance(found, HeadsRedirected):
        look, key, row = "word", found.key, next(iter(found.rows), None)

    def take(look: Any = look, key: int = key, row: int | None = row) -> None:
        heads = () if head is None else (head,)
        every = heads or range(config.of(where).n_heads)
        free = per_head.release_heads(
            experiments.current_experiment(), config, per_head.STEERED, where, every
        )
        if look == "word":
            row_only = () if row is None else (row,)
            free = free.having(HeadsRedirected(where, heads, key, row_only))
        elif look != "own":
            free = free.having(HeadsFrozen(where, heads, look))
        experiments.switch_to(free)

    looks = say_each(LOOKS)
    words, queries = _numbered(keys), _numbered(rows)
    chosen = None if row is None else min(row, max(queries))
    queries = {NOBODY: say("switch_heads.row_all"), **queries}
    with box("small", "heads_look"):
        first, second, third = st.columns([1.1, 0.9, 1.2], gap="xsmall")
        with first:
            _pick("look", looks, look, lambda value: take(look=value))
        with second:
            _pick("key", words, min(key, max(words)), lambda at: take(key=at), look != "word")
        with third:
            _pick("row", queries, chosen, lambda at: take(row=at), look != "word")


def _show_swap(config: ModelConfig, where: str, head: int | None) -> None:
    """The head with which it has changed places, and what they have swapped."""
    kinds = (HeadsSwapped,)
    found = (
        None
        if head is None
        else per_head.latest_of_head(experiments.current_experiment(), config, kinds, where, head)
    )
    in_place = found.chosen(config, where) if found else ()
    other = next((each for each in in_place if each != head), None)
    what = found.what if isinstance(found, HeadsSwapped) else store.get_state().swap
    others = {NOBODY: say("switch_heads.swap_none")}
    others |= {
        each: say("attention.column", head=each + 1)
        for each in range(config.of(where).n_heads)
        if each != head
    }
    labels = say_each(SWAPPED)

    def take(other: int | None, what: Any) -> None:
        store.update(swap=what)
        if head is None:
            return
        if other is None:
            experiments.switch_to(
                per_head.release_heads(
                    experiments.current_experiment(), config, kinds, where, (head,)
                )
            )
            return
        switch = HeadsSwapped(where, tuple(sorted((head, other))), what)
        experiments.switch_to(per_head.swap_heads(experiments.current_experiment(), config, switch))

    first, second = st.columns([1.15, 2.05], gap="xsmall")
    with first:
        _pick("swap", others, other, lambda value: take(value, what), head is None)
    with second:
        _pick("what", labels, what, lambda value: take(other, value), head is None)


def _pick(
    name: str, labels: Mapping[Any, str], value: Any, take: Callable[[Any], None],
    disabled: bool = False,
) -> None:  # fmt: skip
    """A menu; one whose value is None shows no choice at all, so that NOBODY stands for it."""
    menu(
        f"head_{name}",
        say(f"switch_heads.{name}"),
        labels,
        NOBODY if value is None else value,
        lambda picked: take(None if picked == NOBODY else picked),
        bare=False,
        disabled=disabled,
        help=say(f"switch_heads.{name}_help"),
    )


def _numbered(words: Sequence[str]) -> dict[int, str]:
    return {at: f"{at + 1} {visible(word)}" for at, word in enumerate(words)}
