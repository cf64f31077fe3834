"""Where everything stands: the rows of the drawing, and the columns of the layers of a stack.

The open layer of a stack is a wide card, the others are slabs beside it, in order. Sub-layers lie
in the same row in every layer, so the slabs read as a table: sub-layers down, layers across.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.widgets.architecture_map.shapes import Box
from app.widgets.architecture_map.size import CARD, GUTTER, SLAB_GAP, Size
from core.config import ModelConfig
from core.reading.blocks import Kind, Stack, layer_count, sublayers

PAD = 28.0  # between a card's edge and its blocks: room for residual arcs, keys and values
WIDEST_SLAB, LEAST_CENTRED = 52.0, 20.0
CHOICE_STEP = 43.0  # from one row of chosen words to the next
STACKS: tuple[Stack, Stack] = ("encoder", "decoder")
HEADER, FOOT, TOP, ADD = 26.0, 6.0, 8.0, 18.0


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
    left: float
    right: float
    columns: tuple[Column, ...]
    rows: tuple[SublayerRow, ...]
    top: float
    bottom: float
    final_norm: Box | None

    @property
    def cx(self) -> float:
        """The middle of the stack's half."""
        return (self.left + self.right) / 2

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
    size: Size

    def stack(self, stack: Stack) -> StackGrid:
        return self.encoder if stack == "encoder" else self.decoder


def grid(config: ModelConfig, unfolded: dict[Stack, int], size: Size) -> Grid:
    """The places for this model in this size, with one layer of each stack unfolded."""
    end = size.end
    outputs = 4.0
    words_end = outputs + CHOICE_STEP * size.output_rows
    softmax = Box.around(sum(size.sides["decoder"]) / 2, words_end + 13, end, 26)
    linear = Box.around(softmax.cx, softmax.bottom + 18, end, 26)
    norm_room = 44.0 if config.final_norm else 0.0
    bottom = linear.bottom + 22 + norm_room + _height(config, "decoder", size)
    stacks = {stack: _stack(config, stack, unfolded[stack], bottom, size) for stack in STACKS}
    memory = Box.around(stacks["encoder"].cx, stacks["encoder"].exit - 46, end, 26)
    plus = bottom + 40 if config.positions != "none" else bottom + 10
    embedding = plus + 24
    return Grid(
        stacks["encoder"], stacks["decoder"], outputs, softmax, linear, memory, plus, embedding,
        embedding + 46, embedding + 46 + 27 * size.token_rows, size,
    )  # fmt: skip


def _stack(
    config: ModelConfig, stack: Stack, opened: int, bottom: float, size: Size
) -> StackGrid:  # fmt: skip
    left, right = size.sides[stack]
    top, cx = bottom - _height(config, stack, size), (left + right) / 2
    final = Box.around(cx, top - 46, size.end, 24) if config.final_norm else None
    spans = columns(layer_count(config, stack), opened, left, right)
    placed = tuple(
        Column(layer, Box(x, top, width, bottom - top), layer == opened)
        for layer, (x, width) in enumerate(spans)
    )
    rows = tuple(_rows(config, stack, bottom, size))
    return StackGrid(stack, left, right, placed, rows, top, bottom, final)


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
    if count > 1 and room < LEAST_CENTRED:
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


def _height(config: ModelConfig, stack: Stack, size: Size) -> float:
    return HEADER + TOP + FOOT + _sublayer_height(config, size) * len(sublayers(stack))


def _sublayer_height(config: ModelConfig, size: Size) -> float:
    if config.norm_place == "post":
        return size.branch + size.block + 5 + size.norm
    return 14 + size.norm - 2 + 22 + size.block + 8 + ADD


def _rows(config: ModelConfig, stack: Stack, bottom: float, size: Size) -> list[SublayerRow]:
    rows, low, step = [], bottom - FOOT, _sublayer_height(config, size)
    for kind in sublayers(stack):
        if config.norm_place == "post":
            block = low - size.branch - size.block
            norm = block - 5 - size.norm
            row = SublayerRow(kind, low - 7, (block, size.block), (norm, size.norm), None)
        else:
            norm = low - 14 - (size.norm - 2)
            block = norm - 22 - size.block
            added = block - 8 - ADD / 2
            row = SublayerRow(kind, low - 5, (block, size.block), (norm, size.norm - 2), added)
        rows.append(row)
        low -= step
    return rows
