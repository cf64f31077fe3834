"""Where everything stands: the rows of the drawing, and the columns of the layers of a stack.

The open layer of a stack is a wide card, the others are slabs beside it, in order. Sub-layers lie
in the same row in every layer, so the slabs read as a table: sub-layers down, layers across.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.widgets.architecture_map.shapes import Box
from core.config import ModelConfig
from core.reading.blocks import Kind, Stack, layer_count, sublayers

WIDTH = 960.0
CARD = 262.0
PAD = 28.0  # between a card's edge and its blocks: room for residual arcs, keys and values
GUTTER = 18.0
WIDEST_SLAB, SLAB_GAP, LEAST_CENTRED = 52.0, 3.0, 20.0
SIDES: dict[Stack, tuple[float, float]] = {"encoder": (6.0, 450.0), "decoder": (486.0, 954.0)}
CORRIDOR = 468.0  # where the memory goes down between the two halves
HEADER, FOOT, TOP = 26.0, 6.0, 8.0
BLOCK, NORM, ADD = 32.0, 24.0, 18.0
BRANCH = 28.0  # below a sub-layer: the residual branches off, query, key and value part


@dataclass(frozen=True)
class SublayerRow:
    """The heights of one sub-layer, the same in each layer: gap below, block, norm and sum."""

    kind: Kind
    branch: float  # y of the wire's point where the residual leaves
    block: tuple[float, float]  # y, height
    norm: tuple[float, float]
    sum: float | None  # y of the sum's circle centre; None where "add & norm" is one block


@dataclass(frozen=True)
class Column:
    """One layer: a card with everything in it, or a slab."""

    layer: int
    box: Box
    open: bool


@dataclass(frozen=True)
class StackGrid:
    """One stack's places."""

    stack: Stack
    cx: float
    columns: tuple[Column, ...]
    rows: tuple[SublayerRow, ...]
    top: float
    bottom: float
    final_norm: Box | None

    @property
    def lane(self) -> tuple[float, float]:
        """The heights at which the stream enters a card from the left and leaves to the right."""
        return self.bottom - 9, self.top + 13

    @property
    def exit(self) -> float:
        """The y above which the stack is over."""
        return self.final_norm.y if self.final_norm else self.top

    @property
    def outer(self) -> int:
        """-1 where the residuals run left of the blocks, +1 where they run right."""
        return -1 if self.stack == "encoder" else 1


@dataclass(frozen=True)
class Grid:
    """All places of the drawing."""

    encoder: StackGrid
    decoder: StackGrid
    outputs: float  # y of the row of chosen words
    softmax: Box
    linear: Box
    memory: Box
    plus: float  # y of the circles that add the positions
    embedding: float
    tokens: float
    height: float

    def stack(self, stack: Stack) -> StackGrid:
        return self.encoder if stack == "encoder" else self.decoder


def grid(config: ModelConfig, unfolded: dict[Stack, int], token_rows: int = 2) -> Grid:
    """The places for this model, with one layer of each stack unfolded."""
    side = SIDES["decoder"]
    softmax = Box.around(sum(side) / 2, 60, 150, 26)
    linear = Box.around(softmax.cx, softmax.bottom + 18, 150, 26)
    norm_room = 44.0 if config.final_norm else 0.0
    bottom = linear.bottom + 22 + norm_room + _height(config, "decoder")
    stacks = {stack: _stack(config, stack, unfolded[stack], bottom) for stack in SIDES}
    memory = Box.around(stacks["encoder"].cx, stacks["encoder"].exit - 46, 150, 26)
    plus = bottom + 40 if config.positions != "none" else bottom + 10
    embedding = plus + 24
    return Grid(
        stacks["encoder"], stacks["decoder"], 4.0, softmax, linear, memory, plus, embedding,
        embedding + 46, embedding + 46 + 27 * token_rows,
    )  # fmt: skip


def _stack(config: ModelConfig, stack: Stack, opened: int, bottom: float) -> StackGrid:
    left, right = SIDES[stack]
    top, cx = bottom - _height(config, stack), (left + right) / 2
    final = Box.around(cx, top - 22 - NORM, 150, NORM) if config.final_norm else None
    spans = columns(layer_count(config, stack), opened, left, right)
    placed = tuple(
        Column(layer, Box(x, top, width, bottom - top), layer == opened)
        for layer, (x, width) in enumerate(spans)
    )
    return StackGrid(stack, cx, placed, tuple(_rows(config, stack, bottom)), top, bottom, final)


def columns(count: int, opened: int, left: float, right: float) -> list[tuple[float, float]]:
    """(x, width) of every layer. The card keeps the middle of its side while the slabs have room.

    Deeper stacks use the whole width and the card moves with the order of the layers.
    """
    middle, after = (left + right) / 2, count - 1 - opened
    room = min(
        (middle - CARD / 2 - GUTTER - left) / (opened or 1),
        (right - middle - CARD / 2 - GUTTER) / (after or 1),
    )
    card = middle - CARD / 2
    if room < LEAST_CENTRED:
        gutters = GUTTER * ((opened > 0) + (after > 0))
        room = (right - left - CARD - gutters) / (count - 1)
        pitch = min(room, WIDEST_SLAB + SLAB_GAP)
        used = pitch * (count - 1) + CARD + gutters
        card = (left + right - used) / 2 + pitch * opened + (GUTTER if opened else 0)
    pitch = min(room, WIDEST_SLAB + SLAB_GAP)
    before = [(card - GUTTER - pitch * (opened - at), pitch - SLAB_GAP) for at in range(opened)]
    start = card + CARD + GUTTER + SLAB_GAP
    later = [(start + pitch * at, pitch - SLAB_GAP) for at in range(after)]
    return [*before, (card, CARD), *later]


def _height(config: ModelConfig, stack: Stack) -> float:
    return HEADER + TOP + FOOT + _sublayer_height(config) * len(sublayers(stack))


def _sublayer_height(config: ModelConfig) -> float:
    if config.norm_place == "post":
        return BRANCH + BLOCK + 5 + NORM
    return 14 + NORM - 2 + 22 + BLOCK + 8 + ADD


def _rows(config: ModelConfig, stack: Stack, bottom: float) -> list[SublayerRow]:
    rows, low, step = [], bottom - FOOT, _sublayer_height(config)
    for kind in sublayers(stack):
        if config.norm_place == "post":
            block = low - BRANCH - BLOCK
            row = SublayerRow(kind, low - 7, (block, BLOCK), (block - 5 - NORM, NORM), None)
        else:
            norm = low - 14 - (NORM - 2)
            block = norm - 22 - BLOCK
            added = block - 8 - ADD / 2
            row = SublayerRow(kind, low - 5, (block, BLOCK), (norm, NORM - 2), added)
        rows.append(row)
        low -= step
    return rows
