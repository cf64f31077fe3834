"""The whole map as a list of things to draw, with its legend."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from app.pages.translate.map.grid import STACKS, Grid, grid, size_of
from app.pages.translate.map.scene import UNTINTED, Scene, percent
from app.pages.translate.map.shapes import Box, Item, compact, rect, text
from app.pages.translate.map.stacks import (
    choice_chips,
    draw_encoder_end,
    draw_input,
    draw_memory_arrows,
    draw_memory_wire,
    draw_output,
    draw_stack,
    draw_words,
)
from app.plots.theme import FigureStyle
from app.words import say
from core.analysis.blocks import blocks, ratios, scale_end
from core.trace.graph import Stack, layer_count
from core.trace.trace import Trace

STEPS = 12
ROLES = ("weights", "feed_forward", "norm", "data")


def plan(
    trace: Trace, look: FigureStyle, open_block: str = "", unfolded: Mapping[str, int] | None = None
) -> dict[str, Any]:
    """The drawing of a run: its size and everything on it, back to front.

    unfolded: the layer of each stack that is drawn in full, counted from 0; the first without it.
    Layers that the model does not have become its last.
    """
    config, wanted = trace.config, unfolded or {}
    size = size_of(config, look.size)
    words = trace.output_tokens
    if len(choice_chips(words, size.sides["decoder"], 0, rows=1)) != len(words):
        size = replace(size, output_rows=2)  # one row is too short for the chosen words
    scene = _scene(trace, look, open_block, size.letters)
    opened: dict[Stack, int] = {
        stack: min(max(wanted.get(stack, 0), 0), layer_count(config, stack) - 1) for stack in STACKS
    }
    places = grid(config, opened, size)
    return {
        "width": size.width,
        "height": places.height,
        "large": look.size > 100,
        "label": say("map.label", encoder=config.encoder_layers, decoder=config.decoder_layers),
        "items": [
            compact(item, look.colour) for item in _in_order(scene, _everything(scene, places))
        ],
    }


def _scene(trace: Trace, look: FigureStyle, open_block: str, letters: bool) -> Scene:
    by_id, found = {block.id: block for block in blocks(trace.config)}, ratios(trace)
    tinted = {name: found[name] for name in found if by_id[name].kind not in UNTINTED}
    return Scene(trace, look, by_id, found, scale_end(tinted), open_block, letters)


def _everything(scene: Scene, places: Grid) -> list[Item]:
    return [
        *draw_legend(scene, places),
        *draw_titles(places),
        *draw_memory_wire(places),
        *draw_stack(scene, places.stacks["encoder"]),
        *draw_stack(scene, places.stacks["decoder"]),
        *draw_memory_arrows(places.stacks["decoder"]),
        *draw_encoder_end(scene, places),
        *draw_input(scene, places, "encoder"),
        *draw_input(scene, places, "decoder"),
        *draw_output(scene, places),
        *draw_words(scene, places),
    ]


def _in_order(scene: Scene, items: list[Item]) -> list[Item]:
    """The buttons last and in computation order, which is then the order of the Tab key."""
    order = {name: at for at, name in enumerate(scene.blocks)}
    return sorted(items, key=lambda item: order.get(item.get("id", ""), -1))


def draw_legend(scene: Scene, grid: Grid) -> list[Item]:
    """Title, measure, a scale of each role from 0 to the strongest tint, the config in short."""
    if not grid.size.legend:
        return []
    left, right = grid.size.sides["encoder"]
    items = [
        text(left, 18, say("map.legend"), 15, weight=600),
        text(left, 36, say("map.legend_measure"), 12.5, "faint"),
    ]
    width = (right - left - 3 * 14) / 4
    for place, role in enumerate(ROLES):
        items += _scale(scene, role, Box(left + place * (width + 14), 66, width, 10))
    items.append(text(left, 118, summary(scene), 13, "faint"))
    return items


def _scale(scene: Scene, role: str, box: Box) -> list[Item]:
    step = box.w / STEPS
    cells = [
        rect(Box(box.x + at * step, box.y, step + 0.5, box.h),
             scene.tint(role, scene.end * at / (STEPS - 1)), radius=0)
        for at in range(STEPS)
    ]  # fmt: skip
    return [
        *cells,
        rect(box, "none", role, 2, 1),
        text(box.x, box.bottom + 14, "0", 11, "faint"),
        text(box.right, box.bottom + 14, percent(scene.end), 11, "faint", "end"),
        text(box.x, box.y - 6, say(f"map.role_{role}"), 13),
    ]


def summary(scene: Scene) -> str:
    """The model in one line: sizes by their letters, and where the norm stands."""
    config = scene.trace.config
    sizes = f"D = {config.d_model}   H = {config.n_heads}   F = {config.d_ff}"
    norm = say(f"map.norm_{config.norm_place}")
    return f"{sizes}   V = {config.vocabulary_size}   {norm}"


def draw_titles(grid: Grid) -> list[Item]:
    """The names of the two halves with the number of their layers, beside their exits."""
    items = []
    for stack, places in grid.stacks.items():
        x, anchor = (places.left, "start") if places.outer < 0 else (places.right, "end")
        words = say("map.stack_title", name=say(f"map.stack_{stack}"), layers=len(places.columns))
        items.append(text(x, places.top - 18, words, 16, "text", anchor, 700))
    return items
