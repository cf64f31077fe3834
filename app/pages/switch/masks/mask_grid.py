"""The component: cells of a mask with the words around them; strokes come back."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from glassformer.app.panels.attention.focus import AttentionFocus
from glassformer.app.plots.colours import fade_colour, mix_colours
from glassformer.app.plots.labels import visible, widest
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.runs import on_screen
from glassformer.app.session import store
from glassformer.app.session.state import BRUSHES, STROKES
from glassformer.app.ui.chart import current_look
from glassformer.app.ui.component import CELLS, component, pack_numbers
from glassformer.app.words import say, say_each
from glassformer.core.analysis.attention_views import Side, attention_at
from glassformer.core.interventions.masks import Brush, MaskView, mask_view
from glassformer.core.interventions.masks import Stroke as Kind
from glassformer.core.interventions.parts import attention_extent
from glassformer.core.trace.trace import Trace

KEY = "mask_grid"
MOST_WEIGHTS = 128 * 128  # cells; of more, the line below the grid names no weight
WIDEST_ROW = 150  # pixels of a row's label; a longer one does not say what the row writes
NAMES = (
    "masks.hide masks.hide_help masks.show masks.show_help masks.clear masks.clear_help "
    "masks.strokes masks.brushes masks.cell masks.cell_help masks.row masks.row_help "
    "masks.column masks.column_help masks.band masks.band_help masks.across masks.down "
    "masks.whole_row masks.whole_column masks.allowed masks.forbidden masks.mixed "
    "masks.changed masks.pair masks.weight"
)  # fmt: skip

_grid = component(__file__, KEY, scripts=(CELLS,))


@dataclass(frozen=True)
class Stroke:
    """One drag over the cells; `number` grows from stroke to stroke."""

    number: int
    place: str
    heads: tuple[int, ...]
    brush: Brush
    stroke: Kind
    first: tuple[int, int]
    last: tuple[int, int]


@dataclass(frozen=True)
class MaskFocus(AttentionFocus):
    """The mask of one attention: of one head, or of all heads of the layer.

    trace: the run that the switches act on, also where the plain one is on screen. plain: the run
    without them, whose lengths painted cells must fit.
    """

    plain: Trace

    @classmethod
    def current(cls) -> Self:
        """The focus of this session."""
        pair, after = on_screen.pair_on_screen(), on_screen.trace_on_screen()
        before = after
        if pair is not None and pair.kind == "experiment":
            before, after = pair.first, pair.second
        return cls(store.get_state(), after, current_look(), before)

    @property
    def place(self) -> str:
        """The attention, such as `decoder/1/cross_attention`."""
        return attention_at(self.kind, self.now.layer)

    @property
    def heads(self) -> tuple[int, ...]:
        """The head in focus; () for all of them."""
        return () if self.now.head is None else (self.now.head,)

    @property
    def lengths(self) -> tuple[int, int]:
        """Source and target tokens that a mask may have: those on screen and in the plain run."""
        runs = (self.trace, self.plain)
        source = min(len(run.source_tokens) for run in runs)
        return source, min(len(run.target_tokens) for run in runs)

    @property
    def limit(self) -> tuple[int, int]:
        """Rows and columns that can be painted."""
        return attention_extent(self.place, *self.lengths)

    @cached_property
    def mask(self) -> MaskView:
        """The mask as it was in the run."""
        return mask_view(self.trace, self.place, self.heads)


def mask_grid(
    focus: MaskFocus, revision: int, on_paint: Callable[[Sequence[Stroke]], None]
) -> None:
    """Draw the grid over the height of its container; strokes are painted before the rerun.

    revision: number of the last stroke that is in the mask.
    """

    def chosen(value: Any) -> None:
        if isinstance(value, dict):
            store.update(**{name: value[name] for name in ("brush", "stroke") if name in value})

    data = _data(focus) | {"revision": revision}
    _grid(KEY, data, height="stretch", paint=lambda sent: on_paint(read_strokes(sent)), tool=chosen)


def _data(focus: MaskFocus) -> dict[str, Any]:
    """What is sent to the browser: a bit a cell and plane, the weights, the words, the colours."""
    view, now, look, (rows, columns) = focus.mask, focus.now, focus.look, focus.sides
    planes = [each.numpy() for each in (view.allowed, view.mixed, view.changed, view.own)]
    weights = view.weights.float().numpy()
    shown = (len(rows.tokens), len(columns.tokens))
    kind = say(f"masks.kind_{focus.kind}")
    texts = say_each(NAMES)
    texts["hint"] = say("masks.hint" if focus.limit == shown else "masks.beyond")
    texts["label"] = say("masks.label", attention=kind, rows=shown[0], columns=shown[1])
    return {
        "place": "|".join((focus.place, *map(str, focus.heads))),
        "rows": shown[0],
        "columns": shown[1],
        "limit": focus.limit,
        "planes": [pack_numbers(np.packbits(each)) for each in planes],
        "mixed": bool(view.mixed.any()),
        "weights": pack_numbers(weights) if weights.size <= MOST_WEIGHTS else "",
        "closed": view.closed_rows,
        "rowLabels": row_labels(rows, look),
        "columnLabels": [visible(token) for token in columns.tokens],
        "rowEnds": [token.startswith("<") for token in rows.tokens],
        "columnEnds": [token.startswith("<") for token in columns.tokens],
        "brushes": BRUSHES,
        "strokes": STROKES,
        "brush": now.brush,
        "stroke": now.stroke,
        "ones": now.ones,  # what a 1 in a cell means, "look" or "hidden"
        "digits": look.precision,
        "colours": _colours(look),
        "texts": texts,
    }


def _colours(look: FigureStyle) -> dict[str, str]:
    """Of the canvas, by what they are for."""
    return {
        **{role: look.colour(role) for role in ("panel", "text", "line", "changed")},
        "allowed": mix_colours(
            look.colour("panel"), look.colour("weights"), 0.4 if look.dark else 0.25
        ),
        "hatch": fade_colour(look.colour("faint"), 0.6),
    }


def row_labels(rows: Side, look: FigureStyle) -> list[str]:
    """The words down: with what their rows write, or, where one of those is long, without."""
    labels = [visible(label) for label in rows.labels]
    if max(widest(label, look.px(13)) for label in labels) <= look.px(WIDEST_ROW):
        return labels
    return [visible(token) for token in rows.tokens]


def read_strokes(value: Any) -> tuple[Stroke, ...]:
    """What the browser sent; whatever is no stroke is left out."""
    found = []
    for each in value.get("strokes", ()) if isinstance(value, dict) else ():
        try:
            found.append(_read_stroke(each))
        except (KeyError, TypeError, ValueError, AttributeError):
            continue
    return tuple(sorted(found, key=lambda stroke: stroke.number))


def _read_stroke(value: Mapping[str, Any]) -> Stroke:
    place, *heads = str(value["place"]).split("|")
    first, last = ((int(row), int(column)) for row, column in (value["from"], value["to"]))
    known = value["brush"] in BRUSHES and value["stroke"] in STROKES
    if not known or min(*first, *last) < 0:
        raise ValueError(value)
    numbers = tuple(map(int, heads))
    return Stroke(
        int(value["number"]), place, numbers, value["brush"], value["stroke"], first, last
    )
