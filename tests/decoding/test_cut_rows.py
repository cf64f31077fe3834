"""A cut as a short table, on numbers done by hand; many sentences drawn at once."""

import math
from collections.abc import Callable
from itertools import pairwise

import pytest
import torch

from glassformer.core.decoding.beam import beam, length_penalty
from glassformer.core.decoding.cuts import Sampling, cut_of, cut_rows, lot_position
from glassformer.core.decoding.sampling import draw_samples
from glassformer.core.decoding.step import Step
from glassformer.core.model.transformer import Transformer
from glassformer.core.text_models.decodings import log_probability, new_words
from tests.decoding.tasks import sample, task
from tests.decoding.test_beam import ending

Maker = Callable[..., Transformer]
LOGITS = torch.tensor((0.1, 0.4, 0.05, 0.3, 0.15)).log()  # best first 1 3 4 0 2


def test_one_row_a_word_and_the_others_together() -> None:
    cut = cut_of(LOGITS, Sampling(top_k=2), 0.5)
    rows = cut_rows(cut, 3, shown=3)
    assert [row.id for row in rows] == [1, 3, 4, None]
    assert [row.kept for row in rows] == [True, True, False, False]
    assert [row.chosen for row in rows] == [False, True, False, False]
    assert [row.tempered for row in rows] == pytest.approx([0.4, 0.3, 0.15, 0.15], abs=1e-6)
    assert [row.start for row in rows] == pytest.approx([0, 0.4, 0.7, 0.85], abs=1e-6)
    assert rows[-1].end == 1 and rows[-1].count is None
    assert lot_position(cut) == pytest.approx(0.5 * 0.7, abs=1e-6)


def test_what_lies_between_is_one_row_split_at_the_cut() -> None:
    logits = torch.tensor([2.0 ** -(n + 1) for n in range(20)]).log()
    cut = cut_of(logits, Sampling(top_k=8), 0.0)
    rows = cut_rows(cut, 12, shown=3)  # a word cut away that was given by hand
    assert [row.id for row in rows] == [0, 1, 2, None, None, 12, None]
    assert [row.count for row in rows] == [1, 1, 1, 5, 4, 1, None]
    assert [row.kept for row in rows] == [True] * 4 + [False] * 3
    assert rows[-2].chosen
    for before, after in pairwise(rows):
        assert before.end == pytest.approx(after.start, abs=1e-9)
    assert sum(row.tempered for row in rows) == pytest.approx(1)


def test_a_chosen_word_that_nothing_lists_has_no_row() -> None:
    cut = cut_of(LOGITS, Sampling(), 0.5, forbidden=[2])
    rows = cut_rows(cut, 2)
    assert [row.id for row in rows] == [1, 3, 4, 0] and not any(row.chosen for row in rows)


def test_all_at_once_is_one_after_the_other(small_model: Maker) -> None:
    model = small_model()
    hows = [Sampling(temperature=2.0, seed=seed, top_k=k) for seed in range(4) for k in (None, 3)]
    together = draw_samples(model, task(), hows)
    for how, steps in zip(hows, together, strict=True):
        alone = sample(model, task(), how)
        assert [each.step.chosen for each in steps] == [each.step.chosen for each in alone]
        assert [each.cut.draw for each in steps] == [each.cut.draw for each in alone]
        for one, other in zip(steps, alone, strict=True):
            assert one.step.probability == pytest.approx(other.step.probability, abs=1e-6)
    assert len({tuple(each.step.chosen for each in steps) for steps in together}) > 1


@pytest.mark.parametrize("alpha", [0.0, 1.5])
def test_another_alpha_is_another_order_of_the_same_search(
    small_model: Maker, alpha: float
) -> None:
    model = ending(small_model())
    tree, again = beam(model, task(), 3, 0.6), beam(model, task(), 3, alpha)
    assert tree.at_alpha(alpha) == again
    assert len(again.finished) > 1
    scores = [row[0] for row in tree.scores([alpha])]
    for node, score in zip(tree.finished, scores, strict=True):
        assert score == pytest.approx(node.total / length_penalty(node.position + 1, alpha))
    order = [node.index for node in tree.at_alpha(alpha).finished]
    assert order == [node.index for node in again.finished]
    weakest = min(node.probability for node in tree.path(tree.best.index))
    assert tree.least_sure.probability == weakest


def test_words_that_are_new_and_the_sum_of_their_logs() -> None:
    assert new_words([1, 9, 2, 3], [1, 2, 3]) == (False, True, False, False)
    assert new_words([], [1]) == () and new_words([1, 1], []) == (True, True)
    steps = [Step(1, chance, 0.0, ()) for chance in (0.5, 0.25)]
    assert log_probability(steps) == pytest.approx(math.log(0.125))
    assert log_probability([*steps, Step(1, 0.0, 0.0, ())]) == -math.inf
