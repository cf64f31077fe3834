"""The tree of a beam search as the component draws it: which nodes, where, how wide."""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from math import inf
from typing import Any

from glassformer.app.plots.labels import fit_to_width, format_percent, visible, widest
from glassformer.app.plots.theme import FigureStyle
from glassformer.core.decoding.beam import ENDED, Beam, Node

WENT_ON = ("start", "kept", "finished", "cut", "open")
FEW = 60  # so many branches that did not go on are drawn without being asked for
MOST = 800  # and so many at most
Cells = set[tuple[int, int]]  # (column, lane), those that are taken


@dataclass(frozen=True)
class Plan:
    """The drawing of a search: which of its nodes are drawn, and in which lane each.

    A node's column is its step, 0 is the start. spread: whether all that did not go on is drawn,
    each below what it was tried after.
    """

    tree: Beam
    focus: int | None  # the node that is looked at
    lanes: Mapping[int, int]  # index of a node -> its lane
    spread: bool

    @property
    def nodes(self) -> list[Node]:
        """The nodes that are drawn, in the order of the search."""
        return [node for node in self.tree.nodes if node.index in self.lanes]

    @property
    def columns(self) -> int:
        """How many columns the nodes stand in."""
        return 1 + max(node.position + 1 for node in self.nodes)

    @property
    def left_out(self) -> int:
        """How many nodes are not drawn."""
        return len(self.tree.nodes) - len(self.lanes)


def plan_tree(tree: Beam, everything: bool = False, focus: int | None = None) -> Plan:
    """What is drawn where: what went on always stands at the same place.

    everything: also what did not go on, the best of it first; without, only what was tried after
    the node in focus and beside it, or all where it is little.
    """
    lanes, taken = dict[int, int](), Cells()
    _chain(tree, tree.nodes[0], _best(tree), lanes, taken, 0)
    out = [node for node in tree.nodes if node.fate not in WENT_ON]
    spread = everything or len(out) <= FEW
    if spread:
        _below_each(sorted(out, key=lambda node: (node.rank, node.position))[:MOST], lanes)
    elif focus is not None:
        near = {focus, tree.nodes[focus].parent}
        _where_free([node for node in out if node.parent in near], lanes, taken)
    return Plan(tree, focus, lanes, spread)


def _where_free(out: Iterable[Node], lanes: dict[int, int], taken: Cells) -> None:
    """Puts nodes into cells that nothing else needs: whatever is in focus, the rest stays."""
    for node in sorted(out, key=lambda node: (node.position, node.rank)):
        column = node.position + 1
        lanes[node.index] = _take(taken, column, column, lanes[node.parent] + 1)


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


def _best(tree: Beam) -> set[int]:
    """The nodes of the translation."""
    return {node.index for node in tree.path(tree.best.index)} if tree.hypotheses else set()


def _chain(
    tree: Beam, node: Node, best: set[int], lanes: dict[int, int], taken: Cells, least: int
) -> None:
    """Puts a node and what goes straight on from it into one lane, then what leaves it.

    What leaves it late comes first, next to it: then no line runs through another.
    """
    chain, branches = [node], list[tuple[int, list[Node]]]()
    while following := _in_order(tree.children(chain[-1].index), best):
        chain.append(following[0])
        branches.append((chain[-2].index, following[1:]))
    # A number stands behind the end.
    last = chain[-1].position + 1 + (chain[-1].fate in ("finished", "cut", "open"))
    lane = _take(taken, node.position + 1, last, least)
    lanes.update({each.index: lane for each in chain})
    for _, others in reversed(branches):
        for other in others:
            _chain(tree, other, best, lanes, taken, lane + 1)


def _in_order(children: Iterable[Node], best: set[int]) -> list[Node]:
    """Those that went on; the one that leads to the translation first, an end last."""
    alive = [node for node in children if node.fate in WENT_ON]
    return sorted(alive, key=lambda node: (node.index not in best, node.fate in ENDED, node.rank))


def _take(taken: Cells, first: int, last: int, least: int) -> int:
    """The first lane from `least` on that is free from one column to another; now taken."""
    columns = range(first, last + 1)
    lane = next(at for at in count(least) if not any((each, at) in taken for each in columns))
    taken.update((column, lane) for column in columns)
    return lane


WIDEST = 104.0  # pixels of a word
NARROWEST = 48.0  # so wide that most words that did not go on fit, too
SHARE = 64.0  # pixels of the percentage beside it, and of the pill's edges
GAP = 30.0  # pixels between two columns, as beam_tree.js has it
END = 70.0  # pixels of what stands behind the last
LANES = 8  # in front of a hall
SIGN = 16.0  # pixels of the sign before a word that did not go on


def tree_data(
    drawn: Plan, token: Callable[[int], str], given: Container[int], texts: Mapping[str, Any],
    look: FigureStyle, room: float = inf,
) -> dict[str, Any]:  # fmt: skip
    """What is sent to the browser.

    token: how an id is written. given: positions whose word was given by hand. texts: "label",
    "step", "start", "given", "fates"; "node", on hover, with {word} {chance} {total} {score} {rank}
    {fate}; "more", of what was tried after a node and is not drawn, with {count}. room: pixels for
    the columns; in less than all of them need stand those around the node in focus.
    """
    words = {node.index: visible(token(node.id)) for node in drawn.nodes[1:]}
    words[0] = texts["start"]
    widths, best = _widths(drawn, words, look, room < inf), _best(drawn.tree)
    path = drawn.tree.path(drawn.focus) if drawn.focus is not None else ()
    seen = _columns_in(room, widths, path[-1].position + 1 if path else 0, look)
    lanes = _lanes_in(room, [node for node in drawn.nodes if node.position + 1 in seen], drawn)
    shown = [
        node for node in drawn.nodes
        if node.position + 1 in seen and drawn.lanes[node.index] in lanes
    ]  # fmt: skip
    indices = {node.index for node in shown}
    return {
        "nodes": [
            _node(node, drawn, words[node.index], best, widths[node.position + 1], look)
            | {"g": int(node.position in given and node.fate not in ("overruled", "start"))}
            | {"c": node.position + 1 - seen[0], "l": lanes[drawn.lanes[node.index]]}
            | {"n": sum(each.index not in indices for each in drawn.tree.children(node.index))}
            for node in shown
        ],
        "widths": [round(widths[each]) for each in seen],
        "first": seen[0],
        "lanes": len(lanes),
        "row": look.px(24 if drawn.spread else 30),
        "font": look.px(14),
        "focus": drawn.focus,
        "path": [0, *(node.index for node in path)],
        "texts": texts,
    }


def _lanes_in(room: float, nodes: Iterable[Node], drawn: Plan) -> dict[int, int]:
    """The lanes of some nodes, counted anew; in little room few of what did not go on."""
    kept = {drawn.lanes[node.index] for node in nodes if node.fate in WENT_ON}
    others = sorted({drawn.lanes[node.index] for node in nodes} - kept)
    least = LANES - len(kept) if room < inf else len(others)
    return {lane: at for at, lane in enumerate(sorted({*kept, *others[: max(0, least)]}))}


def _columns_in(room: float, widths: Sequence[float], at: int, look: FigureStyle) -> range:
    """Those around one that have room: by turns the next on the left and the next on the right."""
    seen = range(at, at + 1)
    while True:
        more = (range(max(0, seen[0] - 1), seen[-1] + 1), range(seen[0], seen[-1] + 2))
        grown = [
            each for each in more
            if len(each) > len(seen) and each[-1] < len(widths)
            and sum(widths[column] + GAP for column in each) + look.px(END) <= room
        ]  # fmt: skip
        if not grown:
            return seen
        seen = min(grown, key=lambda each: abs(sum(each) / len(each) - at))


def _node(
    node: Node, drawn: Plan, word: str, best: set[int], width: float, look: FigureStyle
) -> dict[str, Any]:
    start = node.fate == "start"
    room = width - (0 if start else look.px(SHARE))
    room -= 0 if node.fate in WENT_ON else look.px(SIGN) / 2
    ends = drawn.tree.hypotheses  # where more have finished than the beam is wide, the best of them
    rank = ends.index(node.index) + 1 if node.fate in ENDED and node.index in ends else 0
    return {
        "i": node.index,
        "p": node.parent,
        "w": fit_to_width(word, look.px(14), room),
        "x": word,
        "s": "" if start else format_percent(node.probability),
        "a": round(node.probability, 3),
        "f": node.fate,
        "b": int(start or node.index in best),
        "h": rank,
        "t": look.number(node.total),
        "z": look.number(node.score),
        "r": node.rank + 1,
    }


def _widths(drawn: Plan, words: Mapping[int, str], look: FigureStyle, every: bool) -> list[float]:
    """Pixels of each column: as wide as its widest word that went on, or as all of its words."""
    wide = [float(look.px(NARROWEST))] * drawn.columns
    for node in drawn.nodes[1:]:
        if every or node.fate in WENT_ON:
            needed = widest(words[node.index], look.px(14)) + look.px(SIGN) * (
                node.fate not in WENT_ON
            )
            at = node.position + 1
            wide[at] = max(wide[at], min(needed, look.px(WIDEST)))
    start = widest(words[0], look.px(14)) + look.px(16)
    return [start, *(each + look.px(SHARE) for each in wide[1:])]
