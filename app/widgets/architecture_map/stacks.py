"""One stack on the map: the open layer with everything in it, the other layers as slabs."""

from __future__ import annotations

from app.figures.colours import mix, readable_on
from app.widgets.architecture_map.grid import PAD, Column, StackGrid, SublayerRow
from app.widgets.architecture_map.scene import ROLES, Scene, percent
from app.widgets.architecture_map.shapes import Box, Item, Point, circle, line, rect, text, wire
from app.widgets.architecture_map.size import CARD, GUTTER

PARTS = 34.0  # how far query and value stand from the middle of a block


def draw_stack(scene: Scene, grid: StackGrid) -> list[Item]:
    """The columns of a stack and the stream that goes through them, bottom to top."""
    items: list[Item] = []
    for column in grid.columns:
        items += _card(scene, grid, column) if column.open else _slab(scene, grid, column)
    for left, right in zip(grid.columns, grid.columns[1:], strict=False):
        if left.open or right.open:
            items += _between(scene, grid, left, right)
    return items


def entry(grid: StackGrid) -> float:
    """The x at which the stream enters the first layer."""
    return grid.columns[0].box.cx


def leaving(grid: StackGrid) -> float:
    """The x at which the stream leaves the last layer."""
    return grid.columns[-1].box.cx


def _between(scene: Scene, grid: StackGrid, left: Column, right: Column) -> list[Item]:
    """From the end of one layer to the start of the next, through the gutter."""
    low, high = grid.lane
    middle = (left.box.right + right.box.x) / 2
    start = (left.box.cx, high) if left.open else (left.box.right, high)
    end = (right.box.cx, low) if right.open else (right.box.x, low)
    points: list[Point] = [start, (middle, high), (middle, low), end]
    data = scene.colour("data")
    return wire(points, data, arrow=not right.open, halo=scene.colour("panel"))


def _card(scene: Scene, grid: StackGrid, column: Column) -> list[Item]:
    box, first, last = column.box, column is grid.columns[0], column is grid.columns[-1]
    layer = scene.blocks[f"{grid.stack}/{column.layer}"]
    fill = mix(scene.colour("page"), scene.colour("panel"), 0.6)
    items = [rect(box, fill, scene.colour("line"), 10)]
    header = Box(box.x + 8, box.y + 4, CARD / 2 - 22, 19)
    ink = scene.colour("text")
    name = text(header.x + 6, header.cy + 4.6, scene.name(layer), 14, ink, weight=600)
    low, high = grid.lane
    start = grid.bottom if first else low
    stop = grid.top if last else high
    data = scene.colour("data")
    items += wire([(box.cx, start), (box.cx, stop)], data, arrow=False)
    for row in grid.rows:
        items += _sublayer(scene, grid, box, f"{grid.stack}/{column.layer}/{row.kind}", row)
    back = rect(header, fill)
    return [*items, scene.pressable(layer, header, [back, name])]


def _sublayer(scene: Scene, grid: StackGrid, box: Box, where: str, row: SublayerRow) -> list[Item]:
    """One sub-layer in its residual connection."""
    block = Box(box.x + PAD, row.block[0], CARD - 2 * PAD, row.block[1])
    norm = Box(block.x, row.norm[0], block.w, row.norm[1])
    data = scene.colour("data")
    side = block.x if grid.outer < 0 else block.right
    turn = side + grid.outer * 15
    goal = (side, norm.cy) if row.sum is None else (box.cx + grid.outer * 9, row.sum)
    arc: list[Point] = [(box.cx, row.branch), (turn, row.branch), (turn, goal[1]), goal]
    items = wire(arc, data)
    items += _inputs(scene, box.cx, block.bottom, row, norm)
    items += [scene.block(where, block), scene.block(f"{where}_norm", norm, big=False)]
    if row.sum is not None:
        items += _sum(scene, f"{where}_residual", box.cx, row.sum)
        items += wire([(box.cx, row.branch), (box.cx, norm.bottom)], data)
    away = box.cx - grid.outer * (PARTS + 20)
    label = row.branch + (-3 if row.sum is None else 2)
    anchor = "start" if grid.outer < 0 else "end"
    if row.sum is None:
        items.append(scene.wire_label(away, label, f"{where}_residual/stream", anchor, 12))
    return items


def _inputs(scene: Scene, cx: float, bottom: float, row: SublayerRow, norm: Box) -> list[Item]:
    """What enters the block: query, key and value of one stream, the query alone, or the stream."""
    start, fork = row.branch if row.sum is None else norm.y, bottom + 14
    if row.kind == "feed_forward":
        return wire([(cx, start), (cx, bottom)], scene.colour("data"))
    parts = {"self_attention": ((-PARTS, "query"), (PARTS, "value"), (0.0, "key"))}
    items = wire([(cx, start), (cx, fork)], scene.colour("data"), arrow=False)
    for offset, role in parts.get(row.kind, ((0.0, "query"),)):
        hue, x = scene.colour(role), cx + offset
        turn = [(x, fork)] if offset else []
        items += wire([(cx, fork), *turn, (x, bottom)], hue)
        items.append(text(x + 5, bottom + 11, role[0].upper(), 11, hue, weight=600))
    return items


def _sum(scene: Scene, block_id: str, cx: float, cy: float) -> list[Item]:
    """The residual's sum as a circle, where the norm is a block of its own."""
    grey, fill = scene.colour("norm"), scene.colour("page")
    signs = [line(f"M{cx - 4} {cy} H{cx + 4} M{cx} {cy - 4} V{cy + 4}", grey)]
    inside = [circle(cx, cy, 8, fill, grey), *signs]
    around = Box(cx - 9, cy - 9, 18, 18)
    return [scene.pressable(scene.blocks[block_id], around, inside, 9)]


def _slab(scene: Scene, grid: StackGrid, column: Column) -> list[Item]:
    """A folded layer: its number and a tinted cell for each block, in the card's rows."""
    box = column.box
    layer = scene.blocks[f"{grid.stack}/{column.layer}"]
    fill = mix(scene.colour("page"), scene.colour("panel"), 0.6)
    number = str(column.layer + 1)
    if box.w >= 44:
        number = scene.say("map.place_layer", layer=column.layer + 1)
    size = 13 if box.w >= 14 else 9
    inside = [
        rect(box, fill, scene.colour("line"), min(8, box.w / 2)),
        text(box.cx, box.y + 18, number, size, scene.colour("text"), "middle", 600),
    ]
    items = [scene.pressable(layer, box, inside, min(8, box.w / 2))]
    for row in grid.rows:
        where = f"{grid.stack}/{column.layer}/{row.kind}"
        items.append(_cell(scene, where, box, *row.block))
        items.append(_cell(scene, f"{where}_norm", box, *row.norm))
    return items


def _cell(scene: Scene, block_id: str, slab: Box, y: float, height: float) -> Item:
    pad = min(5.0, slab.w * 0.15)
    box, block = Box(slab.x + pad, y, slab.w - 2 * pad, height), scene.blocks[block_id]
    fill = scene.fill(block)
    inside = [rect(box, fill, scene.colour(ROLES[block.kind]), 3, 1)]
    if box.w >= 34:
        number = percent(scene.ratios[block_id])
        inside.append(text(box.cx, box.cy + 4.2, number, 12, readable_on(fill), "middle"))
    return scene.pressable(block, box, inside, 3)


def draw_memory_wire(scene: Scene, grid: StackGrid, start: Point, corridor: float) -> list[Item]:
    """From the memory to every layer's cross-attention; it passes behind the layers before."""
    row = next(row for row in grid.rows if row.kind == "cross_attention")
    y, data = row.block[0] + row.block[1] / 2, scene.colour("data")
    last = grid.columns[-1].box
    points: list[Point] = [start, (corridor, start[1]), (corridor, y), (last.x, y)]
    return wire(points, data, arrow=False)


def draw_memory_arrows(scene: Scene, grid: StackGrid) -> list[Item]:
    """Where the memory enters: as keys and as values in the open layer, as an arrow elsewhere."""
    row = next(row for row in grid.rows if row.kind == "cross_attention")
    y, data = row.block[0] + row.block[1] / 2, scene.colour("data")
    card = next(column.box for column in grid.columns if column.open)
    fork, block, items = card.x + 9, card.x + PAD, line(f"M{card.x} {y} h9", data, 1.75)
    drawn = [items]
    for offset, role, letter in ((-8.0, "key", "K"), (8.0, "value", "V")):
        points = [(fork, y), (fork, y + offset), (block, y + offset)]
        drawn += wire(points, scene.colour(role))
        above = y + offset + (-4 if offset < 0 else 13)
        drawn.append(text(fork + 3, above, letter, 11, scene.colour(role), weight=600))
    for column in grid.columns:
        if not column.open and column.box.x - GUTTER < card.right < column.box.x:
            drawn += wire([(column.box.x - 6, y), (column.box.x, y)], data)
    return drawn
