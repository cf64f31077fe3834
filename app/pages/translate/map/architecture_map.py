"""The component: the paper's Figure 1 with this run's shapes, tints and words; blocks open."""

from typing import Any

from glassformer.app.pages.translate.map.plan import SWITCH, layers_in_full, plan_map
from glassformer.app.pages.translate.map.shapes import share_looks
from glassformer.app.pages.translate.map.strips import rows_in_focus, strips_of
from glassformer.app.session import store
from glassformer.app.ui.chart import current_look
from glassformer.app.ui.component import CELLS, component
from glassformer.app.ui.layout import box
from glassformer.core.analysis.blocks import block_at
from glassformer.core.trace.trace import Trace

_map = component(__file__, "architecture_map")
_strips = component(__file__, "strips", scripts=(CELLS,))


def architecture_map(trace: Trace) -> None:
    """Draw the map over the full width of its place; the open block's layer is unfolded.

    A click on a block opens it, a second click closes it.
    """
    _map("map", _drawn(trace), height="stretch", pick=_picked)
    now, look = store.get_state(), current_look()
    rows, layers = rows_in_focus(now, trace), layers_in_full(trace.config, dict(now.unfolded))
    key = (*rows.values(), *layers.values(), look, now.language)
    strips = store.once(lambda: strips_of(trace, rows, look, layers), trace, *key)
    with box("afloat", "strips"):
        _strips("bridge_strips", strips)


def _picked(sent: dict[str, str]) -> None:
    if sent["block"] == SWITCH:
        store.update(tint="role" if store.get_state().tint == "change" else "change")
        return
    store.update(block="" if sent["block"] == store.get_state().block else sent["block"])


def _drawn(trace: Trace) -> dict[str, Any]:
    """The plan; the session's last one where nothing that it shows has changed."""
    now, look = store.get_state(), current_look()
    block = block_at(trace.config, now.block)  # None also for one that the model has not
    layers = dict(now.unfolded)  # of each stack the last one in which a block was opened
    if block is not None and block.layer is not None and layers.get(block.stack) != block.layer:
        layers[block.stack] = block.layer
        store.update(unfolded=tuple(sorted(layers.items())))
    opened = block.id if block else ""
    tinted = now.tint == "change"
    staged = store.memory().presented
    key = (look, now.language, opened, layers, tinted)

    def planned() -> dict[str, Any]:
        plan = plan_map(trace, look, opened, layers, tinted, staged)
        looks, items = share_looks(plan["items"])
        return plan | {"looks": looks, "items": items}

    return store.once(planned, trace, *key)
