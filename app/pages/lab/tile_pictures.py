"""The pictures of the tiles: what a bench computes from its own first inputs, without a word.

A bench's picture is a function of `PICTURES`; one that has none shows its name instead.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import torch

from glassformer.app.pages.lab.added.panel import ADDED
from glassformer.app.pages.lab.batch_norm.panel import BATCH_NORM
from glassformer.app.pages.lab.clones.panel import CLONES
from glassformer.app.pages.lab.depth.panel import DEPTH
from glassformer.app.pages.lab.labels.panel import LABELS
from glassformer.app.pages.lab.layer_norm.panel import LAYER_NORM
from glassformer.app.pages.lab.masks.panel import MASKS
from glassformer.app.pages.lab.normalisers.panel import NORMALISERS
from glassformer.app.pages.lab.one_matrix.panel import ONE_MATRIX
from glassformer.app.pages.lab.pull.panel import SCORES
from glassformer.app.pages.lab.pull.panel import VALUES as PULLING
from glassformer.app.pages.lab.rnn.panel import RNN
from glassformer.app.pages.lab.scaling.panel import SCALING
from glassformer.app.pages.lab.seq2seq.panel import SENTENCE
from glassformer.app.pages.lab.split.panel import SPLIT
from glassformer.app.pages.lab.why.panel import WHY
from glassformer.app.plots.colours import head_colour
from glassformer.app.plots.marks import panel_spans
from glassformer.core.lab.added import join_positions
from glassformer.core.lab.clones import clones
from glassformer.core.lab.depth import measure_depth
from glassformer.core.lab.dictionary import KEYS, QUERY, VALUES, look_up
from glassformer.core.lab.head_split import head_split
from glassformer.core.lab.labels import labels
from glassformer.core.lab.mask_building import build_mask
from glassformer.core.lab.masks import masks
from glassformer.core.lab.norm_axes import norm_axes
from glassformer.core.lab.norms import beside_batch_norm, layer_norms
from glassformer.core.lab.one_matrix import one_matrix
from glassformer.core.lab.permutation import reversed_order
from glassformer.core.lab.rnn import LETTERS, train_writers
from glassformer.core.lab.seq2seq import read_words
from glassformer.core.lab.similarity import compare_measures
from glassformer.core.lab.skips import skips
from glassformer.core.lab.softmax import measure_scaling, normalisers
from glassformer.core.lab.weighted_values import weigh_values
from glassformer.core.lab.why_attention import run_routes
from glassformer.core.lab.worked_examples import compute_example

WIDTH, HEIGHT = 160, 72
# Lines are [points, role, dashed]; cells [x, y, width, height, role, share of its full colour].
Marks = list[list[Any]]
Span = tuple[float, float]  # from where to where, as shares of the width
WHOLE: Span = (0.0, 1.0)


@lru_cache(maxsize=128)
def bench_picture(bench: str, dark: bool) -> Marks | None:
    """What the browser draws of a bench in its first inputs; None: it has no picture."""
    draw = PICTURES.get(bench)
    return None if draw is None else draw(dark)


def draw_curves(series: Sequence[tuple[Any, str, bool]]) -> Marks:
    """Lines on one scale; each is its values, its role and whether it is dashed."""
    values = [np.asarray(each, dtype=np.float64) for each, _, _ in series]
    low, high = min(each.min() for each in values), max(each.max() for each in values)
    lines: Marks = []
    for each, (_, role, dashed) in zip(values, series, strict=True):
        x = np.linspace(4, WIDTH - 4, len(each))
        y = HEIGHT - 5 - (each - low) / ((high - low) or 1.0) * (HEIGHT - 10)
        lines.append([np.stack([x, y], axis=-1).round(1).tolist(), role, dashed])
    return lines


def draw_grid(values: Any, role: Any = "data", span: Span = WHOLE) -> Marks:
    """Square cells, deeper the larger; below 0 in the key's colour. role: one, or one a column."""
    cells = np.atleast_2d(np.asarray(values, dtype=np.float64))
    rows, columns = cells.shape
    left, wide = span[0] * WIDTH, (span[1] - span[0]) * WIDTH
    size = min(wide / columns, (HEIGHT - 4) / rows)
    x0, y0 = left + (wide - columns * size) / 2, (HEIGHT - rows * size) / 2
    most = float(np.abs(cells).max()) or 1.0
    roles = [role] * columns if isinstance(role, str) else role
    return [
        _cell(x0 + c * size, y0 + r * size, size - 1, size - 1, roles[c] if value >= 0 else "key",
              abs(value) / most)
        for (r, c), value in np.ndenumerate(cells)
    ]  # fmt: skip


def draw_bars(values: Any, role: str, span: Span = WHOLE) -> Marks:
    """Upright bars from 0; those below 0 hang."""
    heights = np.asarray(values, dtype=np.float64)
    low, high = min(0.0, float(heights.min())), max(0.0, float(heights.max()))
    unit = (HEIGHT - 8) / ((high - low) or 1.0)
    step = (span[1] - span[0]) * WIDTH / len(heights)
    return [
        _cell(span[0] * WIDTH + at * step + 1, 4 + (high - max(each, 0)) * unit, step - 2,
              max(abs(each) * unit, 1), role, 0.8)
        for at, each in enumerate(heights.tolist())
    ]  # fmt: skip


def marks_side_by_side(
    draw: Callable[..., Marks], parts: Sequence[tuple[Any, Any]], gap: float = 0.08
) -> Marks:
    """Several grids, or bars, side by side, as wide as they have columns; each values and role."""
    places = panel_spans([np.shape(values)[-1] for values, _ in parts], gap)
    marks = [
        draw(values, role, tuple(place))
        for (values, role), place in zip(parts, places, strict=True)
    ]
    return [mark for each in marks for mark in each]


def _cell(x: float, y: float, wide: float, high: float, role: str, share: float) -> list[Any]:
    return [*(round(float(each), 1) for each in (x, y, wide, high)), role, round(float(share), 2)]


def _originals(fields: Sequence[Any], *names: str) -> dict[str, Any]:
    return {each.name: each.original for each in fields if not names or each.name in names}


def _scaling(_dark: bool) -> Marks:
    found = measure_scaling(**_originals(SCALING, "d_k", "keys"))
    return draw_curves(
        [(found.raw.entropy, "changed", True), (found.scaled.entropy, "weights", False)]
    )


def _normalisers(_dark: bool) -> Marks:
    found = normalisers(**_originals(NORMALISERS))
    return marks_side_by_side(draw_bars, [(each.weights, "weights") for each in found])


def _dictionary(dark: bool) -> Marks:
    by_heat = look_up(QUERY, KEYS, VALUES).by_temperature.T
    return draw_curves([(each, head_colour(at, dark), at > 0) for at, each in enumerate(by_heat)])


def _masks(_dark: bool) -> Marks:
    ways = masks(**_originals(MASKS)).ways
    both = (ways["large_negative"], ways["multiply_before"])
    return marks_side_by_side(draw_grid, [(each.weights, "weights") for each in both])


def _labels(_dark: bool) -> Marks:
    found = labels(**_originals(LABELS))
    return marks_side_by_side(
        draw_bars, [(each.probabilities, "weights") for each in (found.softmax, found.sigmoid)]
    )


def _weighted_values(_dark: bool) -> Marks:
    found = weigh_values(torch.zeros(2), torch.tensor([2.0, 1.0]), "typed")
    parts = ((found.weights, "weights"), (found.values, "value"), (found.terms, "value"))
    return marks_side_by_side(draw_bars, [*parts, (found.running[-1:], "weights")])


def _pull(dark: bool) -> Marks:
    found = look_up((1.0,), np.array(SCORES)[:, None], PULLING)
    start, terms = np.zeros((1, 2)), found.terms.numpy()
    joints = np.vstack([start, terms.cumsum(axis=0)])
    pale = [np.vstack([start, value[None]]) for value in found.values.numpy()]
    whole = np.vstack([*pale, joints])
    low, high = whole.min(axis=0), whole.max(axis=0)
    unit = min((WIDTH - 8) / (high - low)[0], (HEIGHT - 8) / (high - low)[1])
    middle = np.array([WIDTH, HEIGHT]) / 2

    def line(points: Any, role: str, dashed: bool) -> list[Any]:
        placed = middle + (points - (low + high) / 2) * (unit, -unit)
        return [placed.round(1).tolist(), role, dashed]

    hues = [head_colour(at, dark) for at in range(len(pale))]
    parts = zip(joints, joints[1:], hues, strict=False)
    return [
        *(line(each, hue, True) for each, hue in zip(pale, hues, strict=True)),
        line(joints[[0, -1]], "value", False),
        *(line(np.stack([tail, tip]), hue, False) for tail, tip, hue in parts),
    ]


def _rnn(_dark: bool) -> Marks:
    given = _originals(RNN)
    course = train_writers(given["task"], int(given["width"]), given["seed"], given["steps"])
    letters = torch.tensor([[*map(LETTERS.index, given["letters"])]])
    states, last = course.writer("vector", 0).read(letters)  # (1, S, d), (1, 1, d)
    shown = states.size(1)  # of d numbers, so that cells are seen
    both = ((states[0, :, :shown].T, "data"), (last[0, :, :shown].T, "data"))
    return marks_side_by_side(draw_grid, both)


def _nearest_words(_dark: bool) -> Marks:
    sparse = torch.eye(6)[:4]  # each word a place of its own
    dense = torch.randn(4, 3, generator=torch.Generator().manual_seed(0))
    return marks_side_by_side(draw_grid, [(sparse, "weights"), (dense, "data")])


def _memory(_dark: bool) -> Marks:
    places = torch.arange(1, 13.0).view(3, 4)  # in memory, from the first to the last
    return marks_side_by_side(draw_grid, [(places, "value"), (places.T, "value")])


def _similarity(_dark: bool) -> Marks:
    found = compare_measures()
    return marks_side_by_side(
        draw_bars, [(found.product.weights, "query"), (found.distance.weights, "key")]
    )


def _mask_building(_dark: bool) -> Marks:
    return marks_side_by_side(
        draw_grid, [(head[0].float(), "weights") for head in build_mask().spread[:2]]
    )


def _mask_steps(_dark: bool) -> Marks:
    return draw_grid(
        build_mask().weights, "weights"
    )  # what the mask leaves of even attention, step by step


def _layer_norm(dark: bool) -> Marks:
    found = layer_norms(**_originals(LAYER_NORM)).curves
    return draw_curves([(each, head_colour(at, dark), at % 2 > 0) for at, each in enumerate(found)])


def _batch_norm(_dark: bool) -> Marks:
    found = beside_batch_norm(**_originals(BATCH_NORM))
    both = (found.layer, found.batch)
    return marks_side_by_side(draw_grid, [(each.normalized.flatten(0, 1), "norm") for each in both])


def _norm_axes(_dark: bool) -> Marks:
    norms = norm_axes(at=6).norms
    both = (norms["batch"], norms["layer"])
    return marks_side_by_side(
        draw_grid, [(each.together.flatten(0, 1).float(), "norm") for each in both]
    )


def _depth(_dark: bool) -> Marks:
    roles = {"post": "query", "pre": "value"}
    stacks = measure_depth(**_originals(DEPTH))
    return draw_curves([(each.likeness, roles[each.place], not each.residual) for each in stacks])


def _split(dark: bool) -> Marks:
    found = head_split(**_originals(SPLIT, "sentences", "words", "width", "heads"))
    _, heads, words, inside = found.steps["split"].cells.shape
    hues = [head_colour(at // inside, dark) for at in range(heads * inside)]
    split = [(np.ones((words, inside)), hues[head * inside :]) for head in range(heads)]
    return marks_side_by_side(draw_grid, [(np.ones((words, heads * inside)), hues), *split])


def _one_matrix(dark: bool) -> Marks:
    found = one_matrix(**_originals(ONE_MATRIX))
    _, width, inside = found.small.shape
    hues = [head_colour(at // inside, dark) for at in range(width)]
    small = [(each.abs(), hues[head * inside :]) for head, each in enumerate(found.small)]
    return marks_side_by_side(draw_grid, [*small, (found.large.abs(), hues)])


def _skips(_dark: bool) -> Marks:
    shares = skips().shares.clamp(min=0).numpy()  # (places, parts)
    roles = ["data", "norm", *("weights", "feed_forward") * (shares.shape[1] // 2 - 1)]
    high = shares / shares.sum(axis=1, keepdims=True) * (HEIGHT - 8)
    tops, step = HEIGHT - 4 - high.cumsum(axis=1), WIDTH / len(shares)
    return [
        _cell(place * step + 1, tops[place, part], step - 2, each, roles[part], 1)
        for (place, part), each in np.ndenumerate(high)
    ]


def _clones(_dark: bool) -> Marks:
    found = clones(**_originals(CLONES))
    rows = [torch.cat([*found[way].moved[:3, :4, :8]], dim=1) for way in ("shared", "copied")]
    return draw_grid(torch.cat(rows).clamp(-0.1, 0.1), "query")


def _added(_dark: bool) -> Marks:
    found = join_positions(**_originals(ADDED))
    return marks_side_by_side(
        draw_grid, [(found.a.T, "data"), (found.e.T, "query"), (found.added.T, "value")]
    )


def _order(_dark: bool) -> Marks:
    roles = ("data", "weights", "query")
    order = reversed_order(7)
    return draw_curves([((at, to), roles[at % 3], False) for at, to in enumerate(order)])


def _why(dark: bool) -> Marks:
    found = run_routes(**_originals(WHY, "length", "width", "kernel"))
    return draw_curves([
        (np.log10(each.gradients.numpy() + 1e-12), head_colour(at, dark), each.kind != "attention")
        for at, each in enumerate(found)
    ])  # fmt: skip


def _seq2seq(_dark: bool) -> Marks:
    found = read_words(SENTENCE)[0].by_word
    vector, attention = found["vector"].log10(), found["attention"].log10()
    return draw_curves([(vector, "changed", True), (attention, "weights", False)])


def _examples(_dark: bool) -> Marks:
    return draw_grid(compute_example("pe-matrix").quantity("pe").value.T)


PICTURES: dict[str, Callable[[bool], Marks]] = {
    "scaling": _scaling,
    "normalisers": _normalisers,
    "dictionary": _dictionary,
    "labels": _labels,
    "weighted_values": _weighted_values,
    "pull": _pull,
    "nearest_words": _nearest_words,
    "memory": _memory,
    "similarity": _similarity,
    "masks": _masks,
    "mask_building": _mask_building,
    "mask_steps": _mask_steps,
    "norm_axes": _norm_axes,
    "seq2seq": _seq2seq,
    "rnn": _rnn,
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
