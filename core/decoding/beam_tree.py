"""What a beam search tried, as a tree: every branch, what became of it, and its numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

# start: before the first word. kept: went on. finished: took the end token. pruned: others were
# better. forbidden, guarded: may not be written, would close a circle. overruled: another word was
# forced there. open: would go on, but the search is over.
Fate = Literal["start", "kept", "finished", "pruned", "forbidden", "guarded", "overruled", "open"]


@dataclass(frozen=True)
class Node:
    """One word after one beginning.

    index, parent: places in the tree; the start has the parent −1. position: of the word in the
    output, −1 for the start. rank: its place in the one order of its step, 0 is best.
    log_probability: of the word after its beginning, in nats. total: the sum from the start.
    score: total / length penalty. entropy: of the words that follow it, in nats, where it went on.
    """

    index: int
    parent: int
    position: int
    id: int
    log_probability: float
    total: float
    score: float
    fate: Fate
    rank: int = 0
    entropy: float | None = None


ROOT = Node(0, -1, -1, -1, 0.0, 0.0, 0.0, "start")


@dataclass(frozen=True)
class Beam:
    """A whole search. `nodes` in the order of their steps, in each step best first.

    hypotheses: places of the last nodes; the finished by their score, best first, then those that
    the limit or the stop left open.
    """

    nodes: tuple[Node, ...]
    hypotheses: tuple[int, ...]
    size: int
    alpha: float

    @property
    def best(self) -> Node:
        """The last node of the translation."""
        return self.nodes[self.hypotheses[0]]

    def path(self, index: int) -> tuple[Node, ...]:
        """The nodes from the first word to this one."""
        path = list[Node]()
        while index > 0:
            path.append(self.nodes[index])
            index = self.nodes[index].parent
        return tuple(reversed(path))

    def words(self, index: int) -> tuple[int, ...]:
        """The ids from the first word to this one; an end token counts as a word."""
        return tuple(node.id for node in self.path(index))

    def children(self, index: int) -> tuple[Node, ...]:
        """What was tried after a node, best first; nothing where it did not go on."""
        return self._children.get(index, ())

    def at(self, position: int) -> tuple[Node, ...]:
        """All that was tried at a position of the output, best first."""
        return tuple(node for node in self.nodes if node.position == position)

    @cached_property
    def _children(self) -> dict[int, tuple[Node, ...]]:
        found = dict[int, tuple[Node, ...]]()
        for node in self.nodes[1:]:
            found[node.parent] = (*found.get(node.parent, ()), node)
        return found


def length_penalty(length: int, alpha: float) -> float:
    """((5 + |Y|) / 6)^α, Wu et al. 2016, equation 14; |Y| counts the end token too."""
    penalty: float = ((5 + length) / 6) ** alpha
    return penalty
