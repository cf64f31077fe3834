"""The timeline of any strategy; the cache counted in the cache and by hand."""

from collections.abc import Callable

import pytest
import torch

from glassformer.core.decoding.beam import beam
from glassformer.core.decoding.cuts import Sampling
from glassformer.core.decoding.greedy import greedy
from glassformer.core.decoding.no_repeat import NoRepeat
from glassformer.core.decoding.rows import KeptRows
from glassformer.core.decoding.timeline import (
    Moment,
    PassCost,
    cache_difference,
    time_decoding,
    time_greedy,
    total_costs,
)
from glassformer.core.errors import GlassformerError
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.tape import Edit, Recorder
from tests.decoding.tasks import SOURCE, START, fresh, sample, task

Maker = Callable[..., Transformer]
WORDS = [9, 10, 11]
S, D, H, ENCODER, DECODER = len(SOURCE), 16, 4, 2, 3  # of conftest.SMALL


def ways(model: Transformer) -> dict[str, tuple[Moment, ...]]:
    one = task(guard=NoRepeat())
    tree = beam(model, one, 3)
    drawn = sample(model, one, Sampling(temperature=3.0))
    return {
        "greedy": time_decoding(model, one, greedy(model, one)),
        "forced": time_decoding(model, one, greedy(model, one, {1: 20})),
        "sampled": time_decoding(model, one, [each.step for each in drawn]),
        "beam": time_decoding(model, one, tree.words(tree.hypotheses[-1])),
        "padding": time_decoding(model, one, [9, 0, 10, 11]),
    }


@pytest.mark.parametrize("changes", [{}, {"norm_place": "pre"}, {"tie_attention": True}])
def test_every_way_has_the_numbers_of_a_whole_pass(small_model: Maker, changes: dict) -> None:
    model = small_model(**changes)
    for name, moments in ways(model).items():
        assert len(moments) > 2, name
        written = [each.step.chosen for each in moments]
        assert 0 <= cache_difference(model, task(), written) <= 1e-5
        for place, moment in enumerate(moments):
            words = [each.step.chosen for each in moments[:place]]
            assert (moment.position, list(moment.written)) == (place, words)
            whole = fresh(model, words)
            chance = float(whole[moment.step.chosen])
            assert moment.step.probability == pytest.approx(chance, abs=1e-5)
            assert moment.step.entropy == pytest.approx(
                float(-(whole * whole.log()).sum()), abs=1e-4
            )
            for id, probability in moment.step.candidates:
                assert probability == pytest.approx(float(whole[id]), abs=1e-5)


@pytest.mark.parametrize(
    "changes", [{}, {"norm_place": "pre"}, {"tie_attention": True}, {"kv_heads": 2}], ids=str
)
@pytest.mark.parametrize("forced", [{}, {1: 20}, {2: 0}], ids=["free", "forced", "padding"])
@pytest.mark.parametrize("given", [(), (9, 10), (9, 0)], ids=str)
def test_of_greedy_nothing_is_computed_again(
    small_model: Maker, changes: dict, forced: dict, given: tuple[int, ...]
) -> None:
    model, one = small_model(**changes), task(guard=NoRepeat(), given=given)
    steps = greedy(model, one, forced)
    told, counted = time_greedy(model, one, steps), time_decoding(model, one, steps)
    assert len(told) > 3 and [vars(each.cache) for each in told] == [
        vars(each.cache) for each in counted
    ]
    for one_way, other in zip(told, counted, strict=True):
        assert (one_way.position, one_way.written) == (other.position, other.written)
        assert one_way.step.chosen == other.step.chosen
        assert one_way.step.probability == pytest.approx(other.step.probability, abs=1e-6)
        assert one_way.step.entropy == pytest.approx(other.step.entropy, abs=1e-5)


def test_it_keeps_what_the_strategy_said(small_model: Maker) -> None:
    model, one = small_model(), task()
    steps = greedy(model, one)
    assert tuple(moment.step for moment in time_decoding(model, one, steps)) == steps
    drawn = sample(model, one, Sampling(top_k=3, seed=4))
    moments = time_decoding(model, one, [each.step for each in drawn])
    assert [moment.step for moment in moments] == [each.step for each in drawn]


def test_the_cache_in_numbers(small_model: Maker) -> None:
    model = small_model()
    moments = time_decoding(model, task(), [9, 10, 11, 12])
    per_row = 2 * D * DECODER  # a key and a value in every decoder layer
    for place, moment in enumerate(moments):
        use, first = moment.cache, place == 0
        assert use.before == (place * per_row, 0 if first else S * per_row)
        assert use.after == ((place + 1) * per_row, S * per_row)
        assert use.kept == sum(use.before) and use.added == per_row * (1 + S * first)
        assert use.number_bytes == 4
        assert use.recomputed == (place + 1) * per_row + S * (per_row + 2 * D * ENCODER)
        assert use.with_cache.rows == 1 and use.without_cache.rows == place + 1


def test_the_work_is_what_a_recorded_pass_holds(small_model: Maker) -> None:
    """Keys, values and scores counted in the tensors of a whole pass of that length."""
    model = small_model()
    for place, moment in enumerate(time_decoding(model, task(), [9, 10, 11])):
        tape = Recorder()
        model(torch.tensor([SOURCE]), torch.tensor([[START, 9, 10, 11][: place + 1]]), tape)

        def numbers(*names: str, tape: Recorder = tape) -> int:
            held = tape.tensors.items()
            return sum(x.numel() for at, x in held if at.rpartition("/")[2] in names)

        assert moment.cache.without_cache.keys_and_values == numbers("k", "v")
        assert moment.cache.without_cache.scores == numbers("scores")
    rows = KeptRows(model, torch.tensor([SOURCE]))
    for place in range(1, 4):
        rows([[START, 9, 10][:place]])
    held = [each for cache in rows.caches for each in cache.self_attention.kept or ()]
    last = time_decoding(model, task(), [9, 10, 11])[-1].cache
    assert sum(tensor.nbytes for tensor in held) == 4 * last.after[0]
    assert last.with_cache.scores == H * DECODER * (3 + S)
    assert last.with_cache.keys_and_values == last.added


def test_under_edits_nothing_is_kept(small_model: Maker) -> None:
    model, one = small_model(), task()
    zero = Edit("encoder/0/self_attention/weights", torch.zeros_like)
    tape = lambda: Recorder([zero], keep=lambda _: False)  # noqa: E731
    steps = greedy(model, one, tape=tape)
    moments = time_decoding(model, one, steps, tape)
    assert tuple(moment.step for moment in moments) == steps
    for moment in moments:
        assert moment.cache.kept == moment.cache.added == 0
        assert moment.cache.with_cache == moment.cache.without_cache
    plain = time_decoding(model, one, [step.chosen for step in steps])
    assert moments[0].step.entropy != plain[0].step.entropy


def test_the_same_bits_twice_and_what_is_refused(small_model: Maker) -> None:
    model = small_model()
    assert time_decoding(model, task(), WORDS) == time_decoding(model, task(), WORDS)
    for wrong in ([9, 30], [9] * 9):
        with pytest.raises(GlassformerError, match="does not exist"):
            time_decoding(model, task(), wrong)


def test_with_padding_among_the_words_nothing_is_kept(small_model: Maker) -> None:
    """A cache cannot hide a word that has been read, so the whole pass runs again."""
    uses = [moment.cache for moment in time_decoding(small_model(), task(), [9, 0, 10, 11])]
    assert [use.kept > 0 for use in uses] == [False, True, False, False]
    assert [use.with_cache == use.without_cache for use in uses] == [True, False, True, True]


def test_totals_add_the_steps_up(small_model: Maker) -> None:
    moments = time_decoding(small_model(), task(), WORDS)
    cached, fresh_work = total_costs(moments)
    assert cached.rows == 3  # one a step
    assert fresh_work.rows == 1 + 2 + 3
    states = 2 * D  # of a word in a layer: a key and a value
    assert cached.keys_and_values == states * ((ENCODER + DECODER) * S + DECODER * 3)
    assert fresh_work.keys_and_values == states * (3 * (ENCODER + DECODER) * S + DECODER * 6)
    assert fresh_work.over(cached)[0] == 2
    assert PassCost(6, 8, 9).over(PassCost(3, 2, 1)) == (2, 4, 9)
    assert total_costs(()) == (PassCost(0, 0, 0), PassCost(0, 0, 0))
