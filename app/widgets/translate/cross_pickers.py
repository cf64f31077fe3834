"""Which head of the cross-attention is looked through: its layer, and itself or the mean."""

from __future__ import annotations

from app import state
from app.widgets.pick import segments
from app.words import say
from core.trace.trace import Trace


def cross_pickers(prefix: str, trace: Trace, layer: int, head: int | None) -> None:
    """Draw both pickers; the head becomes the one in focus on all pages.

    prefix: of the widgets' names. layer, head: the ones on screen, None for the mean.
    """
    layers = {at: str(at + 1) for at in range(trace.config.decoder_layers)}
    heads = {-1: say("translate.mean")}
    heads |= {at: str(at + 1) for at in range(trace.config.n_heads)}

    def take_layer(chosen: int) -> None:
        state.update(kind="cross", layer=chosen, head=head)

    def take_head(chosen: int) -> None:
        state.update(kind="cross", layer=layer, head=None if chosen < 0 else chosen)

    label, value = say("translate.layer"), -1 if head is None else head
    segments(f"{prefix}_layer", label, layers, layer, take_layer, bare=False)
    segments(f"{prefix}_head", say("translate.head"), heads, value, take_head, bare=False)
