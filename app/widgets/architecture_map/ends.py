"""Below and above the stacks: words, embeddings, positions, memory, linear and softmax."""

from __future__ import annotations

import math
from collections.abc import Sequence

from app.widgets.architecture_map.grid import CHOICE_STEP, Grid, StackGrid
from app.widgets.architecture_map.scene import Scene
from app.widgets.architecture_map.shapes import Box, Item, Point, circle, line, rect, text, wire
from app.widgets.architecture_map.stacks import entry, leaving
from app.widgets.architecture_map.tokens import GAP, Chip, flow
from core.reading.blocks import Stack, stack_end
from core.reading.choices import probabilities

FONT = 13.0
ENDS = ("<eos>", "<en>", "<zh>", "<pad>")


def draw_input(scene: Scene, grid: Grid, stack: Stack) -> list[Item]:
    """From the words at the bottom to the first layer: embedding, plus positions."""
    places, side = grid.stack(stack), "source" if stack == "encoder" else "target"
    say = scene.say
    box = Box.around(places.cx, grid.embedding, 206, 28)
    data, cx, enters = scene.colour("data"), places.cx, places.bottom
    first = entry(places)
    has_positions = f"{side}/positions" in scene.blocks
    lane = places.bottom + 11
    top: list[Point] = [(cx, lane), (first, lane)] if abs(first - cx) > 1 else []
    start = grid.plus - 9 if has_positions else box.y
    items = wire([(cx, start), *top, (first, enters)], data)
    # The shape stands on the inner side, unless the wire turns that way to the first layer.
    inner = -places.outer
    way = -inner if (first - cx) * inner > 1 else inner
    items.append(_beside(scene, cx + way * 12, places.bottom + 23, f"{side}/input", way))
    if has_positions:
        items += wire([(cx, box.y), (cx, grid.plus + 9)], data)
        items += _positions(scene, places, side, grid.plus)
    items += wire([(cx, grid.tokens - 3), (cx, box.bottom)], data)
    items.append(_beside(scene, cx + inner * 12, box.bottom + 14, f"{side}/ids", inner))
    caption = say(f"map.words_{side}")
    end = cx + places.outer * 12
    faint, anchor = scene.colour("faint"), _anchor(places.outer)
    items.append(text(end, box.bottom + 14, caption, 12, faint, anchor))
    return [*items, scene.block(f"{side}/embedding", box)]


def _positions(scene: Scene, places: StackGrid, side: str, y: float) -> list[Item]:
    """The circle that adds, and the block of waves beside it, on the outer side."""
    data, cx = scene.colour("data"), places.cx
    half = (places.right - places.left) / 2
    middle = cx + places.outer * min(118, half - 68)
    box = Box.around(middle, y - 12, 132, 24)
    edge = box.right if places.outer < 0 else box.x
    sign = line(f"M{cx - 4} {y} H{cx + 4} M{cx} {y - 4} V{y + 4}", data)
    return [
        *wire([(edge, y), (cx + places.outer * 9, y)], data),
        circle(cx, y, 9, scene.colour("page"), data),
        sign,
        scene.block(f"{side}/positions", box, big=False),
    ]


def draw_words(scene: Scene, grid: Grid) -> list[Item]:
    """The words at the bottom: of the source, and of the decoder's input."""
    trace, items = scene.trace, []
    unknown = set(trace.source_unknown)
    sides: tuple[tuple[Stack, tuple[str, ...], tuple[str, ...]], ...] = (
        ("encoder", trace.source_tokens, trace.source_pieces),
        ("decoder", trace.target_tokens, trace.target_pieces),
    )
    for stack, tokens, pieces in sides:
        for chip in flow(tokens, grid.size.sides[stack], grid.tokens, grid.size.token_rows, FONT):
            grey = chip.index is None or pieces[chip.index] in ENDS
            dotted = stack == "encoder" and chip.index in unknown
            items += _chip(scene, chip, grey, dotted)
    return items


def _chip(scene: Scene, chip: Chip, grey: bool, dotted: bool = False) -> list[Item]:
    box, ink = chip.box, scene.colour("faint" if grey else "text")
    items = [text(box.cx, box.y + 15.5, chip.text, FONT, ink, "middle")]
    if chip.index is not None:
        items.insert(0, rect(box, scene.colour("panel"), scene.colour("line"), 5, 1))
    if dotted:
        under = line(f"M{box.x + 6} {box.bottom - 3.5} H{box.right - 6}", scene.colour("changed"))
        items.append(under | {"stroke-dasharray": "1.5 2.5"})
    return items


def draw_output(scene: Scene, grid: Grid) -> list[Item]:
    """From the last decoder layer to the words: linear, softmax, each row's choice."""
    places, data = grid.decoder, scene.colour("data")
    items = _upwards(scene, places, grid.linear.bottom)
    cx = grid.linear.cx
    items += wire([(cx, grid.linear.y), (cx, grid.softmax.bottom)], data)
    items += wire([(cx, grid.softmax.y), (cx, grid.softmax.y - 15)], data)
    items.append(_beside(scene, cx + 12, grid.linear.y - 5, "output/logits", 1))
    items.append(scene.block("output/logits", grid.linear))
    items.append(scene.block("output/probabilities", grid.softmax))
    return items + _choices(scene, grid)


def _choices(scene: Scene, grid: Grid) -> list[Item]:
    """Every chosen word with its probability, as a number and a bar."""
    trace, chances, items = scene.trace, probabilities(scene.trace), []
    side = grid.size.sides["decoder"]
    for chip in choice_chips(scene.trace.output_tokens, side, grid.outputs, grid.size.output_rows):
        box, at = chip.box, chip.index
        items += _chip(scene, chip, at is None or trace.output_pieces[at] in ENDS)
        if at is None:
            continue
        chance = chances[at]
        share = chance if chance == chance else 0.0  # NaN draws no bar
        track = Box(box.x + 5, box.bottom - 6, box.w - 10, 3)
        items.append(text(box.cx, box.bottom - 9, short_percent(chance), 11,
                          scene.colour("faint"), "middle"))  # fmt: skip
        items.append(rect(track, scene.colour("line"), radius=1.5))
        full = Box(track.x, track.y, track.w * share, track.h)
        items.append(rect(full, scene.colour("weights"), radius=1.5))
    return items


def choice_chips(
    tokens: Sequence[str], side: tuple[float, float], y: float, rows: int
) -> list[Chip]:  # fmt: skip
    """The chosen words in their rows, with room for a probability each."""
    return flow(tokens, side, y, rows, FONT, CHOICE_STEP - GAP, 37)


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
    items = _upwards(scene, grid.encoder, memory.bottom)
    middle = (memory.right + grid.size.corridor) / 2
    label = scene.wire_label(middle, memory.cy - 7, "memory", "middle")
    return [*items, label, scene.block("memory", memory)]


def _upwards(scene: Scene, places: StackGrid, goal: float) -> list[Item]:
    """Out of the last layer, through the final norm where there is one."""
    data, cx, out = scene.colour("data"), places.cx, leaving(places)
    stop = places.final_norm.bottom if places.final_norm else goal
    lane = places.top - 8
    jog: list[Point] = [(out, lane), (cx, lane)] if abs(out - cx) > 1 else []
    items = wire([(out, places.top), *jog, (cx, stop)], data)
    address = stack_end(scene.trace.config, places.stack)
    if places.final_norm:
        items += wire([(cx, places.final_norm.y), (cx, goal)], data)
        items.append(scene.block(f"{places.stack}/norm", places.final_norm, big=False))
    items.append(_beside(scene, cx - 12, places.exit - 9, address, -1))
    return items


def _beside(scene: Scene, x: float, y: float, address: str, way: int) -> Item:
    """A shape beside a wire, written to the left (-1) or to the right (+1) of a place."""
    return scene.wire_label(x, y, address, _anchor(way))


def _anchor(way: int) -> str:
    return "end" if way < 0 else "start"
