"""What a beam search tried, as a tree: every branch, what became of it, and its numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

# start: before the first word. kept: went on. finished: took the end token. pruned: others were
# better. forbidden, guarded: may not be written, would close a circle. overruled: another word was
# forced there. open: would go on, but the search is over.
Fate = Literal["start", "kept", "finished", "pruned", "forbidden", "guarded", "overruled", "open"]
# paper: Wu's penalty, and the first finished hypotheses end the search. transformers: the penalty
# of that library, and the search goes on until nothing open can win (its early_stopping=False).
Rule = Literal["paper", "transformers"]
RULES: tuple[Rule, ...] = ("paper", "transformers")


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

    @property
    def probability(self) -> float:
        """Of the word after its beginning, 0..1; 0 where the network gave no number."""
        return 0.0 if math.isnan(self.log_probability) else math.exp(self.log_probability)

    @property
    def together(self) -> float:
        """Of all words from the start to this one, 0..1."""
        return 0.0 if math.isnan(self.total) else math.exp(self.total)

    @property
    def length(self) -> int:
        """Words up to this one, which the penalty counts: |Y|."""
        return self.position + 1


ROOT = Node(0, -1, -1, -1, 0.0, 0.0, 0.0, "start")


@dataclass(frozen=True)
class Beam:
    """A whole search. `nodes` in the order of their steps, in each step best first.

    hypotheses: places of the last nodes; the finished by their score, best first, then those that
    the limit or the stop left open. rule: what ended the search and divides the totals.
    """

    nodes: tuple[Node, ...]
    hypotheses: tuple[int, ...]
    size: int
    alpha: float
    rule: Rule = "paper"

    def penalty(self, length: int) -> float:
        """What the total of so many words is divided by."""
        return length_penalty(length, self.alpha, self.rule)

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

    @property
    def finished(self) -> tuple[Node, ...]:
        """The last nodes of the hypotheses that took the end token, best score first."""
        ends = (self.nodes[place] for place in self.hypotheses)
        return tuple(node for node in ends if node.fate == "finished")

    def scores(self, alphas: Sequence[float]) -> tuple[tuple[float, ...], ...]:
        """What each of `finished` would score at other α, a row a hypothesis.

        By the paper's rule α takes no part in the search: the hypotheses stay the same, only their
        order changes.
        """
        return tuple(
            tuple(node.total / length_penalty(node.length, alpha, self.rule) for alpha in alphas)
            for node in self.finished
        )

    def at_alpha(self, alpha: float) -> Beam:
        """The search with another α: the same tree with other scores, in another order."""
        nodes = tuple(
            replace(node, score=node.total / length_penalty(node.length, alpha, self.rule))
            for node in self.nodes
        )
        ends = [nodes[place] for place in self.hypotheses]
        order = sorted(ends, key=lambda node: (node.fate != "finished", -node.score, node.index))
        return Beam(nodes, tuple(node.index for node in order), self.size, alpha, self.rule)

    def places(self, alpha: float) -> tuple[int, ...]:
        """Which of `finished` would be first at another α, second, …: as places in `finished`."""
        scores = [row[0] for row in self.scores([alpha])]
        return tuple(sorted(range(len(scores)), key=lambda place: -scores[place]))

    @property
    def least_sure(self) -> Node:
        """The node of the translation whose word was the least probable; the start without one."""
        if not self.hypotheses:
            return self.nodes[0]
        path = self.path(self.best.index)
        return min(path, key=lambda node: node.probability, default=self.nodes[0])

    @cached_property
    def _children(self) -> dict[int, tuple[Node, ...]]:
        found = dict[int, tuple[Node, ...]]()
        for node in self.nodes[1:]:
            found[node.parent] = (*found.get(node.parent, ()), node)
        return found


def length_penalty(length: int, alpha: float, rule: Rule = "paper") -> float:
    """What Σ ln p is divided by; |Y|, the length, counts the end token too.

    paper: ((5 + |Y|) / 6)^α, Wu et al. 2016, equation 14. transformers: |Y|^α; the start, before
    any word, counts as one.
    """
    penalty: float = (max(1, length) if rule == "transformers" else (5 + length) / 6) ** alpha
    return penalty
