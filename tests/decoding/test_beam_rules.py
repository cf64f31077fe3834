"""The two rules of beam search, each against a search in plain words."""

from collections.abc import Callable

import pytest
import torch

from core.decoding.beam import beam, length_penalty
from core.errors import GlassformerError
from core.model.transformer import Transformer
from tests.decoding.tasks import END, fresh, task

Maker = Callable[..., Transformer]
Hypothesis = tuple[tuple[int, ...], float]  # words, the sum of their log-probabilities


def inclined(model: Transformer, seed: int) -> Transformer:
    """The same model with likes of its own, and inclined to end."""
    torch.manual_seed(seed)
    model.generator.bias += torch.randn(30)
    model.generator.bias[END] += 1.0
    return model


def searched(model: Transformer, size: int, limit: int, alpha: float) -> list[Hypothesis]:
    """As transformers searches with early_stopping=False: its best finished sentences."""
    live: list[Hypothesis] = [((), 0.0)]
    kept: list[Hypothesis] = []  # at most `size`, best first

    def score(each: Hypothesis) -> float:
        return each[1] / len(each[0]) ** alpha

    for _ in range(limit):
        tried = []
        for words, total in live:
            for id, log_probability in enumerate(fresh(model, words).log().tolist()):
                if id not in task().forbidden:
                    tried.append(((*words, id), total + log_probability))
        tried.sort(key=lambda each: -each[1])
        ends = [each for each in tried[:size] if each[0][-1] == END]
        kept = sorted([*kept, *ends], key=score, reverse=True)[:size]
        live = [each for each in tried if each[0][-1] != END][:size]
        if len(kept) == size and score(kept[-1]) >= score(live[0]):
            break
    return kept


@pytest.mark.parametrize("alpha", [0.0, 0.6, 1.0, 2.0])
@pytest.mark.parametrize("size", [1, 2, 4])
def test_the_rule_of_transformers(small_model: Maker, size: int, alpha: float) -> None:
    for seed in range(3):
        model, one = inclined(small_model(), seed), task(limit=7)
        found = beam(model, one, size, alpha, rule="transformers")
        expected = searched(model, size, one.limit, alpha)
        assert [found.words(node.index) for node in found.finished] == [w for w, _ in expected]
        assert [node.score for node in found.finished] == pytest.approx(
            [total / len(words) ** alpha for words, total in expected], abs=1e-5
        )


def test_the_rules_find_other_sentences_at_a_large_penalty(small_model: Maker) -> None:
    other = 0
    for seed in range(8):
        model, one = inclined(small_model(), seed), task(limit=7)
        paper, library = beam(model, one, 3, 2.0), beam(model, one, 3, 2.0, rule="transformers")
        assert len(library.nodes) >= len(paper.nodes)
        other += paper.words(paper.best.index) != library.words(library.best.index)
    assert other >= 2


def test_penalties_and_scores_of_the_rule(small_model: Maker) -> None:
    assert length_penalty(7, 2.0, "transformers") == 49.0
    found = beam(inclined(small_model(), 1), task(limit=5), 3, 1.5, rule="transformers")
    for node in found.nodes[1:]:
        assert node.score == pytest.approx(node.total / node.length**1.5)
    assert found.penalty(4) == 8.0 and found.at_alpha(1.5) == found
    assert found.at_alpha(0.0).rule == "transformers"


def test_a_rule_that_does_not_exist(small_model: Maker) -> None:
    with pytest.raises(GlassformerError, match="no rule of the beam search"):
        beam(small_model(), task(), rule="longest")  # type: ignore[arg-type]
