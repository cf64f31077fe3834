"""The pickers of an attention: kind, layer, head, stage. They move the focus of all pages."""

from collections.abc import Callable
from functools import partial
from typing import Any, cast

from glassformer.app.session import store
from glassformer.app.session.state import State
from glassformer.app.ui.layout import side_by_side
from glassformer.app.ui.pick import draw_choice, menu, segments, set_field
from glassformer.app.words import say
from glassformer.core.analysis.attention_views import Kind, Stage, kinds_of, layers_of, stages_of
from glassformer.core.trace.trace import Trace

MOST_SIDE_BY_SIDE = 7  # layers or heads; more are a list


def pick_stage(trace: Trace, key: str) -> None:
    """Scores, scaled, masked or weights; with what distances add where they do."""
    now = store.get_state()
    offered = stages_of(trace, cast(Kind, now.kind))
    shown = stage_in_view(trace, now)
    draw_choice(f"{key}_stage", "attention.stage", offered, shown, set_field("stage"))


def stage_in_view(trace: Trace, now: State) -> Stage:
    """The state's stage, or the one before it where this attention knows no distances."""
    stage = cast(Stage, now.stage)
    return stage if stage in stages_of(trace, cast(Kind, now.kind)) else "scaled"


def pick_kind(trace: Trace, key: str, **looks: Any) -> None:
    """The kinds of attention, where there are several."""
    offered = kinds_of(trace.config)
    if len(offered) > 1:
        now, take = store.get_state().kind, partial(_take_kind, trace)
        draw_choice(f"{key}_kind", "attention.kind", offered, now, take, **looks)


def _take_kind(trace: Trace, kind: Kind) -> None:
    """Go to another kind."""
    store.update(**head_of_kind(trace, store.get_state(), kind))


def head_of_kind(trace: Trace, now: State, kind: Kind) -> dict[str, Any]:
    """The place in another kind: at the last layer or head that it has where it has fewer."""
    head = None if now.head is None else min(now.head, trace.config.of(kind).n_heads - 1)
    return {"kind": kind, "layer": min(now.layer, layers_of(trace, kind) - 1), "head": head}


def pick_layer(count: int, now: int, take: Callable[[int], object], key: str) -> None:
    """One of so many layers."""
    _numbers("layer", {at: str(at + 1) for at in range(count)}, now, take, key)


def pick_head(count: int, now: int | None, take: Callable[[int | None], object], key: str) -> None:
    """One of so many heads, or the mean of them all."""
    labels = {-1: say("beside.mean")} | {at: str(at + 1) for at in range(count)}

    def took(chosen: int) -> None:
        take(None if chosen < 0 else chosen)

    _numbers("head", labels, -1 if now is None else now, took, key)


def one_head(count: int, key: str) -> None:
    """The head in focus, one of so many, where there is no mean of them all."""
    labels = {at: str(at + 1) for at in range(count)}
    _numbers("head", labels, min(store.get_state().head or 0, count - 1), set_field("head"), key)


def pick_attention(trace: Trace, key: str) -> None:
    """Kind, layer and head of the attention in focus."""
    now = store.get_state()
    pick_kind(trace, key)
    pick_layer(layers_of(trace, cast(Kind, now.kind)), now.layer, set_field("layer"), key)
    pick_head(trace.config.of(now.kind).n_heads, now.head, set_field("head"), key)


def picker_row(key: str) -> Any:
    """A line of pickers, each behind its label."""
    return side_by_side(f"beside_pickers_{key}", "dense inline", gap="small")


def _numbers(
    name: str, labels: dict[int, str], now: int, take: Callable[[int], object], key: str
) -> None:
    widget, label = f"{key}_{name}", say(f"beside.{name}")
    if len(labels) > MOST_SIDE_BY_SIDE:
        menu(widget, label, labels, now, take, bare=False, width=110)
    else:
        segments(widget, label, labels, now, take, bare=False)
