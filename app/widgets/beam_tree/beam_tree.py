"""The component: the tree of a beam search, drawn as SVG; a click picks a node."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from app import state
from app.figures.labels import fitted, format_number, format_percent, visible, widest
from app.figures.theme import Look
from app.widgets.beam_tree.plan import WENT_ON, Place, Plan
from app.widgets.component import component
from core.decoding.beam_tree import Beam

WIDEST = 104.0  # pixels of a word
NARROWEST = 48.0  # so wide that most words that did not go on fit, too
SHARE = 64.0  # pixels of the percentage beside it, and of the pill's edges
SIGN = 16.0  # pixels of the sign before a word that did not go on

_tree = component(__file__, "beam_tree")


@dataclass(frozen=True)
class TreeTexts:
    """What stands around the nodes, in the reader's language.

    node: of a node on hover, with {word} {chance} {total} {score} {rank} {fate}. more: of what was
    tried after a node and is not drawn, with {count}.
    """

    label: str
    step: str
    start: str
    node: str
    more: str
    given: str
    fates: Mapping[str, str]


@dataclass(frozen=True)
class Drawn:
    """What is drawn of a search, and how its ids are written."""

    tree: Beam
    plan: Plan
    token: Callable[[int], str]
    given: Sequence[int]  # positions whose word was given by hand


def beam_tree(
    drawn: Drawn, focus: int | None, texts: TreeTexts, look: Look, on_pick: Callable[[int], None]
) -> None:
    """Draw it over the full height of its place; `on_pick(index)` is called before the rerun."""

    def picked() -> None:
        if value := state.trigger("beam_tree", "pick"):
            on_pick(int(value["index"]))

    _tree(
        key="beam_tree",
        data=tree_data(drawn, focus, texts, look),
        on_pick_change=picked,
        height="stretch",
    )


def tree_data(drawn: Drawn, focus: int | None, texts: TreeTexts, look: Look) -> dict[str, Any]:
    """What is sent to the browser."""
    tree, font = drawn.tree, look.px(14)
    best = {node.index for node in tree.path(tree.hypotheses[0])} if tree.hypotheses else set()
    widths = _widths(drawn, look, texts)
    nodes = [_node(place, drawn, best, look, texts, widths) for place in drawn.plan.places]
    path = [node.index for node in tree.path(focus)] if focus is not None else []
    return {
        "nodes": nodes,
        "widths": [round(each) for each in widths],
        "lanes": drawn.plan.lanes,
        "row": look.px(24 if drawn.plan.spread else 30),
        "font": font,
        "focus": focus,
        "path": [0, *path],
        "texts": asdict(texts),
        "look": {
            name: look.colour(name)
            for name in ("text", "faint", "line", "page", "panel", "data", "changed", "weights")
        },
    }


def _node(
    place: Place,
    drawn: Drawn,
    best: set[int],
    look: Look,
    texts: TreeTexts,
    widths: Sequence[float],
) -> dict[str, Any]:
    node, digits = place.node, look.precision
    start = node.fate == "start"
    word = texts.start if start else visible(drawn.token(node.id))
    room = widths[place.column] - (0 if start else look.px(SHARE))
    room -= 0 if node.fate in WENT_ON else look.px(SIGN) / 2
    ends = drawn.tree.hypotheses  # where more have finished than the beam is wide, the best of them
    rank = ends.index(node.index) + 1 if node.fate == "finished" and node.index in ends else 0
    return {
        "i": node.index,
        "p": node.parent,
        "c": place.column,
        "l": place.lane,
        "w": fitted(word, look.px(14), room),
        "x": word,
        "s": "" if start else format_percent(node.probability),
        "a": round(node.probability, 3),
        "f": node.fate,
        "b": int(start or node.index in best),
        "h": rank,
        "g": int(node.position in drawn.given and node.fate not in ("overruled", "start")),
        "t": format_number(node.total, digits),
        "z": format_number(node.score, digits),
        "r": node.rank + 1,
        "n": place.hidden,
    }


def _widths(drawn: Drawn, look: Look, texts: TreeTexts) -> list[float]:
    """Pixels of each column: as wide as the widest word that went on, whatever else is drawn."""
    font = look.px(14)
    wide = [float(look.px(NARROWEST))] * drawn.plan.columns
    for place in drawn.plan.places:
        if place.node.fate in WENT_ON and place.column:
            needed = widest(visible(drawn.token(place.node.id)), font)
            wide[place.column] = max(wide[place.column], min(needed, look.px(WIDEST)))
    start = widest(texts.start, font) + look.px(16)
    return [start, *(each + look.px(SHARE) for each in wide[1:])]
