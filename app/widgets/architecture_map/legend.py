"""What the colours of the map say, with numbers, and what is drawn: the free corner, top left."""

from __future__ import annotations

from app.widgets.architecture_map.grid import STACKS, Grid
from app.widgets.architecture_map.scene import Scene, percent
from app.widgets.architecture_map.shapes import Box, Item, rect, text

STEPS = 12
ROLES = ("weights", "feed_forward", "norm", "data")


def draw_legend(scene: Scene, grid: Grid) -> list[Item]:
    """Title, measure, a scale of each role from 0 to the strongest tint, the config in short."""
    if not grid.size.legend:
        return []
    left, right = grid.encoder.left, grid.encoder.right
    items = [
        text(left, 18, scene.say("map.legend"), 15, scene.colour("text"), weight=600),
        text(left, 36, scene.say("map.legend_measure"), 12.5, scene.colour("faint")),
    ]
    width = (right - left - 3 * 14) / 4
    for place, role in enumerate(ROLES):
        items += _scale(scene, role, Box(left + place * (width + 14), 66, width, 10))
    items.append(text(left, 118, summary(scene), 13, scene.colour("faint")))
    return items


def _scale(scene: Scene, role: str, box: Box) -> list[Item]:
    step, faint, ink = box.w / STEPS, scene.colour("faint"), scene.colour("text")
    say = scene.say
    cells = [
        rect(Box(box.x + at * step, box.y, step + 0.5, box.h),
             scene.tint(role, scene.end * at / (STEPS - 1)), radius=0)
        for at in range(STEPS)
    ]  # fmt: skip
    return [
        *cells,
        rect(box, "none", scene.colour(role), 2, 1),
        text(box.x, box.bottom + 14, "0", 11, faint),
        text(box.right, box.bottom + 14, percent(scene.end), 11, faint, "end"),
        text(box.x, box.y - 6, say(f"map.role_{role}"), 13, ink),
    ]


def summary(scene: Scene) -> str:
    """The model in one line: sizes by their letters, and where the norm stands."""
    config, say = scene.trace.config, scene.say
    sizes = (
        f"D = {config.d_model}", f"H = {config.n_heads}", f"F = {config.d_ff}",
        f"V = {config.vocabulary_size}",
        say(f"map.norm_{config.norm_place}"),
    )  # fmt: skip
    return "   ".join(sizes)


def draw_titles(scene: Scene, grid: Grid) -> list[Item]:
    """The names of the two halves with the number of their layers, beside their exits."""
    items = []
    config, say = scene.trace.config, scene.say
    counts = {"encoder": config.encoder_layers, "decoder": config.decoder_layers}
    for stack in STACKS:
        places = grid.stack(stack)
        x, anchor = (places.left, "start") if places.outer < 0 else (places.right, "end")
        words = say("map.stack_title", name=say(f"map.stack_{stack}"), layers=counts[stack])
        items.append(text(x, places.top - 18, words, 16, scene.colour("text"), anchor, 700))
    return items
