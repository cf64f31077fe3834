"""The component: the paper's Figure 1 with this run's shapes, tints and words; blocks open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from app import state
from app.widgets.architecture_map.plan import plan
from app.widgets.chart import current_look
from app.widgets.component import component
from app.words import say
from core.reading.blocks import Stack, block_at
from core.trace.trace import Trace

_map = component(__file__, "architecture_map")


def architecture_map(
    trace: Trace,
    open_block: str,
    key: str = "map",
    on_pick: Callable[[str], None] | None = None,
) -> str | None:
    """Draw the map over the full width of its place; returns the block clicked just now, or None.

    open_block: the id of the block whose panel is open, "" for none; its layer is unfolded.
    on_pick: called with the id of a clicked block before the page is drawn again, so that the
    state is right from the start; a click on the open block gives "".
    """

    def picked() -> None:
        chosen = state.trigger(key, "pick")
        if chosen and on_pick:
            on_pick("" if chosen["block"] == state.get_state().block else chosen["block"])

    result = _map(key=key, data=_drawn(trace, open_block), on_pick_change=picked)
    chosen = result.get("pick")
    return cast(str, chosen["block"]) if chosen else None


def _drawn(trace: Trace, open_block: str) -> dict[str, Any]:
    """The plan; the session's last one where nothing that it shows has changed."""
    look, language = current_look(), state.get_state().language
    unfolded = _unfolded(trace, open_block)
    asked = (id(trace), look, language, open_block, tuple(sorted(unfolded.items())))
    held = state.kept("map_drawn")
    if held is None or held[0] != asked:
        held = (
            asked,
            trace,
            plan(trace, look, say, open_block, unfolded),
        )  # so its id stays its own
        state.keep("map_drawn", held)
    found: dict[str, Any] = held[2]
    return found


def _unfolded(trace: Trace, open_block: str) -> dict[Stack, int]:
    """The layer of each stack that is drawn in full: the last one in which a block was opened."""
    layers = dict(state.get_state().unfolded)
    block = block_at(trace.config, open_block)
    if block is not None and block.layer is not None and layers.get(block.stack) != block.layer:
        layers[block.stack] = block.layer
        state.update(unfolded=tuple(sorted(layers.items())))
    return cast(dict[Stack, int], layers)
