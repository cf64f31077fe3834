"""The stacks on the map, and what stands below and above them."""

import math
from collections.abc import Sequence

from glassformer.app.pages.translate.map.grid import (
    CARD,
    GUTTER,
    PAD,
    Column,
    Grid,
    Size,
    StackGrid,
    SublayerRow,
)
from glassformer.app.pages.translate.map.scene import ROLES, Scene
from glassformer.app.pages.translate.map.shapes import (
    GAP,
    WIRE,
    Box,
    Chip,
    Item,
    Point,
    chips_in_rows,
    line_item,
    plus_item,
    rect_item,
    text_item,
    wire_item,
)
from glassformer.app.plots.colours import readable_on
from glassformer.app.words import say
from glassformer.core.analysis.attention_views import marks_of
from glassformer.core.analysis.choices import probabilities, rows_by_model
from glassformer.core.config import ModelConfig
from glassformer.core.trace.graph import Stack, stack_end

PARTS = 34.0  # how far query and value stand from the middle of a block
FONT = 13.0


def draw_stack(scene: Scene, grid: StackGrid) -> list[Item]:
    """The columns of a stack and the stream that goes through them, bottom to top."""
    items: list[Item] = []
    for column in grid.columns:
        items += _card(scene, grid, column) if column.open else _slab(scene, grid, column)
    for left, right in zip(grid.columns, grid.columns[1:], strict=False):
        if left.open or right.open:
            items += _between(grid, left, right)
    return items


def _between(grid: StackGrid, left: Column, right: Column) -> list[Item]:
    """From the end of one layer to the start of the next, through the gutter."""
    low, high = grid.lane
    middle = (left.box.right + right.box.x) / 2
    start = (left.box.cx, high) if left.open else (left.box.right, high)
    end = (right.box.cx, low) if right.open else (right.box.x, low)
    points: list[Point] = [start, (middle, high), (middle, low), end]
    return wire_item(points, arrow=not right.open, halo="panel")


def _card(scene: Scene, grid: StackGrid, column: Column) -> list[Item]:
    box, first, last = column.box, column is grid.columns[0], column is grid.columns[-1]
    layer = scene.blocks[f"{grid.stack}/{column.layer}"]
    items = [rect_item(box, scene.layer_fill, "line", 10)]
    header = Box(box.x + 8, box.y + 4, CARD / 2 - 22, 19)
    name = text_item(header.x + 6, header.cy + 4.6, scene.name(layer), 14, weight=600)
    low, high = grid.lane
    ends = (grid.bottom if first else low), (grid.top if last else high)
    items += wire_item([(box.cx, y) for y in ends], arrow=False)
    for row in grid.rows:
        items += _sublayer(scene, grid, box, f"{grid.stack}/{column.layer}/{row.kind}", row)
    return [*items, scene.pressable(layer, header, [rect_item(header, scene.layer_fill), name])]


def _sublayer(scene: Scene, grid: StackGrid, box: Box, where: str, row: SublayerRow) -> list[Item]:
    """One sub-layer in its residual connection."""
    block = Box(box.x + PAD, row.block[0], CARD - 2 * PAD, row.block[1])
    norm = Box(block.x, row.norm[0], block.w, row.norm[1])
    side = block.x if grid.outer < 0 else block.right
    turn = side + grid.outer * 15
    goal = (side, norm.cy) if row.sum is None else (box.cx + grid.outer * 9, row.sum)
    arc: list[Point] = [(box.cx, row.branch), (turn, row.branch), (turn, goal[1]), goal]
    items = wire_item(arc)
    items += _inputs(scene.trace.config, box.cx, block.bottom, row, norm)
    items += [scene.block(where, block), scene.block(f"{where}_norm", norm, big=False)]
    if row.sum is not None:
        items += _sum(scene, f"{where}_residual", box.cx, row.sum)
        return items + wire_item([(box.cx, row.branch), (box.cx, norm.bottom)])
    away, stream = box.cx - grid.outer * (PARTS + 20), f"{where}_residual/stream"
    return [*items, scene.wire_label(away, row.branch - 3, stream, _anchor(-grid.outer), 12)]


def _inputs(
    config: ModelConfig, cx: float, bottom: float, row: SublayerRow, norm: Box
) -> list[Item]:
    """What enters the block: query, key and value of one stream, the query alone, or the stream.

    ↻ stands for positions that turn queries and keys, + B for those that are added to scores.
    """
    start, fork = row.branch if row.sum is None else norm.y, bottom + 14
    if row.kind == "feed_forward" and not config.gated:
        return wire_item([(cx, start), (cx, bottom)])
    turned = " ↻" if config.positions == "rotary" and row.kind == "self_attention" else ""
    query = (0.0, "query", "Q")
    parts = {
        "self_attention": (
            (-PARTS, "query", f"Q{turned}"), (PARTS, "value", "V"), (0.0, "key", f"K{turned}"),
        ),
        "feed_forward": ((-PARTS, "feed_forward", "W₁"), (PARTS, "feed_forward", "W₃")),
    }  # fmt: skip
    items = wire_item([(cx, start), (cx, fork)], arrow=False)
    for offset, role, letter in parts.get(row.kind, (query,)):
        x = cx + offset
        turn = [(x, fork)] if offset else []
        items += wire_item([(cx, fork), *turn, (x, bottom)], role)
        items.append(text_item(x + 5, bottom + 11, letter, 13, role, weight=600))
    if config.positions == "relative" and row.kind == "self_attention":
        items.append(text_item(cx + 2 * PARTS, bottom + 11, "+ B", 12, "weights", weight=600))
    return items


def _sum(scene: Scene, block_id: str, cx: float, cy: float) -> list[Item]:
    """The residual's sum as a circle, where the norm is a block of its own."""
    inside = plus_item(cx, cy, 8, "norm")
    around = Box(cx - 9, cy - 9, 18, 18)
    return [scene.pressable(scene.blocks[block_id], around, inside, 9)]


def _slab(scene: Scene, grid: StackGrid, column: Column) -> list[Item]:
    """A folded layer: its number and a tinted cell for each block, in the card's rows."""
    box = column.box
    layer = scene.blocks[f"{grid.stack}/{column.layer}"]
    number, radius = column.layer + 1, min(8, box.w / 2)
    name = say("map.place_layer", layer=number) if box.w >= 44 else str(number)
    size = 13 if box.w >= 14 else 9
    inside = [
        rect_item(box, scene.layer_fill, "line", radius),
        text_item(box.cx, box.y + 18, name, size, "text", "middle", 600),
    ]
    items = [scene.pressable(layer, box, inside, radius)]
    for row in grid.rows:
        where = f"{grid.stack}/{column.layer}/{row.kind}"
        items.append(_cell(scene, where, box, *row.block))
        items.append(_cell(scene, f"{where}_norm", box, *row.norm))
    return items


def _cell(scene: Scene, block_id: str, slab: Box, y: float, height: float) -> Item:
    pad = min(5.0, slab.w * 0.15)
    box, block = Box(slab.x + pad, y, slab.w - 2 * pad, height), scene.blocks[block_id]
    fill = scene.fill(block)
    inside = [rect_item(box, fill, ROLES[block.kind], 3, 1)]
    if box.w >= 34 and (number := scene.number(block)):
        inside.append(text_item(box.cx, box.cy + 4.2, number, 12, readable_on(fill), "middle"))
    return scene.pressable(block, box, inside, 3)


def _memory_enters(decoder: StackGrid) -> float:
    """The height of the cross-attentions."""
    row = next(row for row in decoder.rows if row.kind == "cross_attention")
    return row.block[0] + row.block[1] / 2


def draw_memory_wire(grid: Grid) -> list[Item]:
    """From the memory to every layer's cross-attention; it passes behind the layers before."""
    if grid.memory is None:
        return []
    memory, decoder, turn = grid.memory, grid.stacks["decoder"], grid.size.corridor
    y, last = _memory_enters(decoder), decoder.columns[-1].box
    points = [(memory.right, memory.cy), (turn, memory.cy), (turn, y), (last.x, y)]
    return wire_item(points, arrow=False)


def draw_memory_arrows(whole: Grid) -> list[Item]:
    """Where the memory enters: as keys and as values in the open layer, as an arrow elsewhere."""
    if whole.memory is None:
        return []
    grid = whole.stacks["decoder"]
    y = _memory_enters(grid)
    card = next(column.box for column in grid.columns if column.open)
    fork, block = card.x + 9, card.x + PAD
    drawn = [line_item(f"M{card.x} {y} h9", "data", WIRE)]
    for offset, role, letter in ((-8.0, "key", "K"), (8.0, "value", "V")):
        points = [(fork, y), (fork, y + offset), (block, y + offset)]
        drawn += wire_item(points, role)
        above = y + offset + (-4 if offset < 0 else 13)
        drawn.append(text_item(fork + 3, above, letter, 13, role, weight=600))
    for column in grid.columns:
        if not column.open and column.box.x - GUTTER < card.right < column.box.x:
            drawn += wire_item([(column.box.x - 6, y), (column.box.x, y)])
    return drawn


def draw_input(scene: Scene, grid: Grid, stack: Stack) -> list[Item]:
    """From the words at the bottom to the first layer: embedding, plus positions."""
    places, side = grid.stacks[stack], "source" if stack == "encoder" else "target"
    box = Box.around(places.cx, grid.embedding, 206, grid.size.high + 2)
    cx, enters = places.cx, places.bottom
    first = places.columns[0].box.cx  # where the stream enters
    has_positions = f"{side}/positions" in scene.blocks
    lane = places.bottom + 11
    top: list[Point] = [(cx, lane), (first, lane)] if abs(first - cx) > 1 else []
    start = grid.plus - 9 if has_positions else box.y
    items = wire_item([(cx, start), *top, (first, enters)])
    # The shape stands on the inner side, unless the wire turns that way to the first layer.
    inner = -places.outer
    way = -inner if (first - cx) * inner > 1 and not grid.size.low else inner
    normed = f"{side}/norm/output" if grid.embedding_norm else f"{side}/input"
    items.append(_beside(scene, cx + way * 12, places.bottom + 23, normed, way))
    if grid.embedding_norm:
        items.append(
            scene.block(f"{side}/norm", Box.around(cx, grid.embedding_norm, 150, 24), False)
        )
    if has_positions:
        items += wire_item([(cx, box.y), (cx, grid.plus + 9)])
        items += _positions(scene, places, side, grid.plus, grid.size.high - 2)
    items += wire_item([(cx, grid.tokens - 3), (cx, box.bottom)])
    items.append(_beside(scene, cx + inner * 12, box.bottom + 14, f"{side}/ids", inner))
    end, caption = cx + places.outer * 12, say(f"map.words_{scene.words_of(side)}")
    items.append(text_item(end, box.bottom + 14, caption, 13, "faint", _anchor(places.outer)))
    return [*items, scene.block(f"{side}/embedding", box)]


def _positions(
    scene: Scene, places: StackGrid, side: str, y: float, high: float
) -> list[Item]:  # fmt: skip
    """The circle that adds, and the block of waves beside it, on the outer side."""
    cx = places.cx
    half = (places.right - places.left) / 2
    middle = cx + places.outer * min(118, half - 68)
    box = Box.around(middle, y - high / 2, 132, high)
    edge = box.right if places.outer < 0 else box.x
    items = wire_item([(edge, y), (cx + places.outer * 9, y)])
    items.append(scene.block(f"{side}/positions", box, big=False))
    if f"{side}/token_type" in scene.blocks:
        other = Box.around(2 * cx - middle, y - high / 2, 132, high)
        edge = other.x if places.outer < 0 else other.right
        items += wire_item([(edge, y), (cx - places.outer * 9, y)])
        items.append(scene.block(f"{side}/token_type", other, big=False))
    return [*items, *plus_item(cx, y, 9, "data")]


def draw_words(scene: Scene, grid: Grid) -> list[Item]:
    """The words at the bottom: of the source, and of the decoder's input."""
    trace, items = scene.trace, []
    unknown, marks = set(trace.source_unknown), marks_of(trace)
    sides: tuple[tuple[Stack, tuple[str, ...], tuple[str, ...]], ...] = (
        ("encoder", trace.source_tokens, trace.source_pieces),
        ("decoder", trace.target_tokens, trace.target_pieces),
    )
    for stack, tokens, pieces in sides:
        if stack not in grid.stacks:
            continue
        for chip in chips_in_rows(
            tokens, grid.size.side(stack), grid.tokens, grid.size.token_rows, FONT
        ):
            grey = chip.index is None or pieces[chip.index] in marks
            dotted = stack == "encoder" and chip.index in unknown
            items += _chip(chip, grey, dotted)
    return items


def _chip(chip: Chip, grey: bool, dotted: bool = False) -> list[Item]:
    box = chip.box
    items = [
        text_item(box.cx, box.y + 15.5, chip.text, FONT, "faint" if grey else "text", "middle")
    ]
    if chip.index is not None:
        items.insert(0, rect_item(box, "panel", "line", 5, 1))
    if dotted:
        under = line_item(f"M{box.x + 6} {box.bottom - 3.5} H{box.right - 6}", "changed")
        items.append(under | {"stroke-dasharray": "1.5 2.5"})
    return items


def draw_output(scene: Scene, grid: Grid) -> list[Item]:
    """From the last layer to the words: linear, softmax, each row's choice; or to vectors alone."""
    cx, stack = grid.linear.cx, list(grid.stacks.values())[-1]
    if not scene.trace.config.has_generator:
        name = text_item(cx, grid.linear.bottom - 6, say("map.vectors"), 13, "faint", "middle")
        return [*_upwards(scene, grid, stack, grid.linear.bottom), name]
    items = _upwards(scene, grid, stack, (grid.head or grid.linear).bottom)
    if grid.head:
        items.append(scene.block("output/dense", grid.head))
        items += wire_item([(cx, grid.head.y), (cx, grid.linear.bottom)])
    items += wire_item([(cx, grid.linear.y), (cx, grid.softmax.bottom)])
    items += wire_item([(cx, grid.softmax.y), (cx, grid.softmax.y - grid.size.over - 2)])
    items.append(_beside(scene, cx + 12, grid.linear.y - 5, "output/logits", 1))
    items.append(scene.block("output/logits", grid.linear))
    items.append(scene.block("output/probabilities", grid.softmax))
    return items + _choices(scene, grid)


def _choices(scene: Scene, grid: Grid) -> list[Item]:
    """Every chosen word with its probability, as a number and a bar."""
    trace, chances, items = scene.trace, probabilities(scene.trace), []
    given = set(range(len(trace.output_tokens))) - set(rows_by_model(trace))
    marks = marks_of(trace)
    for chip in choice_chips(trace.output_tokens, grid.size, grid.outputs):
        box, at = chip.box, chip.index
        items += _chip(chip, at is None or at in given or trace.output_pieces[at] in marks)
        if at is None or grid.size.low:
            continue
        chance = chances[at]
        share = chance if chance == chance else 0.0  # NaN draws no bar
        track = Box(box.x + 5, box.bottom - 6, box.w - 10, 3)
        items.append(
            text_item(box.cx, box.bottom - 9, short_percent(chance), 11, "faint", "middle")
        )
        items.append(rect_item(track, "line", radius=1.5))
        full = Box(track.x, track.y, track.w * share, track.h)
        items.append(rect_item(full, "weights", radius=1.5))
    return items


def choice_chips(tokens: Sequence[str], size: Size, y: float) -> list[Chip]:
    """The chosen words in their rows, with room for a probability each if they have one."""
    high, least = (22, 0) if size.low else (size.choice_step - GAP, 37)
    return chips_in_rows(tokens, size.choices, y, size.output_rows, FONT, high, least)


def short_percent(share: float) -> str:
    """A probability as whole percent; what is neither 0 nor 1 is not written as if it were."""
    if math.isnan(share):
        return "NaN"
    if 0 < share < 0.01:
        return "<1%"
    return ">99%" if 0.995 <= share < 1 else f"{share:.0%}"


def draw_encoder_end(scene: Scene, grid: Grid) -> list[Item]:
    """From the last encoder layer to the memory, and its name on the way to the decoder."""
    memory = grid.memory
    if memory is None:
        return []
    items = _upwards(scene, grid, grid.stacks["encoder"], memory.bottom)
    middle = (memory.right + grid.size.corridor) / 2
    label = scene.wire_label(middle, memory.cy - 7, "memory", "middle")
    return [*items, label, scene.block("memory", memory)]


def _upwards(scene: Scene, grid: Grid, places: StackGrid, goal: float) -> list[Item]:
    """Out of the last layer, through the final norm where there is one."""
    cx = places.exit_cx
    out = places.columns[-1].box.cx  # where the stream leaves
    stop = places.final_norm.bottom if places.final_norm else goal
    lane = places.top - 8
    jog: list[Point] = [(out, lane), (cx, lane)] if abs(out - cx) > 1 else []
    items = wire_item([(out, places.top), *jog, (cx, stop)])
    address = stack_end(scene.trace.config, places.stack)
    if places.final_norm:
        items += wire_item([(cx, places.final_norm.y), (cx, goal)])
        items.append(scene.block(f"{places.stack}/norm", places.final_norm, big=False))
    items.append(_beside(scene, cx - 12, places.exit - grid.size.neck + 13, address, -1))
    return items


def _beside(scene: Scene, x: float, y: float, address: str, way: int) -> Item:
    """A shape beside a wire, written to the left (-1) or to the right (+1) of a place."""
    return scene.wire_label(x, y, address, _anchor(way))


def _anchor(way: int) -> str:
    return "end" if way < 0 else "start"
