"""The whole map as a list of things to draw, with its legend."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from glassformer.app.pages.translate.map.grid import Grid, lay_out_grid, size_of, stacks_of
from glassformer.app.pages.translate.map.scene import END, Scene, whole_percent
from glassformer.app.pages.translate.map.shapes import Box, Item, compact_item, rect_item, text_item
from glassformer.app.pages.translate.map.stacks import (
    choice_chips,
    draw_encoder_end,
    draw_input,
    draw_memory_arrows,
    draw_memory_wire,
    draw_output,
    draw_stack,
    draw_words,
)
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.words import say
from glassformer.core.analysis.blocks import blocks_of_model, ratios
from glassformer.core.config import ModelConfig
from glassformer.core.trace.graph import Stack, layer_count
from glassformer.core.trace.trace import Trace

STEPS = 12
ROLES = ("weights", "feed_forward", "norm", "data")
WITHIN = ("rotary", "relative")  # positions that attention itself knows
SWITCH = "tint"  # no block has this id


def plan_map(
    trace: Trace, look: FigureStyle, open_block: str = "",
    unfolded: Mapping[str, int] | None = None, tinted: bool = False, staged: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """The drawing of a run: its size and everything on it, back to front.

    tinted: blocks by how far they move the vectors, not by their roles.

    unfolded: the layer of each stack that is drawn in full, counted from 0; the first without it.
    Layers that the model does not have become its last. staged: in front of a hall.
    """
    config, wanted = trace.config, unfolded or {}
    size = size_of(config, look.size, staged)
    words = trace.output_tokens
    if not size.low and len(choice_chips(words, size, 0)) != len(words):
        size = replace(size, output_rows=2)  # one row is too short for the chosen words
    by_id = {block.id: block for block in blocks_of_model(config)}
    scene = Scene(trace, look, by_id, ratios(trace), open_block, tinted, size.letters)
    opened = layers_in_full(config, wanted)
    places = lay_out_grid(config, opened, size)
    return {
        "width": size.width,
        "height": places.height,
        "large": look.size > 100,
        "label": _label(config),
        "items": [
            compact_item(item, look.colour) for item in _in_order(scene, _everything(scene, places))
        ],
    }


def layers_in_full(config: ModelConfig, wanted: Mapping[str, int]) -> dict[Stack, int]:
    """Of each stack the layer that is drawn in full: the wanted one, or the one nearest to it."""
    return {
        stack: min(max(wanted.get(stack, 0), 0), layer_count(config, stack) - 1)
        for stack in stacks_of(config)
    }


def _label(config: ModelConfig) -> str:
    if config.has_both:
        return say("map.label", encoder=config.encoder_layers, decoder=config.decoder_layers)
    (stack,) = stacks_of(config)
    name = say(f"map.stack_{stack}")
    return say("map.label_alone", name=name, layers=layer_count(config, stack))


def _everything(scene: Scene, places: Grid) -> list[Item]:
    stacks = places.stacks
    return [
        *draw_legend(scene, places),
        *draw_titles(places),
        *draw_memory_wire(places),
        *(item for stack in stacks.values() for item in draw_stack(scene, stack)),
        *draw_memory_arrows(places),
        *draw_encoder_end(scene, places),
        *(item for stack in stacks for item in draw_input(scene, places, stack)),
        *draw_output(scene, places),
        *draw_words(scene, places),
    ]


def _in_order(scene: Scene, items: list[Item]) -> list[Item]:
    """The buttons last and in computation order, which is then the order of the Tab key."""
    order = {name: at for at, name in enumerate(scene.blocks)}
    return sorted(items, key=lambda item: order.get(item.get("id", ""), -1))


def draw_legend(scene: Scene, grid: Grid) -> list[Item]:
    """What colours mean, by role or from 0 to the strongest tint; the switch; the config."""
    if not grid.size.legend:
        return []
    left, right = grid.size.halves[0]
    by = "change" if scene.tinted else "role"
    items = [
        text_item(left, 18, say(f"map.legend_{by}"), 15, weight=600),
        text_item(left, 36, _about(scene, by), 12.5, "faint"),
    ]
    width = (right - left - 3 * 14) / 4
    for place, role in enumerate(ROLES):
        box = Box(left + place * (width + 14), 66, width, 10)
        items += _scale(scene, role, box) if scene.tinted else _swatch(scene, role, box)
    items.append(_switch(scene, Box(left, 98, right - left, 22)))
    items.append(text_item(left, 138, model_summary(scene), 13, "faint"))
    others = conventions_line(scene.trace.config)
    if others:
        items.append(text_item(left, 155, others, 13, "faint"))
    of_strips = text_item(left, 172 if others else 155, "", 13, "faint")
    return [*items, of_strips | {"data-strips": "legend"}]


def _about(scene: Scene, by: str) -> str:
    task, config = scene.trace.task, scene.trace.config
    if by == "role" and not config.has_generator:
        return say("map.legend_role_about_vectors")
    if by == "role" and task == "fill_in":
        return say("map.legend_role_about_blank")
    return say(f"map.legend_{by}_about")


def _swatch(scene: Scene, role: str, box: Box) -> list[Item]:
    return [
        rect_item(box, scene.role_fill(role), role, 2, 1),
        text_item(box.x, box.y - 6, say(f"map.role_{role}"), 13),
    ]


def _switch(scene: Scene, box: Box) -> Item:
    """The button that colours the blocks by what they do, and back."""
    label, about = say("map.tint"), say("map.tint_about")
    return {
        "kind": "button",
        "id": SWITCH,
        "tip": [label, about],
        "pressed": scene.tinted,
        "items": [
            rect_item(box, "panel" if scene.tinted else "page", "line", 6, 1),
            text_item(box.cx, box.cy + 4.5, label, 13, "text", "middle"),
        ],
        "ring": rect_item(box, "none", "text", 6, 2),
    }


def _scale(scene: Scene, role: str, box: Box) -> list[Item]:
    step = box.w / STEPS
    cells = [
        rect_item(Box(box.x + at * step, box.y, step + 0.5, box.h),
             scene.tint(role, END * at / (STEPS - 1)), radius=0)
        for at in range(STEPS)
    ]  # fmt: skip
    return [
        *cells,
        rect_item(box, "none", role, 2, 1),
        text_item(box.x, box.bottom + 14, "0", 11, "faint"),
        text_item(box.right, box.bottom + 14, f"≥ {whole_percent(END)}", 11, "faint", "end"),
        text_item(box.x, box.y - 6, say(f"map.role_{role}"), 13),
    ]


def model_summary(scene: Scene) -> str:
    """The model in one line: sizes by their letters, and where the norm stands."""
    config = scene.trace.config
    stacks = config.of("encoder"), config
    heads, units = (
        " / ".join(dict.fromkeys(str(getattr(each, name)) for each in stacks))
        for name in ("n_heads", "d_ff")
    )
    sizes = f"D = {config.d_model}   H = {heads}   F = {units}"
    norm = say(f"map.norm_{config.norm_place}")
    return f"{sizes}   V = {config.vocabulary_size}   {norm}"


def conventions_line(config: ModelConfig) -> str:
    """What it is built of that the paper's model is not, in one line."""
    parts = [say(f"map.has_{config.positions}")] if config.positions in WITHIN else []
    parts += [say("map.has_rms")] if config.norm_kind == "rms" else []
    parts += [say("map.has_gated")] if config.gated else []
    if config.key_heads != config.n_heads:
        parts.append(say("map.has_grouped", heads=config.key_heads))
    return " · ".join(parts)


def draw_titles(grid: Grid) -> list[Item]:
    """The names of the two halves with the number of their layers, beside their exits."""
    items = []
    for stack, places in grid.stacks.items():
        left = places.outer < 0 and not grid.size.alone  # of one stack the legend stands there
        x, anchor = (places.left, "start") if left else (places.right, "end")
        words = say("map.stack_title", name=say(f"map.stack_{stack}"), layers=len(places.columns))
        items.append(text_item(x, places.top - 18, words, 16, "text", anchor, 700))
    return items
