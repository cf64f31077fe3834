"""Heads: all of them as switches, which one matters, and what else can be done to one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any, cast

import streamlit as st

from app.pages.switch.head_switches import Harm, Head, SwitchTexts, head_switches
from app.pages.switch.head_switches import Kind as DrawnKind
from app.panels.attention.focus import head_name
from app.panels.attention.heads import does, way
from app.plots.labels import format_number, format_percent, visible
from app.runs import on_screen
from app.runs.traces import get_damage, get_run
from app.session import experiments, store
from app.ui.chart import current_look
from app.ui.layout import box
from app.ui.pick import into, menu, segments
from app.words import say
from core.analysis.attention_views import Kind, Side, attention_at, layers_of, overview, sides
from core.analysis.head_roles import heads_of
from core.config import ModelConfig
from core.interventions import Experiment
from core.interventions import heads as per_head
from core.interventions.heads import HeadsFrozen, HeadsRedirected, HeadsSwapped, Way
from core.interventions.parts import OfHeads
from core.trace.address import Address

WAYS = ("zero", "mean")
ORDERS = ("place", "harm")
KINDS: tuple[Kind, ...] = ("encoder", "decoder", "cross")
LEVELS = 120_000  # bytes of all thumbnails together
LOOKS = ("own", "uniform", "diagonal", "word")
SWAPPED = ("weights", "context")
STEERED: per_head.Kinds = (*per_head.STEERED, HeadsSwapped)
NOBODY = -1  # no head, or all rows


def show() -> None:
    """Draw the controls, the switches and the head in focus."""
    with box("dense", "heads_controls", horizontal=True, gap="small", wrap=False):
        orders = {each: say(f"switch_heads.order_{each}") for each in ORDERS}
        ways = {each: say(f"switch_heads.way_{each}") for each in WAYS}
        by = store.get_state().heads_by
        segments("switch_heads_order", say("switch_heads.order"), orders, by, into("heads_by"))
        segments("switch_heads_way", say("switch_heads.way"), ways, way(), _take_way)
    with box("rows-2 scroll note", "heads_help"):
        st.caption(_help())
    _show_switches()
    _show_focus()


def _help() -> str:
    if store.get_state().heads_by == "harm":
        return say("switch_heads.how_harm")
    return say("language.gap").join([say("switch_heads.how"), say(f"switch_heads.about_{way()}")])


def act(value: Mapping[str, Any]) -> None:
    """What was done to a head, to a layer or to a kind; the head comes into focus."""
    now, config, chosen = experiments.now(), on_screen.trace().config, way()
    layer, head = value.get("layer"), value.get("head")
    where = attention_at(value["kind"], 0 if layer is None else int(layer))
    if value["act"] == "all":
        at = Address.of(where)
        pattern = where if layer is not None else f"{at.stack}/*/{at.part}"
        experiments.put(per_head.toggled_all(now, config, pattern, chosen))
        return
    if layer is None or head is None:
        return
    if value["act"] == "toggle":
        experiments.put(per_head.toggled(now, config, where, int(head), chosen))
    elif value["act"] == "alone":
        experiments.put(per_head.toggled_alone(now, config, where, int(head), chosen))
    store.update(kind=value["kind"], layer=int(layer), head=int(head))


def _take_way(chosen: Way) -> None:
    experiments.put(per_head.with_way(experiments.now(), chosen), off=chosen)


def _show_switches() -> None:
    now, trace = store.get_state(), on_screen.trace()
    ranked = now.heads_by == "harm"
    layers = {kind: range(layers_of(trace, kind)) for kind in KINDS}
    count = sum(map(len, layers.values()))
    size = min(32, math.isqrt(LEVELS // (count * (trace.config.n_heads + 1))))
    kinds = [
        DrawnKind(
            kind,
            say(f"attention.kind_{kind}"),
            [say("attention.row", layer=layer + 1) for layer in layers[kind]],
            overview(trace, kind, size),
        )
        for kind in KINDS
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
    with box("fill low", "heads_all"):
        head_switches(kinds, heads, ranked, focus, texts, current_look(), act)


def all_heads() -> dict[tuple[str, int], Head]:
    """Every head in reading order, by attention and head, with what is switched in it."""
    now, trace = experiments.now(), on_screen.trace()
    config = trace.config
    off, alone = per_head.silenced(now, config), per_head.alone(now, config)
    found = {}
    for kind in KINDS:
        for each in heads_of(trace, kind):
            if each.head is None:
                continue
            place = attention_at(kind, each.layer), each.head
            name = name_of(kind, each.layer, each.head)
            found[place] = Head(
                kind,
                each.layer,
                each.head,
                name=name,
                title=f"{name}\n{does(kind, each)}\n{say('switch_heads.how')}",
                off=place in off,
                mean=off.get(place) == "mean",
                alone=place in alone,
                steered=per_head.latest(now, config, STEERED, *place) is not None,
            )
    return found


def ranking() -> list[Head]:
    """Every head as a line, the one without which the output suffers most first.

    The heads that are off now are on while it is measured, and dropout is out of it: it would drop
    other units in every copy. All other switches hold.
    """
    trace, made_by, look = on_screen.trace(), on_screen.made_by(), current_look()
    base = measured_under(on_screen.experiment())
    found = get_damage(base, trace.source_text, trace.direction, *made_by, way())
    run = get_run(base, trace.source_text, trace.direction, *made_by)
    heads = all_heads()
    largest = max((each.kl for each in found if math.isfinite(each.kl)), default=0.0)
    lines = []
    for each in found:
        head, row = heads[each.where, each.head], each.worst
        before, after = format_percent(each.before[row]), format_percent(each.after[row])
        short = say(f"switch_heads.short_{head.kind}", layer=head.layer + 1, head=head.head + 1)
        harm = Harm(
            each.kl / largest if math.isfinite(each.kl) and largest else 1.0,
            format_number(each.kl, look.precision),
            visible(run.output_tokens[row]),
            f"{before} → {after}",
        )
        lines.append(replace(head, short=short, line=harm))
    return lines


def name_of(kind: Kind, layer: int, head: int | None) -> str:
    """A head with its kind: "Encoder · Layer 1 · Head 2"; head None: all of the layer."""
    every = say("switch_heads.every", layer=layer + 1)
    name = every if head is None else head_name(layer, head)
    return f"{say(f'attention.kind_{kind}')} · {name}"


def measured_under(experiment: Experiment) -> Experiment:
    """What holds while heads are knocked out one by one: no head is off, nothing is dropped."""
    on = per_head.all_heads_on(experiment)
    return Experiment(tuple(each for each in on.switches if each.seed is None))


@dataclass(frozen=True)
class HeadFocus:
    """The head in focus, None for all of its layer, in the experiment as it is when asked."""

    config: ModelConfig
    where: str  # its attention
    head: int | None

    @property
    def now(self) -> Experiment:
        """What is switched."""
        return experiments.now()

    def looks(self) -> tuple[str, int, int | None]:
        """Where it is made to look: one of `LOOKS`, the key, the row (None: all)."""
        found = per_head.latest(self.now, self.config, per_head.STEERED, self.where, self.head or 0)
        if isinstance(found, OfHeads) and self.head is None and found.heads:
            return "own", 0, None  # some heads of the layer look there, not all
        if isinstance(found, HeadsFrozen):
            return found.to, 0, None
        if isinstance(found, HeadsRedirected):
            return "word", found.key, found.rows[0] if found.rows else None
        return "own", 0, None

    def looking(self, look: str, key: int, row: int | None) -> Experiment:
        """The experiment in which it looks there; "own": where it would itself."""
        heads = () if self.head is None else (self.head,)
        each = heads or tuple(range(self.config.n_heads))
        free = per_head.released(self.now, self.config, per_head.STEERED, self.where, each)
        if look == "own":
            return free
        if look == "word":
            rows = () if row is None else (row,)
            return free.having(HeadsRedirected(self.where, heads, key, rows))
        return free.having(HeadsFrozen(self.where, heads, cast(Any, look)))

    def swap(self) -> HeadsSwapped | None:
        """The switch by which it has changed places with another one."""
        if self.head is None:
            return None
        found = per_head.latest(self.now, self.config, (HeadsSwapped,), self.where, self.head)
        return found if isinstance(found, HeadsSwapped) else None

    def swapped(self, other: int | None, what: str) -> Experiment:
        """The experiment in which it changes places with another one; None: with none."""
        if self.head is None:
            return self.now
        if other is None:
            kinds = (HeadsSwapped,)
            return per_head.released(self.now, self.config, kinds, self.where, (self.head,))
        both = tuple(sorted((self.head, other)))
        switch = HeadsSwapped(self.where, both, cast(Any, what))
        return per_head.swapped(self.now, self.config, switch)


def _show_focus() -> None:
    """Draw the name of the head in focus and what can be done to it, besides off and on."""
    now, trace = store.get_state(), on_screen.trace()
    kind = cast(Kind, now.kind)
    where = attention_at(kind, now.layer)
    focus = HeadFocus(trace.config, where, now.head)
    with box("dense", "head_focus", gap="xsmall"):
        off = (where, now.head) in per_head.silenced(focus.now, trace.config)
        pink = current_look().colour("changed")
        said = f' · <b style="color:{pink}">{say("switch_heads.is_off")}</b>' if off else ""
        st.html(f"<b>{escape(name_of(kind, now.layer, now.head))}</b>{said}")
        _show_look(focus, *sides(trace, kind))
        _show_swap(focus)


def _show_look(focus: HeadFocus, rows: Side, keys: Side) -> None:
    look, key, row = focus.looks()
    elsewhere = look != "word"
    looks = {each: say(f"switch_heads.look_{each}") for each in LOOKS}
    every = {NOBODY: say("switch_heads.row_all")}

    def take(**changed: Any) -> None:
        given: dict[str, Any] = {"look": look, "key": key, "row": row} | changed
        experiments.put(focus.looking(**given))

    first, second, third = st.columns([1.15, 1, 1], gap="xsmall")
    with first:
        _pick("look", looks, look, lambda value: take(look=value))
    with second:
        words = _numbered(keys.tokens)
        _pick("key", words, min(key, max(words)), lambda value: take(key=value), elsewhere)
    with third:
        words = _numbered(rows.labels)
        chosen = None if row is None else min(row, max(words))
        _pick("row", every | words, chosen, lambda value: take(row=value), elsewhere)


def _show_swap(focus: HeadFocus) -> None:
    found, head = focus.swap(), focus.head
    what = found.what if found else store.get_state().swap
    in_place = found.chosen(focus.config) if found else ()
    other = next((each for each in in_place if each != head), None)
    others = {NOBODY: say("switch_heads.swap_none")}
    others |= {
        each: say("attention.column", head=each + 1)
        for each in range(focus.config.n_heads)
        if each != head
    }
    labels = {each: say(f"switch_heads.what_{each}") for each in SWAPPED}

    def take(other: int | None, what: str) -> None:
        store.update(swap=what)
        if head is not None:
            experiments.put(focus.swapped(other, what))

    first, second = st.columns([1.15, 2.05], gap="xsmall")
    with first:
        _pick("swap", others, other, lambda value: take(value, what), head is None)
    with second:
        _pick("what", labels, what, lambda value: take(other, value), head is None)


def _pick(
    name: str,
    labels: Mapping[Any, str],
    value: Any,
    take: Callable[[Any], None],
    disabled: bool = False,
) -> None:
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
