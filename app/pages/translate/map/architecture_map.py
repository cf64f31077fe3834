"""The component: the paper's Figure 1 with this run's shapes, tints and words; blocks open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from app.pages.translate.map.plan import plan
from app.session import store
from app.ui.chart import current_look
from app.ui.component import component
from app.words import say
from core.analysis.blocks import block_at
from core.trace.graph import Stack
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

    def picked(sent: dict[str, str]) -> None:
        if on_pick:
            on_pick("" if sent["block"] == store.get_state().block else sent["block"])

    result = _map(key, _drawn(trace, open_block), height="stretch", pick=picked)
    chosen = result.get("pick")
    return cast(str, chosen["block"]) if chosen else None


def _drawn(trace: Trace, open_block: str) -> dict[str, Any]:
    """The plan; the session's last one where nothing that it shows has changed."""
    look, language = current_look(), store.get_state().language
    unfolded = _unfolded(trace, open_block)
    key = (look, language, open_block, unfolded)
    return store.once(lambda: plan(trace, look, say, open_block, unfolded), trace, *key)


def _unfolded(trace: Trace, open_block: str) -> dict[Stack, int]:
    """The layer of each stack that is drawn in full: the last one in which a block was opened."""
    layers = dict(store.get_state().unfolded)
    block = block_at(trace.config, open_block)
    if block is not None and block.layer is not None and layers.get(block.stack) != block.layer:
        layers[block.stack] = block.layer
        store.update(unfolded=tuple(sorted(layers.items())))
    return cast(dict[Stack, int], layers)
