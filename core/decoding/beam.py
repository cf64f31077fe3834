"""Beam search: the best few beginnings go on together, and nothing that was tried is lost.

§6.1 searches with 4 beams and α = 0.6; the length penalty is that of Wu et al. 2016 (arXiv
1609.08144, equation 14). The library transformers divides by |Y|^α instead, and with its
early_stopping=False, the default, searches on until no open beginning scores more than what is
finished; what the word limit cuts off then competes as if it were finished.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import torch
from torch import Tensor

from glassformer.core.decoding.no_repeat import PATIENCE
from glassformer.core.decoding.rows import Tapes, rows_of
from glassformer.core.decoding.step import NOTHING, Forced, Task, check_number
from glassformer.core.errors import GlassformerError
from glassformer.core.interruption import count_parts
from glassformer.core.model.transformer import Transformer

# start: before the first word. kept: went on. finished: took the end token. cut: had no end at the
# limit, where the rule takes it as finished. pruned: others were better. forbidden, guarded: may
# not be written, would close a circle. overruled: another word was forced there. open: would go
# on, but the search is over.
Fate = Literal[
    "start", "kept", "finished", "cut", "pruned", "forbidden", "guarded", "overruled", "open"
]
ENDED: tuple[Fate, ...] = ("finished", "cut")
# paper: Wu's penalty, and the first finished hypotheses end the search. transformers: what
# `generate` of that library does with early_stopping=False.
Rule = Literal["paper", "transformers"]
RULES: tuple[Rule, ...] = ("paper", "transformers")


@dataclass(frozen=True)
class Node:
    """One word after one beginning.

    index, parent: places in the tree; the start has the parent −1. position: of the word behind the
    task's given words, −1 for the start. rank: its place in the one order of its step, 0 is best.
    log_probability: of the word after its beginning, in nats. total: the sum from the start.
    score: total / length penalty. entropy: of the words that follow it, in nats, where it went on.
    forced: words of the translation before the first position.
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
    forced: int = 0

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
        return self.forced + self.position + 1


ROOT = Node(0, -1, -1, -1, 0.0, 0.0, 0.0, "start")


@dataclass(frozen=True)
class Beam:
    """A whole search. `nodes` in the order of their steps, in each step best first.

    hypotheses: places of the last nodes; those that ended by their score, best first, then those
    that the limit or the stop left open. rule: what ended the search and divides the totals.
    """

    nodes: tuple[Node, ...]
    hypotheses: tuple[int, ...]
    size: int
    alpha: float
    rule: Rule = "paper"

    def penalty(self, length: int) -> float:
        """What the total of so many words is divided by.

        Args:
            length: |Y|, words with the end token.

        Returns:
            As `length_penalty`, with this search's α and rule.
        """
        return length_penalty(length, self.alpha, self.rule)

    @property
    def best(self) -> Node:
        """The last node of the translation."""
        return self.nodes[self.hypotheses[0]]

    def path(self, index: int) -> tuple[Node, ...]:
        """The nodes from the first word to this one.

        Args:
            index: place of the node in the tree.

        Returns:
            The nodes in the order of their words; () of the start.
        """
        path = list[Node]()
        while index > 0:
            path.append(self.nodes[index])
            index = self.nodes[index].parent
        return tuple(reversed(path))

    def words(self, index: int) -> tuple[int, ...]:
        """The ids behind the given words up to this one; an end token counts as a word.

        Args:
            index: place of the node in the tree.

        Returns:
            The ids in order; () of the start.
        """
        return tuple(node.id for node in self.path(index))

    def children(self, index: int) -> Sequence[Node]:
        """What was tried after a node.

        Args:
            index: place of the node in the tree.

        Returns:
            The nodes, best first; nothing where it did not go on.
        """
        return self._children.get(index, ())

    @property
    def finished(self) -> tuple[Node, ...]:
        """The last nodes of the hypotheses that ended, best score first."""
        ends = (self.nodes[place] for place in self.hypotheses)
        return tuple(node for node in ends if node.fate in ENDED)

    def scores(self, alphas: Sequence[float]) -> tuple[tuple[float, ...], ...]:
        """What each of `finished` would score at other α.

        By the paper's rule α takes no part in the search: the hypotheses stay the same, only their
        order changes.

        Args:
            alphas: exponents of the length penalty.

        Returns:
            A row a hypothesis, in the order of `finished`, with a score for each α.
        """
        return tuple(
            tuple(node.total / length_penalty(node.length, alpha, self.rule) for alpha in alphas)
            for node in self.finished
        )

    def at_alpha(self, alpha: float) -> "Beam":
        """The search with another α: the same tree with other scores, in another order.

        Args:
            alpha: exponent of the length penalty.

        Returns:
            A new value: the hypotheses that ended by their new score, best first, then the open
            ones.
        """
        other = replace(self, alpha=alpha)
        nodes = [
            replace(node, score=node.total / other.penalty(node.length)) for node in self.nodes
        ]
        ends = [nodes[place] for place in self.hypotheses]
        order = sorted(ends, key=lambda node: (node.fate not in ENDED, -node.score, node.index))
        return replace(other, nodes=tuple(nodes), hypotheses=tuple(node.index for node in order))

    @property
    def least_sure(self) -> Node:
        """The node of the translation whose word was the least probable; the start without one."""
        path = self.path(self.best.index) if self.hypotheses else ()
        return min(path, key=lambda node: node.probability, default=self.nodes[0])

    @cached_property
    def _children(self) -> dict[int, list[Node]]:
        found = dict[int, list[Node]]()
        for node in self.nodes[1:]:
            found.setdefault(node.parent, []).append(node)
        return found


def length_penalty(length: int, alpha: float, rule: Rule = "paper") -> float:
    """What Σ ln p is divided by; |Y|, the length, counts the end token too.

    paper: ((5 + |Y|) / 6)^α, Wu et al. 2016, equation 14. transformers: |Y|^α; the start, before
    any word, counts as one.

    Args:
        length: |Y|.
        alpha: α; 0 divides by 1.
        rule: `paper` or `transformers`.

    Returns:
        The penalty.
    """
    penalty: float = (max(1, length) if rule == "transformers" else (5 + length) / 6) ** alpha
    return penalty


WIDEST = 16  # beams
STRONGEST = 5.0  # α
AT_A_TIME = 64  # next words that are looked at
MORE = 1  # next words of a beam beyond the size and its ends: one that is pruned


@dataclass(frozen=True)
class _Live:
    """A beginning that goes on: its node, its words, how often the guard has spoken."""

    node: Node
    written: tuple[int, ...]
    spoken: int = 0


@torch.no_grad()
def beam(
    model: Transformer, task: Task, size: int = 4, alpha: float = 0.6, tape: Tapes = None,
    forced: Forced = NOTHING, rule: Rule = "paper",
) -> Beam:  # fmt: skip
    """Searches with `size` beams; with one it writes what `greedy` writes.

    In each step every beam's next words are put in one order, by the sum of log-probabilities. An
    end among the first `size` finishes a hypothesis; the first `size` others go on. By the rule
    of the paper the search stops with `size` finished hypotheses; by that of transformers when,
    besides, no open beginning scores more as it stands than the worst of the best `size` of them
    (one beam: with the first). The limit stops both, and by the rule of transformers the first
    `size` of its step compete with the finished. Equal sums: the beam that was ahead comes first,
    then the smaller id. What the task gives counts nowhere, but that the lengths count the first
    word of a translation that is forced, as in transformers.

    Args:
        model: the Transformer; it is only run.
        task: what is to be written.
        size: how many beams, 1 to 16.
        alpha: α of the length penalty, 0 to 5.
        tape: as in `greedy`.
        forced: as in `greedy`.
        rule: what ends the search and divides the totals (§6.1): `paper` or `transformers`.

    Returns:
        The whole search: every word that was tried, and the hypotheses.

    Raises:
        GlassformerError: `decoding_range` for a size or an α that cannot be, `decoding_rule` for
            another rule, `out_of_range` for a forced word or position that does not exist.
    """
    check_number("size", size, 1, WIDEST)
    check_number("alpha", alpha, 0.0, STRONGEST)
    if rule not in RULES:
        raise GlassformerError("decoding_rule", given=rule, allowed=", ".join(RULES))
    forced = task.forced(forced)
    task.check(model, forced.values(), forced)
    rows = rows_of(model, task.source_ids(model), tape, task.beginning)
    search = Beam((), (), size, alpha, rule)
    root = replace(ROOT, forced=task.forced_first)
    nodes, live, finished = [root], [_Live(root, task.given)], list[Node]()
    for length in count_parts(range(len(task.given) + 1, task.limit + 1), task.limit):
        logits = rows([(task.start, *each.written) for each in live])  # (N, V)
        log_probabilities = logits.float().log_softmax(dim=-1)
        _note_entropies(nodes, live, log_probabilities)
        tried = _tried(task, search, live, log_probabilities, forced.get(length - 1))
        is_last = rule == "transformers" and length == task.limit
        live = _decided(tried, size, task, nodes, is_last)
        finished = [node for node in nodes if node.fate in ENDED]
        if not live or _is_over(search, finished, live):
            break
    return _result(search, nodes, finished, live)


def _is_over(search: Beam, finished: Sequence[Node], live: Sequence[_Live]) -> bool:
    """Whether the rule ends the search after a step."""
    if len(finished) < search.size or search.rule == "paper" or search.size == 1:
        return len(finished) >= search.size
    worst = sorted((node.score for node in finished), reverse=True)[search.size - 1]
    return worst >= max(each.node.score for each in live)  # all are of one length


def _note_entropies(nodes: list[Node], live: list[_Live], log_probabilities: Tensor) -> None:
    """The nodes that now go on learn how undecided their next word is, in nats."""
    entropies = -(log_probabilities.exp() * log_probabilities).nan_to_num().sum(dim=-1)  # (N,)
    for at, entropy in enumerate(entropies.tolist()):
        node = replace(live[at].node, entropy=entropy)
        nodes[node.index], live[at] = node, replace(live[at], node=node)


def _tried(
    task: Task, search: Beam, live: Sequence[_Live], log_probabilities: Tensor, given: int | None
) -> list[_Live]:
    """The next words of all beams, best first, from their log-probabilities (N, V)."""
    found = [
        next_word
        for each, row in zip(live, log_probabilities, strict=True)
        for next_word in _next_words(task, search, each, row, given)
    ]
    return sorted(found, key=lambda each: -each.node.total)


def _next_words(
    task: Task, search: Beam, live: _Live, row: Tensor, given: int | None
) -> Iterator[_Live]:
    """The next words of one beam, best first, from its log-probabilities (V,); fate "kept": may be.

    So many that `size`, the ends and MORE of them may be written, or the only one that may; and the
    first so many.
    """
    values, order = row.nan_to_num(nan=-torch.inf).sort(descending=True, stable=True)
    closing = task.guard.forbids(live.written) if task.guard else frozenset[int]()
    best = next((id for id, _ in _pairs(order, values) if id not in task.forbidden), task.end)
    spoken = live.spoken + (best in closing)
    count = search.size + max(1, len(task.every_end)) + MORE
    else_fate: Fate = "overruled"  # of all words but the only one that may be written
    if given is None and best in closing and spoken > PATIENCE:
        given, else_fate = task.end, "guarded"
    needed = count if given is None else 1
    for place, (id, log_probability) in enumerate(_pairs(order, values)):
        fate: Fate = "kept"
        if given is not None:
            fate = "kept" if id == given else else_fate
        elif id in task.forbidden or id in closing:
            fate = "forbidden" if id in task.forbidden else "guarded"
        if fate == "kept" or place < count or given is None:
            before, total = live.node, live.node.total + log_probability
            score = total / search.penalty(before.length + 1)
            node = Node(
                0, before.index, before.position + 1, id, log_probability, total, score, fate,
                forced=before.forced,
            )  # fmt: skip
            yield _Live(node, (*live.written, id), spoken)
        needed -= fate == "kept"
        if needed <= 0 and place >= count - 1:
            return


def _pairs(order: Tensor, values: Tensor) -> Iterator[tuple[int, float]]:
    """Ids and their values, a few at a time: mostly the first do."""
    for start in range(0, len(order), AT_A_TIME):
        few = slice(start, start + AT_A_TIME)
        yield from zip(order[few].tolist(), values[few].tolist(), strict=True)


def _decided(
    tried: Sequence[_Live], size: int, task: Task, nodes: list[Node], is_last: bool
) -> list[_Live]:
    """Puts the next words of one step, given best first, among the nodes: those that go on.

    is_last: nothing goes on, the first `size` have ended.
    """
    live, better = list[_Live](), 0
    for rank, each in enumerate(tried):
        fate = each.node.fate
        if fate == "kept":
            is_end = each.node.id in task.every_end
            if is_end or is_last:
                fate = "pruned" if better >= size else "finished" if is_end else "cut"
            elif len(live) >= size:
                fate = "pruned"
            better += 1
        node = replace(each.node, index=len(nodes), rank=rank, fate=fate)
        nodes.append(node)
        if fate == "kept":
            live.append(replace(each, node=node))
    return live


def _result(
    search: Beam, nodes: list[Node], finished: Sequence[Node], live: Sequence[_Live]
) -> Beam:
    """The tree with its hypotheses in order; what was still going on is left open."""
    for each in live:
        nodes[each.node.index] = replace(each.node, fate="open")
    ends = sorted(finished, key=lambda node: -node.score)  # stable: the earlier node comes first
    if search.rule == "transformers":
        ends = ends[: search.size]
    left = sorted((each.node for each in live), key=lambda node: -node.score)
    places = tuple(node.index for node in (*ends, *left))
    return replace(search, nodes=tuple(nodes), hypotheses=places)
