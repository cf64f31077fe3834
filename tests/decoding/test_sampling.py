"""Words drawn by lot: the cut on numbers done by hand, and the same words from the same seed."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch

from glassformer.core.decoding.cuts import Sampling, cut_of, draw_id
from glassformer.core.decoding.greedy import greedy
from glassformer.core.decoding.no_repeat import NoRepeat, longest_run
from glassformer.core.decoding.sampling import SampledStep
from glassformer.core.errors import GlassformerError
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.tape import Edit, Recorder
from tests.decoding.tasks import fresh, sample, task
from tests.weights.oracle import transformers

Maker = Callable[..., Transformer]
CHANCES = (0.1, 0.4, 0.05, 0.3, 0.15)  # of ids 0..4; best first 1 3 4 0 2
TopKLogitsWarper = transformers.TopKLogitsWarper
LOGITS = torch.tensor(CHANCES).log() + 3.0


def kept(how: Sampling) -> list[int]:
    cut = cut_of(LOGITS, how, 0.5)
    return cut.ids[: cut.kept].tolist()


def numbers(run: tuple[SampledStep, ...]) -> list[Any]:
    """Everything of the steps, to compare."""
    columns = ("ids", "probability", "tempered", "cumulative", "kept", "mass", "draw")
    return [
        (each.step, *(torch.as_tensor(getattr(each.cut, name)).tolist() for name in columns))
        for each in run
    ]


def test_top_k_keeps_the_best_k() -> None:
    cut = cut_of(LOGITS, Sampling(top_k=2), 0.5)
    assert cut.ids.tolist() == [1, 3, 4, 0, 2]
    assert (cut.kept, cut.mass) == (2, pytest.approx(0.7, abs=1e-6))
    assert cut.cumulative.tolist() == pytest.approx([0.4, 0.7, 0.85, 0.95, 1.0], abs=1e-6)
    # 1 with 4/7, 3 with 3/7
    drawings = [draw_id(replace(cut, draw=draw)) for draw in (0, 0.57, 0.572, 1)]
    assert drawings == [1, 1, 3, 3]


@pytest.mark.parametrize(
    ("top_p", "kept"), [(0.0, 1), (0.39, 1), (0.41, 2), (0.69, 2), (0.71, 3), (0.96, 5), (1.0, 5)]
)
def test_top_p_keeps_the_fewest_that_reach_p(top_p: float, kept: int) -> None:
    cut = cut_of(LOGITS, Sampling(top_p=top_p), 0.5)
    assert cut.kept == kept and cut.mass == pytest.approx(
        sum(sorted(CHANCES, reverse=True)[:kept]), abs=1e-6
    )
    assert float(cut.tempered[:kept].sum()) == cut.mass


def test_top_p_comes_after_top_k() -> None:
    # Of 0.4, 0.3, 0.15 renormalised: 0.471, 0.824, 1. Alone, 0.75 would keep three.
    assert kept(Sampling(top_k=3, top_p=0.75)) == [1, 3]
    assert kept(Sampling(top_k=3)) == [1, 3, 4]
    assert kept(Sampling(top_p=0.75)) == [1, 3, 4]


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_temperature_is_a_power_of_the_probabilities(temperature: float) -> None:
    powers = [chance ** (1 / temperature) for chance in CHANCES]
    cut = cut_of(LOGITS, Sampling(temperature=temperature), 0.5)
    expected = [powers[id] / sum(powers) for id in cut.ids]
    assert cut.tempered.tolist() == pytest.approx(expected, abs=1e-6)
    assert cut.probability.tolist() == pytest.approx([CHANCES[id] for id in cut.ids], abs=1e-6)


def test_temperature_nothing_leaves_the_best() -> None:
    assert kept(Sampling(temperature=0)) == [1]
    cold = cut_of(LOGITS, Sampling(temperature=1e-3), 0.999)
    assert draw_id(cold) == 1 and math.isfinite(cold.mass)


def test_a_forbidden_word_is_not_there() -> None:
    cut = cut_of(LOGITS, Sampling(), 0.5, forbidden=[1])
    assert cut.ids.tolist() == [3, 4, 0, 2]
    assert float(cut.tempered[0]) == pytest.approx(0.5, abs=1e-6)  # of 0.6
    assert float(cut.probability[0]) == pytest.approx(0.3, abs=1e-6)  # the model's own


@pytest.mark.parametrize(
    ("draw", "word"), [(0.0, 1), (0.39, 1), (0.41, 3), (0.69, 3), (0.71, 4), (0.86, 0), (0.99, 2)]
)
def test_the_word_is_the_one_in_whose_stretch_the_lot_falls(draw: float, word: int) -> None:
    assert draw_id(cut_of(LOGITS, Sampling(), draw)) == word


def test_equal_words_go_by_their_id() -> None:
    cut = cut_of(torch.zeros(5), Sampling(top_k=2), 0.5)
    assert cut.ids.tolist() == [0, 1, 2, 3, 4]


def test_all_that_equal_the_kth_stay_as_in_the_oracle() -> None:
    logits = torch.tensor([2.0, 0.5, 3.0, 2.0, 0.0, 2.0])
    for k in range(1, 8):
        told = TopKLogitsWarper(k)(torch.zeros(1, 1).long(), logits[None].clone())[0].softmax(-1)
        cut = cut_of(logits, Sampling(top_k=k), 0.5)
        found = torch.zeros(6, dtype=torch.float64)
        found[cut.ids[: cut.kept]] = cut.tempered[: cut.kept] / cut.mass
        assert torch.allclose(found.float(), told, atol=1e-6), k


def test_top_p_that_is_reached_exactly_needs_no_more() -> None:
    kept = [cut_of(torch.zeros(4), Sampling(top_p=p), 0.5).kept for p in (0.25, 0.5, 0.51)]
    assert kept == [1, 2, 3]


@pytest.mark.parametrize(("draw", "word"), [(0.4, 3), (0.6, 4), (0.8, 0), (0.99, 2)])
def test_without_a_word_the_lot_falls_among_the_others(draw: float, word: int) -> None:
    cut = cut_of(LOGITS, Sampling(), draw)  # of 0.3, 0.15, 0.1 and 0.05
    assert draw_id(cut, without=[1]) == word
    assert draw_id(cut, without=range(5)) is None


def test_no_numbers_no_crash() -> None:
    cut = cut_of(torch.full((5,), torch.nan), Sampling(), 0.1, forbidden=[0])
    assert draw_id(cut) == 1


def test_words_are_drawn_as_often_as_they_are_probable() -> None:
    draws = torch.rand(4000, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    how = Sampling(top_k=3)
    words = [draw_id(cut_of(LOGITS, how, float(draw))) for draw in draws]
    for word, chance in ((1, 4 / 8.5), (3, 3 / 8.5), (4, 1.5 / 8.5)):
        assert words.count(word) / 4000 == pytest.approx(chance, abs=0.03)


def test_the_probabilities_are_those_of_a_whole_pass(small_model: Maker) -> None:
    model, written = small_model(), list[int]()
    for each in sample(model, task(), Sampling(temperature=2.0, seed=3)):
        whole = fresh(model, written)
        own = each.cut.probability.tolist()
        assert own == pytest.approx(whole[each.cut.ids].tolist(), abs=1e-5)
        assert each.step.probability == pytest.approx(float(whole[each.step.chosen]), abs=1e-5)
        written.append(each.step.chosen)
    assert len(written) > 2


def test_the_same_seed_writes_the_same(small_model: Maker) -> None:
    model = small_model()
    runs = [sample(model, task(), Sampling(temperature=3.0, seed=seed)) for seed in (1, 1, 2, 3)]
    assert numbers(runs[0]) == numbers(runs[1])
    assert len({tuple(each.step.chosen for each in run) for run in runs[1:]}) > 1
    torch.manual_seed(99)  # torch's own generator has no part in it
    again = sample(model, task(), Sampling(temperature=3.0, seed=1))
    assert numbers(again) == numbers(runs[0])


def test_temperature_nothing_is_greedy(small_model: Maker) -> None:
    model, one = small_model(), task()
    plain = list(greedy(model, one))
    assert [each.step for each in sample(model, one, Sampling(temperature=0))] == plain
    assert [each.step for each in sample(model, one, Sampling(top_k=1, seed=5))] == plain


def test_forced_words_stand_and_the_lots_stay(small_model: Maker) -> None:
    model, how = small_model(), Sampling(temperature=3.0, seed=1)
    plain = sample(model, task(), how)
    forced = sample(model, task(), how, forced={1: 9})
    assert numbers(forced[:1]) == numbers(plain[:1]) and forced[1].step.chosen == 9
    lots = [[each.cut.draw for each in run] for run in (plain, forced)]
    assert all(one == other for one, other in zip(*lots, strict=False))


def test_edits_and_the_guard_reach_the_drawing(small_model: Maker) -> None:
    edit = Edit("output/logits", lambda x: torch.where(torch.arange(30) == 9, 50.0, x))
    tape = lambda: Recorder([edit], keep=lambda _: False)  # noqa: E731
    loops = sample(small_model(), task(limit=12), Sampling(), tape)
    assert [each.step.chosen for each in loops] == [9] * 12
    stopped = sample(small_model(), task(limit=12, guard=NoRepeat()), Sampling(), tape)
    words = [each.step.chosen for each in stopped]
    assert longest_run(words)[1] <= 2 and stopped[2].step.guarded == 9 != words[2]


@pytest.mark.parametrize(
    "wrong",
    [{"temperature": -0.1}, {"temperature": math.nan}, {"top_k": 0}, {"top_p": 1.1}, {"seed": -1}],
)
def test_what_cannot_be_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(GlassformerError) as caught:
        Sampling(**wrong)
    assert caught.value.key == "decoding_range" and caught.value.values["name"] in wrong
