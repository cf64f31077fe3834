"""The head in focus: where it looks, and with which head it changes places."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any, cast

import streamlit as st

from app import experiments, service, state
from app.figures.labels import visible
from app.widgets.attention.focus import head_name
from app.widgets.chart import current_look
from app.words import say
from core.edits import Experiment, per_head
from core.edits.heads import HeadsFrozen, HeadsRedirected, HeadsSwapped
from core.reading.attention_views import Kind, attention_at, sides

NOBODY = -1  # no head, or all rows
LOOKS = ("own", "uniform", "diagonal", "word")
SWAPPED = ("weights", "context")
TURNED: per_head.Kinds = (*per_head.STEERED, HeadsSwapped)


def show() -> None:
    """Draw the name of the head in focus and what can be done to it, besides off and on."""
    now = state.get_state()
    where = attention_at(_kind(), now.layer)
    with st.container(key="head_focus", gap="xsmall"):
        off = (where, now.head) in per_head.silenced(experiments.now(), _config())
        name = name_of(_kind(), now.layer, now.head)
        pink = current_look().colour("changed")
        said = f' · <b style="color:{pink}">{say("switch_heads.is_off")}</b>' if off else ""
        st.html(f"<b>{escape(name)}</b>{said}")
        _show_look(where)
        _show_swap(where)


def name_of(kind: Kind, layer: int, head: int | None) -> str:
    """A head with its kind: "Encoder · Layer 1 · Head 2"; head None: all of the layer."""
    name = (
        head_name(layer, head) if head is not None else say("switch_heads.every", layer=layer + 1)
    )
    return f"{say(f'attention.kind_{kind}')} · {name}"


def measured_under(experiment: Experiment) -> Experiment:
    """What holds while heads are knocked out one by one: no head is off, nothing is dropped."""
    on = per_head.all_heads_on(experiment)
    return Experiment(tuple(each for each in on.switches if each.seed is None))


def look_now(where: str) -> tuple[str, int, int | None]:
    """Where the head in focus is made to look: one of `LOOKS`, the key, the row (None: all)."""
    head = state.get_state().head
    found = per_head.latest(experiments.now(), _config(), per_head.STEERED, where, head or 0)
    if isinstance(found, HeadsFrozen) and (head is not None or not found.heads):
        return found.to, 0, None
    if isinstance(found, HeadsRedirected) and (head is not None or not found.heads):
        return "word", found.key, found.rows[0] if found.rows else None
    return "own", 0, None


def make_look(where: str, look: str, key: int, row: int | None) -> None:
    """Make the head in focus, or all of its layer, look there; "own": where it would itself."""
    head, every = state.get_state().head, tuple(range(_config().n_heads))
    heads = () if head is None else (head,)
    free = per_head.released(experiments.now(), _config(), per_head.STEERED, where, heads or every)
    if look == "word":
        free = free.having(HeadsRedirected(where, heads, key, () if row is None else (row,)))
    elif look != "own":
        free = free.having(HeadsFrozen(where, heads, cast(Any, look)))
    experiments.put(free)


def swap_now(where: str) -> tuple[int | None, str]:
    """The head that the one in focus has changed places with, and what was swapped."""
    head = state.get_state().head
    if head is not None:
        found = per_head.latest(experiments.now(), _config(), (HeadsSwapped,), where, head)
        if isinstance(found, HeadsSwapped):
            others = [each for each in found.chosen(_config()) if each != head]
            return (others[0] if others else None), found.what
    return None, state.get_state().swap


def make_swap(where: str, other: int | None, what: str) -> None:
    """Let the head in focus change places with another one of its attention; None: with none."""
    state.update(swap=what)
    head = state.get_state().head
    if head is None:
        return
    now, config = experiments.now(), _config()
    if other is None:
        experiments.put(per_head.released(now, config, (HeadsSwapped,), where, (head,)))
    else:
        both = tuple(sorted((head, other)))
        experiments.put(per_head.swapped(now, config, HeadsSwapped(where, both, cast(Any, what))))


def _show_look(where: str) -> None:
    look, key, row = look_now(where)
    rows, keys = sides(service.on_screen(), _kind())

    def take(name: str) -> None:
        value = _picked(name)
        new: dict[str, Any] = {"look": look, "key": key, "row": row} | {name: value}
        make_look(where, **new)

    first, second, third = st.columns([1.15, 1, 1], gap="xsmall")
    with first:
        _pick("look", {each: say(f"switch_heads.look_{each}") for each in LOOKS}, look, take)
    word = look != "word"
    with second:
        _pick("key", dict(enumerate(_numbered(keys.tokens))), min(key, _last(keys)), take, word)
    with third:
        every: dict[int | None, str] = {None: say("switch_heads.row_all")}
        chosen = None if row is None else min(row, _last(rows))
        _pick("row", every | dict(enumerate(_numbered(rows.labels))), chosen, take, word)


def _show_swap(where: str) -> None:
    head = state.get_state().head
    other, what = swap_now(where)
    others: dict[int | None, str] = {None: say("switch_heads.swap_none")}
    for each in range(_config().n_heads):
        if each != head:
            others[each] = say("attention.column", head=each + 1)

    def take(name: str) -> None:
        value = _picked(name)
        if name == "swap":
            make_swap(where, value, what)
        else:
            make_swap(where, other, value)

    first, second = st.columns([1.15, 2.05], gap="xsmall")
    with first:
        _pick("swap", others, other, take, head is None)
    with second:
        labels = {each: say(f"switch_heads.what_{each}") for each in SWAPPED}
        _pick("what", labels, what, take, head is None)


def _pick(
    name: str,
    labels: Mapping[Any, str],
    value: Any,
    take: Callable[[str], None],
    disabled: bool = False,
) -> None:
    # A menu whose value is None shows no choice at all: NOBODY stands for it.
    shown = {NOBODY if each is None else each: label for each, label in labels.items()}
    st.selectbox(
        say(f"switch_heads.{name}"),
        list(shown),
        key=state.bind(f"head_{name}", NOBODY if value is None else value),
        format_func=shown.__getitem__,
        on_change=take,
        args=(name,),
        disabled=disabled,
        help=say(f"switch_heads.{name}_help"),
    )


def _picked(name: str) -> Any:
    value = state.widget_value(f"head_{name}")
    return None if value == NOBODY else value


def _numbered(words: Sequence[str]) -> list[str]:
    return [f"{at} {visible(word)}" for at, word in enumerate(words, start=1)]


def _last(side: Any) -> int:
    return len(side.tokens) - 1


def _kind() -> Kind:
    return cast(Kind, state.get_state().kind)


def _config() -> Any:
    return service.on_screen().config
