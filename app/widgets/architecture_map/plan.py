"""The whole map as a list of things to draw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from app.figures.theme import Look
from app.widgets.architecture_map.ends import (
    choice_chips,
    draw_encoder_end,
    draw_input,
    draw_output,
    draw_words,
)
from app.widgets.architecture_map.grid import Grid, grid
from app.widgets.architecture_map.legend import draw_legend, draw_titles
from app.widgets.architecture_map.scene import UNTINTED, Say, Scene
from app.widgets.architecture_map.shapes import Item, compact
from app.widgets.architecture_map.size import Size, size_of
from app.widgets.architecture_map.stacks import (
    draw_memory_arrows,
    draw_memory_wire,
    draw_stack,
)
from core.reading.blocks import Stack, blocks, layer_count
from core.reading.stream_views import ratios, scale_end
from core.trace.trace import Trace


def plan(
    trace: Trace, look: Look, say: Say, open_block: str = "",
    unfolded: Mapping[Stack, int] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """The drawing of a run: its size and everything on it, back to front.

    unfolded: the layer of each stack that is drawn in full, counted from 0; the first without it.
    Layers that the model does not have become its last.
    """
    config, wanted = trace.config, unfolded or {}
    size = _sized(trace, look)
    scene = _scene(trace, look, say, open_block, size.letters)
    opened: dict[Stack, int] = {
        stack: min(max(wanted.get(stack, 0), 0), layer_count(config, stack) - 1)
        for stack in ("encoder", "decoder")
    }
    places = grid(config, opened, size)
    return {
        "width": size.width,
        "height": places.height,
        "large": look.size > 100,
        "label": say("map.label", encoder=config.encoder_layers, decoder=config.decoder_layers),
        "items": [compact(item) for item in _in_order(scene, _everything(scene, places))],
    }


def _sized(trace: Trace, look: Look) -> Size:
    """The size of the drawing, with a second row for the chosen words where one is too short."""
    size = size_of(trace.config, look.size)
    chips = choice_chips(trace.output_tokens, size.sides["decoder"], 0, rows=1)
    return size if len(chips) == len(trace.output_tokens) else replace(size, output_rows=2)


def _scene(trace: Trace, look: Look, say: Say, open_block: str, letters: bool) -> Scene:
    by_id, found = {block.id: block for block in blocks(trace.config)}, ratios(trace)
    tinted = {name: found[name] for name in found if by_id[name].kind not in UNTINTED}
    return Scene(trace, look, say, by_id, found, scale_end(tinted), open_block, letters)


def _everything(scene: Scene, places: Grid) -> list[Item]:
    size = places.size
    start = (places.memory.right, places.memory.cy)
    return [
        *draw_legend(scene, places),
        *draw_titles(scene, places),
        *draw_memory_wire(scene, places.decoder, start, size.corridor),
        *draw_stack(scene, places.encoder),
        *draw_stack(scene, places.decoder),
        *draw_memory_arrows(scene, places.decoder),
        *draw_encoder_end(scene, places),
        *draw_input(scene, places, "encoder"),
        *draw_input(scene, places, "decoder"),
        *draw_output(scene, places),
        *draw_words(scene, places),
    ]


def _in_order(scene: Scene, items: list[Item]) -> list[Item]:
    """The buttons last and in computation order, which is then the order of the Tab key."""
    order = {name: at for at, name in enumerate(scene.blocks)}
    still = [item for item in items if item["kind"] != "button"]
    buttons = [item for item in items if item["kind"] == "button"]
    return [*still, *sorted(buttons, key=lambda item: order[item["id"]])]
