"""What a trace really has, and a state clamped to it: a link may ask for more."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from app.screen import State
from core.decoding.task import most_words
from core.reading.blocks import blocks


@dataclass(frozen=True)
class Bounds:
    """What the trace on screen really has; `clamp` measures a state against it."""

    layers: Mapping[str, int]  # attention kind -> layers
    heads: int
    sources: int
    targets: int
    addresses: Container[str] = ()
    blocks: Container[str] = ()
    limit: int = 0  # most words that any decoding of the sentence may write

    @staticmethod
    def of(trace: Any) -> Bounds:
        """The bounds of a `core.trace.Trace`."""
        config = trace.config
        deep = config.decoder_layers
        return Bounds(
            layers={"encoder": config.encoder_layers, "decoder": deep, "cross": deep},
            heads=config.n_heads,
            sources=len(trace.source_tokens),
            targets=len(trace.target_tokens),
            addresses=trace,
            blocks={block.id for block in blocks(config)},
            limit=most_words(len(trace.source_tokens), config.max_length),
        )

    def cells(self, kind: str) -> tuple[int, int]:
        """Rows (queries) and columns (keys) of one attention matrix."""
        rows = self.sources if kind == "encoder" else self.targets
        columns = self.targets if kind == "decoder" else self.sources
        return rows, columns


def clamp(state: State, bounds: Bounds) -> tuple[State, tuple[str, ...]]:
    """The state without what the trace does not have, and the "name=value" of what went."""
    rows, columns = bounds.cells(state.kind)
    side_size = {"source": bounds.sources, "target": bounds.targets}
    given = max((step for step, _ in state.forced), default=-1)
    own = not 0 <= given < bounds.limit and state.decoding != "strategies"
    written = bounds.targets if own else bounds.limit
    limits = (
        ("layer", state.layer, bounds.layers[state.kind]),
        ("head", state.head, bounds.heads),
        ("query", state.query, rows),
        ("key", state.key, columns),
        ("token", state.token and state.token[1], side_size[state.token[0]] if state.token else 0),
        ("forced", given, bounds.limit),
        ("moment", state.moment, written),
    )
    gone = {name for name, value, size in limits if value is not None and value >= size}
    if state.trail and state.trail[0] not in bounds.addresses:
        gone.add("trail")
    if state.address and state.address not in bounds.addresses:
        gone.add("address")
    if state.block and state.block not in bounds.blocks:
        gone.add("block")
    if any(layer >= bounds.layers[stack] for stack, layer in state.unfolded):
        gone.add("unfolded")
    query = state.to_query()
    kept: dict[str, Any] = {each.name: each.default for each in fields(State) if each.name in gone}
    if gone & {"layer", "head"}:
        kept["opens"] = "own"
    if "trail" in gone:
        kept["way"] = ()
    return replace(state, **kept), tuple(f"{name}={query[name]}" for name in sorted(gone))
