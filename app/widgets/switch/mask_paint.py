"""What the grid and the buttons below it do to the experiment."""

from __future__ import annotations

from collections.abc import Sequence

from app import experiments, service, state
from app.widgets.mask_grid import Stroke
from app.widgets.switch.mask_focus import MaskFocus
from core.edits import Experiment
from core.edits.attentions import OfHeads
from core.edits.masks import Band, Fill, Lines, only_itself, only_neighbours
from core.edits.painting import covered, is_drawn, restored, stroked, with_band
from core.errors import GlassformerError

PAINTED = "mask_painted"  # number of the session's last stroke
PRESETS = {"itself": only_itself, "neighbours": only_neighbours}


def revision() -> int:
    """The number of the last stroke that is in the experiment."""
    number: int = state.kept(PAINTED, 0)
    return number


def paint(strokes: Sequence[Stroke]) -> None:
    """Put new strokes into the experiment; those that the browser sends again are known.

    The next stroke may interrupt this callback wherever it reads the session: a stroke counts as
    known once it is painted, and what was cut off comes again with the next one.
    """
    focus = MaskFocus.current()
    for each in strokes:
        if each.number > revision():
            _paint(focus, each)
            state.keep(PAINTED, each.number)


def _paint(focus: MaskFocus, stroke: Stroke) -> None:
    config = focus.plain.config
    try:
        OfHeads(stroke.place, stroke.heads).check(config, *focus.lengths)
    except GlassformerError:
        return  # of a model that is no longer on screen
    size = focus.limit_of(stroke.place)
    cells = covered(stroke.brush, stroke.first, stroke.last, size)
    experiments.put(
        stroked(experiments.now(), config, stroke.place, stroke.heads, cells, stroke.stroke, size)
    )


def draw(preset: str) -> None:
    """A preset in place of what is drawn in the focus."""
    focus = MaskFocus.current()
    band: Band = PRESETS[preset](focus.place, focus.heads)
    experiments.put(with_band(experiments.now(), focus.plain.config, band))


def restore() -> None:
    """The mask of the focus as the model makes it."""
    focus = MaskFocus.current()
    experiments.put(restored(experiments.now(), focus.plain.config, focus.place, focus.heads))


def can_restore(focus: MaskFocus) -> bool:
    """Whether anything is drawn in the focus."""
    return is_drawn(experiments.now(), focus.plain.config, focus.place, focus.heads)


def open_rows() -> None:
    """Give rows with nothing allowed back what the model itself allows there."""
    focus = MaskFocus.current()
    now, config, size = experiments.now(), focus.plain.config, focus.limit
    rows = [row for row in focus.view.closed_rows if row < size[0]]
    cells = [(row, column) for row in rows for column in range(size[1])]
    opened = stroked(now, config, focus.place, focus.heads, cells, "clear", size)
    if any(isinstance(each, Band | Lines) for each in now.switches):
        own = [cell for cell in cells if focus.view.own[cell]]
        opened = stroked(opened, config, focus.place, focus.heads, own, "show", size)
    experiments.put(opened)


def fill_with(fill: str) -> None:
    """How hidden scores are written; the model's own way is no switch."""
    others = [each for each in experiments.now().switches if not isinstance(each, Fill)]
    if fill != service.plain_model().config.mask_fill:
        others.append(Fill(fill))  # type: ignore[arg-type]
    experiments.put(Experiment(tuple(others)))
