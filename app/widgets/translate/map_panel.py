"""The whole Transformer, and the panel of the block that is open."""

from __future__ import annotations

from app import state
from app.widgets.architecture_map import architecture_map
from app.widgets.block_panel import block_panel
from core.reading.blocks import block_at
from core.trace.trace import Trace


def open_block(trace: Trace) -> str:
    """The id of the block whose panel is open; "" for none, or for one that this model lacks."""
    block = state.get_state().block
    return block if block_at(trace.config, block) else ""


def show_map(trace: Trace) -> None:
    """Draw the map; a click on a block opens it, a second click closes it."""
    architecture_map(trace, open_block(trace), on_pick=take_block)


def show_block(trace: Trace) -> None:
    """Draw the panel of the open block."""
    block_panel(trace, open_block(trace))


def take_block(block: str) -> None:
    """Keep the open block in the state; "" closes it."""
    state.update(block=block)
