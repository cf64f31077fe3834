"""Where everything stands: the size of the drawing, its rows, the columns of a stack's layers.

The fewer units the drawing is wide, the larger is its type on the screen. The open layer of a stack
is a wide card, the others are slabs beside it, in order. Sub-layers lie in the same row in every
layer, so the slabs read as a table: sub-layers down, layers across.
"""

from dataclasses import dataclass
from typing import Any

from glassformer.app.pages.translate.map.shapes import Box
from glassformer.core.analysis.blocks import Kind
from glassformer.core.config import ModelConfig
from glassformer.core.trace.graph import Stack, layer_count, sublayers

CARD, GUTTER = 262.0, 18.0  # the open layer, and the gap to the layers beside it
SLAB_GAP, LEAST_SLAB = 3.0, 10.0
EDGE, MIDDLE = 6.0, 36.0  # outside the halves, and between them
WIDTH = 860.0  # units at 100%: over half of the page
LEAST_SIDE = 300.0  # units of one half: positions beside the stream need them
ROOMY = 840.0  # from this width on shapes have letters, and the chosen words the larger half
PAD = 28.0  # between a card's edge and its blocks: room for residual arcs, keys and values
WIDEST_SLAB, LEAST_CENTRED = 52.0, 20.0
CHOICE_STEP = 43.0  # from one row of chosen words to the next
STACKS: tuple[Stack, Stack] = ("encoder", "decoder")
NORM_STEP = 38.0  # what the norm of an embedding takes below a stack
HEAD_STEP = 44.0  # what a head's own layer takes above it
UNDER_LEGEND = 20.0  # of one stack: the legend stands above its layers
HEADER, FOOT, TOP, ADD = 26.0, 6.0, 8.0, 18.0
LOW: dict[str, Any] = {
    "block": 18.0, "norm": 16.0, "branch": 22.0, "legend": False, "token_rows": 1,
    "low": True, "high": 18.0, "over": 9.0, "between": 17.0, "neck": 15.0, "head": 24.0,
    "foot": 4.0, "join": 2.0, "root": 22.0, "stem": 11.0,
    "final": 32.0,
}  # fmt: skip


@dataclass(frozen=True)
class Size:
    """Width of the drawing and heights of its rows, in units."""

    width: float
    block: float = 38.0
    norm: float = 30.0
    branch: float = 34.0  # below a sub-layer: the residual branches off, query, key, value part
    legend: bool = True
    token_rows: int = 2
    output_rows: int = 1
    alone: bool = False  # one stack, which has the whole width
    low: bool = False  # chosen words without percents, in one row over the whole width
    high: float = 26.0  # of the blocks above the stacks
    over: float = 13.0  # between those and the chosen words
    between: float = 18.0
    neck: float = 22.0  # from the last of them to the stack
    head: float = HEADER + TOP  # of a card
    foot: float = FOOT
    join: float = 5.0  # between a sub-layer and its norm
    root: float = 40.0  # from a stack to the circles that add the positions
    final: float = 44.0  # from a stack to what stands above its norm
    stem: float = 24.0  # from those to the embedding

    @property
    def choice_step(self) -> float:
        """From one row of chosen words to the next."""
        return 24.0 if self.low else CHOICE_STEP

    @property
    def choices(self) -> tuple[float, float]:
        """Left and right edge of the chosen words."""
        return (EDGE, self.width - EDGE) if self.low else self.halves[1]

    @property
    def letters(self) -> bool:
        """Whether shapes have room for their letters."""
        return self.width >= ROOMY

    @property
    def end(self) -> float:
        """The width of the blocks above the stacks."""
        return 150.0 if self.letters else 116.0

    @property
    def halves(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Left and right edge of both halves: one has the legend above, the other the words."""
        half = (self.width - 2 * EDGE - MIDDLE) / 2 - (12 if self.letters else 0)
        return (EDGE, EDGE + half), (EDGE + half + MIDDLE, self.width - EDGE)

    def side(self, stack: Stack) -> tuple[float, float]:
        """Left and right edge of a stack."""
        if self.alone:
            return EDGE, self.width - EDGE
        return self.halves[stack == "decoder"]

    @property
    def corridor(self) -> float:
        """Where the memory goes down between the halves."""
        return self.halves[0][1] + MIDDLE / 2


def size_of(config: ModelConfig, percent: int, staged: bool = False) -> Size:
    """The size for a reader's type size in percent, whether or not a block is open.

    staged: in front of a hall, where it is as low as its type for the last row allows.

    Larger type takes the legend first, then the letters of the shapes; the layers set an end.
    """
    wanted = WIDTH * 100 / max(percent, 100)
    layers = max(config.encoder_layers, config.decoder_layers)
    slabs = (LEAST_SLAB + SLAB_GAP) * (layers - 1)
    deep, alone = CARD + GUTTER * min(layers - 1, 2) + slabs, not config.has_both
    least = 2 * max(deep, LEAST_SIDE) + MIDDLE + 2 * EDGE
    if alone:
        least = max(deep, 2 * LEAST_SIDE) + 2 * EDGE
    elif least > ROOMY - 24:
        least += 24  # so many layers that the encoder needs what the decoder would take
    width = max(wanted, least)
    if staged:
        return Size(least, alone=alone, **LOW)
    if percent > 100:
        return Size(width, 30.0, 22.0, 26.0, legend=False, token_rows=3, alone=alone)
    return Size(width, alone=alone)


def stacks_of(config: ModelConfig) -> tuple[Stack, ...]:
    """The stacks that a model has."""
    return tuple(stack for stack in STACKS if layer_count(config, stack))


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
    exit_cx: float  # the vertical line on which the vectors leave
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

    stacks: dict[Stack, StackGrid]
    outputs: float  # y of the row of chosen words
    softmax: Box
    linear: Box
    head: Box | None  # a layer of its own before the words are scored
    memory: Box | None  # None of one stack
    embedding_norm: float | None  # y of the norms below the stacks
    plus: float  # y of the circles that add the positions
    embedding: float
    tokens: float
    height: float
    size: Size


def lay_out_grid(config: ModelConfig, unfolded: dict[Stack, int], size: Size) -> Grid:
    """The places for this model in this size, with one layer of each stack unfolded."""
    end, outputs = size.end, 4.0
    words_end = outputs + size.choice_step * size.output_rows
    softmax = Box.around(sum(size.halves[1]) / 2, words_end + size.over, end, size.high)
    linear = Box.around(softmax.cx, softmax.bottom + size.between, end, size.high)
    head = None
    if config.head_transform:
        head = Box.around(softmax.cx, linear.bottom + size.between, end, size.high)
    norm_room = size.final if config.final_norm else 0.0
    above = linear.bottom + size.neck + norm_room + (HEAD_STEP if head else 0.0)
    above += UNDER_LEGEND if size.alone and size.legend and not norm_room else 0.0
    names = stacks_of(config)
    bottom = above - min(_rows(config, stack, 0.0, size)[1] for stack in names)
    stacks = {stack: _stack(config, stack, unfolded[stack], bottom, size) for stack in names}
    memory = None
    if config.has_both:
        memory = Box.around(stacks["encoder"].cx, stacks["encoder"].exit - 46, end, size.high)
    normed = bottom + 30 if config.embedding_norm else None
    plus = bottom + (size.root if config.adds_positions else 10) + (NORM_STEP if normed else 0.0)
    embedding = plus + size.stem
    tokens = embedding + size.high + 20
    height = tokens + 27 * size.token_rows
    return Grid(
        stacks,
        outputs,
        softmax,
        linear,
        head,
        memory,
        normed,
        plus,
        embedding,
        tokens,
        height,
        size,
    )


def _stack(
    config: ModelConfig, stack: Stack, opened: int, bottom: float, size: Size
) -> StackGrid:  # fmt: skip
    left, right = size.side(stack)
    rows, top = _rows(config, stack, bottom, size)
    exit_cx = sum(size.halves[1] if size.alone else (left, right)) / 2
    final = Box.around(exit_cx, top - size.final - 2, size.end, 24) if config.final_norm else None
    spans = layer_columns(layer_count(config, stack), opened, left, right)
    placed = tuple(
        Column(layer, Box(x, top, width, bottom - top), layer == opened)
        for layer, (x, width) in enumerate(spans)
    )
    return StackGrid(stack, left, right, placed, rows, top, bottom, exit_cx, final)


def layer_columns(count: int, opened: int, left: float, right: float) -> list[tuple[float, float]]:
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


def _rows(
    config: ModelConfig, stack: Stack, bottom: float, size: Size
) -> tuple[tuple[SublayerRow, ...], float]:
    """The sub-layers of a stack from its bottom up, and the y of its top."""
    rows, low = [], bottom - size.foot
    for kind in sublayers(config, stack):
        if config.norm_place == "post":
            block = low - size.branch - size.block
            norm = block - size.join - size.norm
            row = SublayerRow(kind, low - 7, (block, size.block), (norm, size.norm), None)
            low = norm
        else:
            norm = low - (10 if size.low else 14) - (size.norm - 2)
            block = norm - (12 if size.low and kind == "feed_forward" else 22) - size.block
            join = 5 if size.low else 8
            added = block - join - ADD / 2
            row = SublayerRow(kind, low - 5, (block, size.block), (norm, size.norm - 2), added)
            low = block - join - ADD
        rows.append(row)
    return tuple(rows), low - size.head
