"""The component: the tree of a beam search, drawn as SVG; a click picks a node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from app.plots.labels import fitted, format_number, format_percent, visible, widest
from app.plots.theme import Look
from app.ui.component import component
from core.decoding.beam import Beam, Node

WENT_ON = ("start", "kept", "finished", "open")
FEW = 60  # so many branches that did not go on are drawn without being asked for
MOST = 800  # and so many at most


@dataclass(frozen=True)
class Place:
    """One node that is drawn: column 0 is the start. hidden: what was tried after it, not drawn."""

    node: Node
    column: int
    lane: int
    hidden: int


@dataclass(frozen=True)
class Plan:
    """The drawing: its places, its size, how many nodes are left out.

    spread: whether all that did not go on is drawn, each below what it was tried after.
    """

    places: tuple[Place, ...]
    columns: int
    lanes: int
    left_out: int
    spread: bool


def plan(tree: Beam, everything: bool = False, focus: int | None = None) -> Plan:
    """What is drawn where: what went on always stands at the same place.

    everything: also what did not go on, the best of it first; without, only what was tried after
    the node in focus and beside it, or all where it is little.
    """
    lanes, free = dict[int, int](), _Lanes()
    _chain(tree, tree.nodes[0], {node.index for node in tree.path(_last(tree))}, lanes, free, 0)
    out = [node for node in tree.nodes if node.fate not in WENT_ON]
    spread = everything or len(out) <= FEW
    if spread:
        _below_each(sorted(out, key=lambda node: (node.rank, node.position))[:MOST], lanes)
    elif focus is not None:
        near = {focus, tree.nodes[focus].parent}
        _where_free([node for node in out if node.parent in near], lanes, free)
    shown = [node for node in tree.nodes if node.index in lanes]
    after = Counter(node.parent for node in shown)
    places = tuple(
        Place(node, node.position + 1, lanes[node.index],
              len(tree.children(node.index)) - after[node.index])
        for node in shown
    )  # fmt: skip
    columns = max(place.column for place in places) + 1
    left_out = len(tree.nodes) - len(shown)
    return Plan(places, columns, max(lanes.values()) + 1, left_out, spread)


def _where_free(out: Iterable[Node], lanes: dict[int, int], free: _Lanes) -> None:
    """Puts nodes into cells that nothing else needs: whatever is in focus, the rest stays."""
    for node in sorted(out, key=lambda node: (node.position, node.rank)):
        column = node.position + 1
        lanes[node.index] = free.take(column, column, lanes[node.parent] + 1)


def _below_each(out: Iterable[Node], lanes: dict[int, int]) -> None:
    """Puts nodes right below what they were tried after: the lanes move apart for them."""
    families = dict[int, list[Node]]()
    for node in sorted(out, key=lambda node: node.rank):
        families.setdefault(node.parent, []).append(node)
    room = dict[int, int]()
    for parent, children in families.items():
        room[lanes[parent]] = max(room.get(lanes[parent], 0), len(children))
    starts, row = dict[int, int](), 0
    for lane in range(max(lanes.values()) + 1):
        starts[lane] = row
        row += 1 + room.get(lane, 0)
    lanes.update({index: starts[lane] for index, lane in lanes.items()})
    for parent, children in families.items():
        lanes.update({node.index: lanes[parent] + 1 + at for at, node in enumerate(children)})


def _last(tree: Beam) -> int:
    return tree.hypotheses[0] if tree.hypotheses else 0


def _chain(
    tree: Beam, node: Node, best: set[int], lanes: dict[int, int], free: _Lanes, least: int
) -> None:
    """Puts a node and what goes straight on from it into one lane, then what leaves it.

    What leaves it late comes first, next to it: then no line runs through another.
    """
    chain, branches = [node], list[tuple[int, list[Node]]]()
    while following := list(_in_order(tree.children(chain[-1].index), best)):
        chain.append(following[0])
        branches.append((chain[-2].index, following[1:]))
    # A number stands behind the end.
    last = chain[-1].position + 1 + (chain[-1].fate in ("finished", "open"))
    lane = free.take(node.position + 1, last, least)
    lanes.update({each.index: lane for each in chain})
    for _, others in reversed(branches):
        for other in others:
            _chain(tree, other, best, lanes, free, lane + 1)


def _in_order(children: Iterable[Node], best: set[int]) -> Iterator[Node]:
    """Those that went on; the one that leads to the translation first, an end last."""
    alive = [node for node in children if node.fate in WENT_ON]
    yield from sorted(
        alive, key=lambda node: (node.index not in best, node.fate == "finished", node.rank)
    )


class _Lanes:
    """Which cells are taken."""

    def __init__(self) -> None:
        self._taken = set[tuple[int, int]]()

    def take(self, first: int, last: int, least: int) -> int:
        """The first lane from `least` on that is free from one column to another; now taken."""
        lane = least
        columns = range(first, last + 1)
        while any((column, lane) in self._taken for column in columns):
            lane += 1
        self._taken.update((column, lane) for column in columns)
        return lane


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
    data = tree_data(drawn, focus, texts, look)
    _tree("beam_tree", data, height="stretch", pick=lambda sent: on_pick(int(sent["index"])))


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
