"""The guard against going in circles, and what it must leave alone."""

import random
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from glassformer.core.corpus import draw_pair, load_grammar
from glassformer.core.decoding.greedy import greedy
from glassformer.core.decoding.no_repeat import PATIENCE, NoRepeat, Watch, choose_batch, longest_run
from glassformer.core.decoding.step import Task, step_from
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.tape import Edit, Recorder

COMMA, STOP, END = 1, 3, 2
MARKS = (COMMA, STOP)


@pytest.mark.parametrize(
    ("source", "written", "forbidden"),
    [
        ([10, 11], [], set()),
        ([10, 11], [20, 20], {20}),  # the third in a row
        ([10, 11], [20, 21, 20], {21}),  # a group for the second time
        ([10, 11], [20, 21, 22, 20, 21], {22}),
        ([10, 11], [20, COMMA, 20, COMMA], {20, COMMA, STOP}),  # marks count for nothing
        ([10, 11], [20, 21, 22, 23, 21, 22, 24, 21], set()),
        ([10, 11], [20, 21, 22, 23, 20, 21, 22, 24, 20, 21], {22}),  # the third time, far apart
        ([10, 10, 10], [20, 20], set()),  # "no no no" may be said three times
        ([10, 10, 10], [20, 20, 20], {20}),
        ([10, 11, 10, 11], [20, 21, 20], set()),
        ([10, 10, 11], [20, 21, 20], {21}),  # "very very" allows no circle
    ],
)
def test_what_would_close_a_circle(
    source: list[int], written: list[int], forbidden: set[int]
) -> None:
    assert NoRepeat.of(source, MARKS).forbids(written) == forbidden


def test_the_grammars_own_translations_hardly_ever_call_the_guard() -> None:
    """So it changes next to no translation of the corpus that is right.

    A draw may be nonsense that does repeat itself: "this isn't his, it's his".
    """
    grammar, rng, ids = load_grammar(), random.Random(5), dict[str, int]()

    def index(words: tuple[str, ...]) -> list[int]:
        return [ids.setdefault(word, len(ids)) for word in words]

    marks, called = index((".", ",", "?", "!")), set()
    for _ in range(1500):
        pair = draw_pair(grammar, rng)
        for source, target in ((pair.english, pair.chinese), (pair.chinese, pair.english)):
            guard, gold = NoRepeat.of(index(source), marks), index(target)
            for place, word in enumerate(gold):
                if word in guard.forbids(gold[:place]):
                    called.add(" ".join(target))
    assert len(called) <= 2, called  # of 3,000


def preferring(*words: int) -> Tensor:
    """Logits (V,) with the words in this order of preference."""
    logits = torch.zeros(30)
    for rank, word in enumerate(words):
        logits[word] = 20.0 - rank
    return logits


def test_a_forbidden_word_keeps_its_place_and_the_step_says_so() -> None:
    watch = Watch(NoRepeat(), END)
    step = step_from(preferring(9, 8), watch=watch, written=[9, 9])
    assert (step.chosen, step.guarded) == (8, 9)
    assert step.candidates[0][0] == 9 and step.candidates[1][0] == 8
    assert step.probability == pytest.approx(step.candidates[1][1])
    calm = step_from(preferring(9, 8), watch=watch, written=[9])
    assert (calm.chosen, calm.guarded) == (9, None)


def test_patience_ends() -> None:
    watch = Watch(NoRepeat(), END)
    taken = [step_from(preferring(9, 8), watch=watch, written=[9, 9]) for _ in range(PATIENCE + 1)]
    assert [step.chosen for step in taken] == [8] * PATIENCE + [END]
    assert all(step.guarded == 9 for step in taken)


def test_a_model_that_says_one_word_for_ever_is_stopped(
    small_model: Callable[..., Transformer], source_ids: Tensor
) -> None:
    def only_word_nine(logits: Tensor) -> Tensor:
        return torch.where(torch.arange(30) == 9, 50.0, logits)

    source = tuple(source_ids[0].tolist())
    steps = greedy(
        small_model(),
        Task(source, 4, END, limit=20, guard=NoRepeat.of(source)),
        tape=lambda: Recorder([Edit("output/logits", only_word_nine)], keep=lambda _: False),
    )
    chosen = [step.chosen for step in steps]
    assert chosen[:2] == [9, 9] and 9 in chosen[3:]
    assert chosen[-1] == END and len(chosen) < 20
    assert longest_run(chosen)[1] <= 2


def test_where_nothing_circles_the_guard_changes_nothing() -> None:
    """Rows of numbers drawn at random: the words, and the probabilities bit for bit."""
    for seed in range(200):
        rows = torch.randn(8, 200, generator=torch.Generator().manual_seed(seed))  # (T, V)
        free = [step_from(row) for row in rows]
        watch, written = Watch(NoRepeat.of([5, 6]), END), list[int]()
        for row in rows:
            written.append(step_from(row, watch=watch, written=written).chosen)
        kept = [step_from(row, watch=Watch(NoRepeat(), END), written=[]) for row in rows]
        assert kept == free and written == [step.chosen for step in free]


def test_a_batch_is_guarded_sentence_by_sentence() -> None:
    logits = torch.stack([preferring(9, 8), preferring(9, 8), preferring(7, 6)])  # (B, V)
    written = [[9, 9], [9, 5], [7, 7]]
    watches = [Watch(NoRepeat(), END) for _ in written]
    assert choose_batch(logits, written, watches).tolist() == [8, 9, 6]


@pytest.mark.parametrize(
    ("words", "run"),
    [("a b a b c", (("a", "b"), 2)), ("a a a a", (("a",), 4)), ("a b c", ((), 1)), ("", ((), 1))],
)
def test_the_longest_run(words: str, run: tuple[tuple[str, ...], int]) -> None:
    assert longest_run(words.split()) == run
