"""The pictures of the tiles: what a bench computes from its own first inputs, without a word.

A bench's picture is a function of `PICTURES`; one that has none shows its name instead.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import torch

from app.pages.lab import layers, sequence, stack, weights
from app.plots.colours import head_colour
from core.lab.added import added
from core.lab.clones import clones
from core.lab.depth import depth
from core.lab.dictionary import KEYS, QUERY, VALUES, look_up
from core.lab.head_split import head_split
from core.lab.masks import masks
from core.lab.norms import beside_batch_norm, layer_norms
from core.lab.one_matrix import one_matrix
from core.lab.permutation import reversed_order
from core.lab.skips import skips
from core.lab.softmax import normalisers, scaling
from core.lab.why_attention import routes
from core.lab.worked_examples import work

WIDTH, HEIGHT = 160, 72
# Marks: lines as points, role, dashed; cells as x, y, width, height, role, share of its colour.
Marks = dict[str, list[Any]]
Span = tuple[float, float]  # from where to where, as shares of the width
WHOLE: Span = (0.0, 1.0)


@lru_cache(maxsize=128)
def picture(bench: str, dark: bool) -> Marks | None:
    """What the browser draws of a bench in its first inputs; None: it has no picture."""
    draw = PICTURES.get(bench)
    return None if draw is None else draw(dark)


def curves(series: Sequence[tuple[Any, str, bool]], span: Span = WHOLE) -> Marks:
    """Lines on one scale; each is its values, its role and whether it is dashed."""
    values = [np.asarray(each, dtype=np.float64) for each, _, _ in series]
    low, high = min(each.min() for each in values), max(each.max() for each in values)
    lines = []
    for each, (_, role, dashed) in zip(values, series, strict=True):
        x = np.linspace(*span, len(each)) * (WIDTH - 8) + 4
        y = HEIGHT - 5 - (each - low) / ((high - low) or 1.0) * (HEIGHT - 10)
        points = np.stack([x, y], axis=-1).round(1).tolist()
        lines.append([points, role, dashed])
    return {"lines": lines, "cells": []}


def grid(values: Any, role: Any = "data", span: Span = WHOLE) -> Marks:
    """Square cells, deeper the larger; below 0 in the key's colour. role: one, or one a column."""
    cells = np.atleast_2d(np.asarray(values, dtype=np.float64))
    rows, columns = cells.shape
    left, wide = span[0] * WIDTH, (span[1] - span[0]) * WIDTH
    size = min(wide / columns, (HEIGHT - 4) / rows)
    x0, y0 = left + (wide - columns * size) / 2, (HEIGHT - rows * size) / 2
    most = float(np.abs(cells).max()) or 1.0
    roles = [role] * columns if isinstance(role, str) else role
    return {
        "lines": [],
        "cells": [
            [
                round(x0 + c * size, 1), round(y0 + r * size, 1), round(size - 1, 1),
                round(size - 1, 1), roles[c] if value >= 0 else "key", round(abs(value) / most, 2),
            ]
            for (r, c), value in np.ndenumerate(cells)
        ],
    }  # fmt: skip


def bars(values: Any, role: str, span: Span = WHOLE) -> Marks:
    """Upright bars from 0; those below 0 hang."""
    heights = np.asarray(values, dtype=np.float64)
    low, high = min(0.0, float(heights.min())), max(0.0, float(heights.max()))
    unit = (HEIGHT - 8) / ((high - low) or 1.0)
    step = (span[1] - span[0]) * WIDTH / len(heights)
    foot = 4 + high * unit
    return {
        "lines": [],
        "cells": [
            [
                round(span[0] * WIDTH + at * step + 1, 1), round(foot - max(each, 0) * unit, 1),
                round(step - 2, 1), max(round(abs(each) * unit, 1), 1), role, 0.8,
            ]
            for at, each in enumerate(heights.tolist())
        ],
    }  # fmt: skip


def together(*parts: Marks) -> Marks:
    """Several as one."""
    return {kind: [each for part in parts for each in part[kind]] for kind in ("lines", "cells")}


def spans(count: int, gap: float = 0.08) -> list[Span]:
    """Places side by side."""
    wide = (1 + gap) / count
    return [(at * wide, (at + 1) * wide - gap) for at in range(count)]


def _originals(fields: Sequence[Any], *names: str) -> dict[str, Any]:
    return {each.name: each.original for each in fields if not names or each.name in names}


def _scaling(_dark: bool) -> Marks:
    found = scaling(**_originals(weights.SCALING, "d_k", "keys"))
    raw, scaled = found.raw.entropy, found.scaled.entropy
    return curves([(raw, "changed", True), (scaled, "weights", False)])


def _normalisers(_dark: bool) -> Marks:
    found = normalisers(**_originals(weights.NORMALISERS))
    return together(*(
        bars(each.weights, "weights", span)
        for each, span in zip(found, spans(len(found)), strict=True)
    ))  # fmt: skip


def _dictionary(dark: bool) -> Marks:
    by_heat = look_up(QUERY, KEYS, VALUES).by_temperature.T
    return curves([(each, head_colour(at, dark), at > 0) for at, each in enumerate(by_heat)])


def _masks(_dark: bool) -> Marks:
    found = masks(**_originals(weights.MASKS))
    return together(*(
        grid(found.ways[way].weights, "weights", span)
        for way, span in zip(("large_negative", "multiply_before"), spans(2), strict=True)
    ))  # fmt: skip


def _layer_norm(dark: bool) -> Marks:
    found = layer_norms(**_originals(layers.LAYER_NORM)).curves
    return curves([(each, head_colour(at, dark), at % 2 > 0) for at, each in enumerate(found)])


def _batch_norm(_dark: bool) -> Marks:
    found = beside_batch_norm(**_originals(layers.BATCH_NORM))
    return together(*(
        grid(each.normalized.flatten(0, 1), "norm", span)
        for each, span in zip((found.layer, found.batch), spans(2), strict=True)
    ))  # fmt: skip


def _depth(_dark: bool) -> Marks:
    roles = {"post": "query", "pre": "value"}
    stacks = depth(**_originals(layers.DEPTH))
    return curves([(each.likeness, roles[each.place], not each.residual) for each in stacks])


def _split(dark: bool) -> Marks:
    found = head_split(**_originals(layers.SPLIT, "sentences", "words", "width", "heads"))
    _, heads, words, inside = found.steps["split"].cells.shape
    hues = [head_colour(at // inside, dark) for at in range(heads * inside)]
    whole = grid(np.ones((words, heads * inside)), hues, (0.0, 0.5))
    places = [(0.6 + 0.22 * head, 0.78 + 0.22 * head) for head in range(heads)]
    return together(whole, *(
        grid(np.ones((words, inside)), hues[head * inside :], place)
        for head, place in enumerate(places)
    ))  # fmt: skip


def _one_matrix(dark: bool) -> Marks:
    found = one_matrix(**_originals(layers.ONE_MATRIX))
    _, width, inside = found.small.shape
    hues = [head_colour(at // inside, dark) for at in range(width)]
    small = (
        grid(each.abs(), hues[head * inside :], (0.26 * head, 0.26 * head + 0.22))
        for head, each in enumerate(found.small)
    )
    return together(*small, grid(found.large.abs(), hues, (0.62, 1.0)))


def _skips(_dark: bool) -> Marks:
    shares = skips().shares  # (places, parts)
    roles = ["data", "norm", *("weights", "feed_forward") * (shares.size(1) // 2 - 1)]
    step = WIDTH / len(shares)
    cells = []
    for place, row in enumerate(shares.clamp(min=0).tolist()):
        foot = HEIGHT - 4.0
        for role, share in zip(roles, row, strict=True):
            high = share / sum(row) * (HEIGHT - 8)
            foot -= high
            cells.append([round(place * step + 1, 1), round(foot, 1), round(step - 2, 1),
                          round(high, 1), role, 1])  # fmt: skip
    return {"lines": [], "cells": cells}


def _clones(_dark: bool) -> Marks:
    found = clones(**_originals(stack.CLONES))
    rows = [torch.cat([found[way].moved[at, :4, :8] for at in range(3)], dim=1).clamp(-0.1, 0.1)
            for way in ("shared", "copied")]  # fmt: skip
    return grid(torch.cat(rows), "query")


def _added(_dark: bool) -> Marks:
    found = added(**_originals(sequence.ADDED))
    parts = ((found.a, "data"), (found.e, "query"), (found.added, "value"))
    return together(*(
        grid(each, role, span) for (each, role), span in zip(parts, spans(3, 0.12), strict=True)
    ))  # fmt: skip


def _order(_dark: bool) -> Marks:
    order = reversed_order(7)
    roles = ("data", "weights", "query")
    return curves([((at, to), roles[at % 3], False) for at, to in enumerate(order)])


def _why(dark: bool) -> Marks:
    found = routes(**_originals(sequence.WHY, "length", "width", "kernel"))
    return curves([
        (np.log10(each.gradients.numpy() + 1e-12), head_colour(at, dark), each.kind != "attention")
        for at, each in enumerate(found)
    ])  # fmt: skip


def _examples(_dark: bool) -> Marks:
    return grid(work("pe-matrix").quantity("pe").value.T, "data")


PICTURES: dict[str, Callable[[bool], Marks]] = {
    "scaling": _scaling,
    "normalisers": _normalisers,
    "dictionary": _dictionary,
    "masks": _masks,
    "layer_norm": _layer_norm,
    "batch_norm": _batch_norm,
    "depth": _depth,
    "split": _split,
    "one_matrix": _one_matrix,
    "skips": _skips,
    "clones": _clones,
    "order": _order,
    "added": _added,
    "why": _why,
    "examples": _examples,
}
