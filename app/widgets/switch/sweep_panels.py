"""A sweep as the panels of its picture: names, words, marks; and the patch that a cell is."""

from __future__ import annotations

import numpy as np

from app import experiments
from app.figures.labels import visible
from app.figures.sweep_map import Panel, Row
from app.widgets.switch.sweep_runs import Asked
from app.words import say
from core.edits.sweep import Side
from core.edits.tensors import TensorPatch
from core.edits.tracing import Grid, Tracing
from core.trace.trace import Trace

SIDES: tuple[Side, Side] = ("encoder", "decoder")
ROLES = {"self_attention": "weights", "cross_attention": "weights", "feed_forward": "feed_forward"}


def panels(wanted: Asked, tracing: Tracing) -> list[Panel]:
    """Both stacks; what is not swept yet has no panel."""
    found = []
    for side in SIDES:
        grid = tracing.grid(side)
        if grid is not None:
            found.append(_panel(wanted, tracing, grid, side))
    return found


def _panel(wanted: Asked, tracing: Tracing, grid: Grid, side: Side) -> Panel:
    plain, other = wanted.plain, wanted.other
    hovers, marked = [visible(token) for token in grid.tokens], [tracing.question.row]
    if side == "encoder":
        pieces = zip(plain.source_tokens, other.source_tokens, strict=True)
        marked = [place for place, (one, two) in enumerate(pieces) if one != two]
    else:
        hovers = [
            say("sweep.reads", read=visible(read), written=visible(written))
            for read, written in zip(plain.target_tokens, plain.output_tokens, strict=True)
        ]
    chosen = patched_cell(tracing, other.source_text)
    here = chosen is not None and chosen[0].addresses == grid.addresses
    return Panel(
        title=say(f"sweep.{side}"),
        rows=[Row(row_name(each), role_of(each)) for each in grid.addresses],
        words=grid.tokens,
        hovers=hovers,
        shares=grid.restored.numpy().astype(np.float32),
        chances=grid.probabilities.numpy().astype(np.float32),
        marked=marked,
        chosen=(chosen[1], chosen[2]) if chosen and here else None,
    )


def row_name(address: str) -> str:
    """A swept tensor in words: "after layer 1", "layer 1 · self-attention"."""
    parts = address.split("/")
    if parts[1] == "input":
        return say("sweep.row_input")
    part = parts[2] if parts[2] in ROLES else "state"
    return say(f"sweep.row_{part}", layer=int(parts[1]) + 1)


def full_name(address: str) -> str:
    """The same with its stack."""
    side = "encoder" if address.startswith(("source", "encoder")) else "decoder"
    return say(f"sweep.of_{side}", row=row_name(address))


def role_of(address: str) -> str:
    """Whose colour the name has."""
    return ROLES.get(address.split("/")[-2], "data")


def word_of(trace: Trace, word: int) -> str:
    """A word of the vocabulary as this run writes it."""
    piece = trace.vocabulary[word]
    if piece in trace.output_pieces:
        return trace.output_tokens[trace.output_pieces.index(piece)]
    return trace.surfaces.get(piece, piece)


def patch_at(address: str, place: int, sentence: str) -> TensorPatch:
    """The switch that a cell stands for."""
    return TensorPatch(address, (("position", (place,)),), sentence)


def patched_cell(tracing: Tracing, sentence: str) -> tuple[Grid, int, int] | None:
    """Grid, row and column of the cell that is in the experiment; None without."""
    switches = experiments.now().switches
    for side in SIDES:
        grid = tracing.grid(side)
        for row, address in enumerate(grid.addresses if grid else ()):
            for column in range(len(grid.tokens) if grid else 0):
                if grid and patch_at(address, column, sentence) in switches:
                    return grid, row, column
    return None
