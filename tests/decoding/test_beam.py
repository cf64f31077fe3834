"""Beam search against a search written without a cache, and its tree."""

from collections.abc import Callable

import pytest
import torch

from glassformer.core.decoding.beam import beam, length_penalty
from glassformer.core.decoding.greedy import greedy
from glassformer.core.decoding.no_repeat import NoRepeat
from glassformer.core.errors import GlassformerError
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.tape import Edit, Recorder
from tests.decoding.tasks import END, at, fresh, task

Maker = Callable[..., Transformer]
Hypothesis = tuple[tuple[int, ...], float]  # words, the sum of their log-probabilities


def ending(model: Transformer, bonus: float = 1.0) -> Transformer:
    """The same model, more inclined to end."""
    model.generator.bias[END] += bonus
    return model


def searched(
    model: Transformer, size: int, limit: int, forbidden: frozenset[int]
) -> tuple[list[Hypothesis], list[Hypothesis]]:
    """Finished and open hypotheses: a beam search in plain words, all recomputed every time."""
    live: list[Hypothesis] = [((), 0.0)]
    finished: list[Hypothesis] = []
    for _ in range(limit):
        tried = []
        for words, total in live:
            for id, log_probability in enumerate(fresh(model, words).log().tolist()):
                if id not in forbidden:
                    tried.append(((*words, id), total + log_probability))
        tried.sort(key=lambda each: -each[1])
        finished += [each for each in tried[:size] if each[0][-1] == END]
        live = [each for each in tried if each[0][-1] != END][:size]
        if len(finished) >= size:
            break
    return finished, live


@pytest.mark.parametrize("size", [1, 2, 4])
@pytest.mark.parametrize("alpha", [0.0, 0.6, 2.0])
def test_it_finds_what_a_plain_search_finds(small_model: Maker, size: int, alpha: float) -> None:
    model, one = ending(small_model()), task(limit=6)
    found = beam(model, one, size, alpha)
    finished, live = searched(model, size, one.limit, one.forbidden)
    scored = [
        sorted(
            ((total / ((5 + len(words)) / 6) ** alpha, words) for words, total in part),
            key=lambda each: -each[0],
        )
        for part in (finished, live)
    ]
    expected = [*scored[0], *scored[1]]
    assert [found.words(place) for place in found.hypotheses] == [words for _, words in expected]
    assert [found.nodes[place].score for place in found.hypotheses] == pytest.approx(
        [score for score, _ in expected], abs=1e-5
    )
    assert finished or size == 1


def test_the_tests_model_does_end_early_and_late(small_model: Maker) -> None:
    found = beam(ending(small_model()), task(limit=6), 4)
    fates = [found.nodes[place].fate for place in found.hypotheses]
    assert {"finished", "open"} == set(fates)
    assert len({len(found.words(place)) for place in found.hypotheses}) > 1


def test_every_number_in_the_tree_is_that_of_a_whole_pass(small_model: Maker) -> None:
    model = ending(small_model())
    found = beam(model, task(limit=5), 4, alpha=1.0)
    assert len(found.nodes) > 20
    for node in found.nodes[1:]:
        path = found.words(node.index)
        chances = [fresh(model, path[:place])[id] for place, id in enumerate(path)]
        logs = [float(chance.log()) for chance in chances]
        assert float(chances[-1]) == pytest.approx(2.718281828**node.log_probability, abs=1e-5)
        assert node.total == pytest.approx(sum(logs), abs=1e-4)
        assert node.score == pytest.approx(sum(logs) / ((5 + len(path)) / 6), abs=1e-4)
        if node.entropy is not None:
            after = fresh(model, path)
            assert node.entropy == pytest.approx(float(-(after * after.log()).sum()), abs=1e-4)
        assert (node.entropy is not None) == bool(found.children(node.index))


def test_the_tree_hangs_together(small_model: Maker) -> None:
    found = beam(ending(small_model()), task(limit=6), 3)
    assert [node.index for node in found.nodes] == list(range(len(found.nodes)))
    for node in found.nodes[1:]:
        parent = found.nodes[node.parent]
        assert node in found.children(parent.index)
        assert parent.fate in ("start", "kept") and node.position == parent.position + 1
    for position in range(found.nodes[-1].position + 1):
        level = at(found, position)
        assert [node.rank for node in level] == list(range(len(level)))
        assert [node.total for node in level] == sorted((n.total for n in level), reverse=True)
        assert sum(node.fate in ("kept", "open") for node in level) <= 3
        assert any(node.fate == "pruned" for node in level)
    assert found.best == found.path(found.hypotheses[0])[-1]


@pytest.mark.parametrize("guard", [None, NoRepeat(), NoRepeat(word=1)])
def test_one_beam_writes_what_greedy_writes(small_model: Maker, guard: NoRepeat | None) -> None:
    for seed in range(4):
        model = small_model()
        torch.manual_seed(seed)
        model.generator.bias += torch.randn(30)
        one = task(limit=20, guard=guard)
        steps = greedy(model, one)
        found = beam(model, one, size=1)
        assert found.words(found.hypotheses[0]) == tuple(step.chosen for step in steps)


def test_equal_sums_are_decided_the_same_way_every_time(small_model: Maker) -> None:
    edit = Edit("output/logits", torch.zeros_like)  # every word is as good as any other
    tape = lambda: Recorder([edit], keep=lambda _: False)  # noqa: E731
    found = beam(small_model(), task(limit=2, forbidden=frozenset()), 2, 0.0, tape)
    assert [node.id for node in at(found, 0)] == [0, 1, 2, 3]
    assert [(node.parent, node.id) for node in at(found, 1)] == [
        (1, 0), (1, 1), (1, 2), (1, 3), (2, 0), (2, 1), (2, 2), (2, 3)
    ]  # fmt: skip
    assert [found.words(place) for place in found.hypotheses] == [(0, 0), (0, 1)]


def test_what_may_not_be_written_says_why(small_model: Maker) -> None:
    def only_nine(logits: torch.Tensor) -> torch.Tensor:
        return torch.where(torch.arange(30) == 9, 50.0, logits)

    tape = lambda: Recorder([Edit("output/logits", only_nine)], keep=lambda _: False)  # noqa: E731
    model = small_model()
    barred = beam(model, task(limit=2, forbidden=frozenset({9})), 2, tape=tape)
    assert at(barred, 0)[0].fate == "forbidden" and at(barred, 0)[0].id == 9
    assert all(9 not in barred.words(place) for place in barred.hypotheses)
    guarded = beam(model, task(limit=4, guard=NoRepeat()), 1, tape=tape)
    assert [node.fate for node in at(guarded, 2) if node.id == 9] == ["guarded"]
    assert guarded.words(guarded.hypotheses[0])[:2] == (9, 9) != at(guarded, 2)[1].id


def test_a_forced_word_is_in_every_hypothesis(small_model: Maker) -> None:
    model = ending(small_model())
    free, found = beam(model, task(), 2), beam(model, task(), 2, forced={0: 9, 1: 11})
    assert [node.fate for node in at(found, 0) if node.id != 9] == ["overruled"] * 4
    assert all(found.words(place)[:2] == (9, 11) for place in found.hypotheses)
    assert len(found.hypotheses) >= 2 and found.best.score < free.best.score
    nine = next(node for node in at(found, 0) if node.id == 9)
    assert nine.log_probability == pytest.approx(float(fresh(model, ())[9].log()), abs=1e-5)


def test_edits_that_change_nothing_find_the_same_tree(small_model: Maker) -> None:
    model = ending(small_model())
    kept, whole = beam(model, task(), 3), beam(model, task(), 3, tape=Recorder)
    assert [(n.parent, n.id, n.fate) for n in kept.nodes] == [
        (n.parent, n.id, n.fate) for n in whole.nodes
    ]
    assert beam(model, task(), 3) == kept  # the same search, the same bits


def test_no_numbers_no_crash(small_model: Maker) -> None:
    broken = Edit("output/logits", lambda logits: torch.full_like(logits, torch.nan))
    found = beam(small_model(), task(limit=3), 2, tape=lambda: Recorder([broken]))
    assert found.hypotheses and all(id > 0 for id in found.words(found.hypotheses[0]))


def test_the_length_penalty_of_the_paper() -> None:
    assert length_penalty(1, 0.6) == 1.0 and length_penalty(7, 1.0) == 2.0
    assert length_penalty(19, 0.5) == 2.0 and length_penalty(50, 0.0) == 1.0


@pytest.mark.parametrize(("size", "alpha"), [(0, 0.6), (17, 0.6), (4, -1.0), (4, float("nan"))])
def test_what_cannot_be_is_refused(small_model: Maker, size: int, alpha: float) -> None:
    with pytest.raises(GlassformerError) as caught:
        beam(small_model(), task(), size, alpha)
    assert caught.value.key == "decoding_range"
    with pytest.raises(GlassformerError, match="30 does not exist; it may be 0 to 29"):
        beam(small_model(), task(), 2, forced={0: 30})
