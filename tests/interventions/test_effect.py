"""What a switch did to a translation and to the vectors, on the bundled translator."""

import math

import pytest
import torch

from glassformer import Trace, load_model
from glassformer.core.interventions import Experiment, run, setting_of
from glassformer.core.interventions.effect import (
    effect,
    first_changed,
    moves_of_rungs,
    rungs_of_change,
    sees_ahead,
)
from glassformer.core.interventions.experiment import with_config
from glassformer.core.text_models.decodings import record_words
from glassformer.core.text_models.translator import Translator

TIRED = "The animal didn't cross the street because it was too tired"
REDIRECT = "heads_redirected:decoder/1/cross_attention,(),5,(6)"
CLOSED = "mask_fill;lines:decoder/0/self_attention,(),(2)"
Three = tuple[Trace, Trace, Trace]


@pytest.fixture(scope="module")
def translator() -> Translator:
    return load_model()


def ids(trace: Trace) -> list[int]:
    return [trace.vocabulary.index(piece) for piece in trace.output_pieces]


def three(translator: Translator, edits: str, text: str) -> Three:
    """The plain run, the switched one, and the switched one on the plain one's words."""
    experiment = Experiment.from_text(edits)
    first, second = translator.trace(text), run(experiment, translator, text)
    variant = with_config(translator, second.config)
    made = experiment.edits(setting_of(translator, second.config))
    forced = record_words(variant, second, ids(first), made, dropout_seed=experiment.seed)
    return first, second, forced


def test_the_numbers_of_a_line_are_those_of_the_logits(translator: Translator) -> None:
    first, second, forced = three(translator, REDIRECT, TIRED)
    found = effect(first, second, forced)
    rows = [each["output/logits"][0].double().log_softmax(-1) for each in (first, forced)]
    for row, (line, word) in enumerate(zip(found.lines, ids(first), strict=True)):
        p, q = (each[row] for each in rows)
        assert line.probabilities == pytest.approx((float(p[word].exp()), float(q[word].exp())))
        assert line.divergence == pytest.approx(float((p.exp() * (p - q)).sum()), abs=1e-12)
    for side in (0, 1):
        parts = [math.log(line.probabilities[side]) for line in found.lines if line.probabilities]
        assert found.log_probabilities[side] == pytest.approx(sum(parts))
    assert found.most_changed == 6
    assert [line.word.kind for line in found.lines].count("other") == 1


def test_a_change_of_one_row_moves_that_row_alone(translator: Translator) -> None:
    first, _, forced = three(translator, REDIRECT, TIRED)
    address = "decoder/1/cross_attention/weights"
    assert first_changed(first, forced) == address
    found = moves_of_rungs(first, forced)
    assert [rung.address for rung, _ in found] == [
        each.address for each in rungs_of_change(first.config)
    ]
    began = [rung.address for rung, _ in found].index(address)
    assert all(each.still for _, each in found[:began])
    for rung, each in found[began:]:
        a, b = first[rung.address].double(), forced[rung.address].double()
        moved = (b - a).movedim(-2, 0).flatten(1).norm(dim=1)
        were = a.movedim(-2, 0).flatten(1).norm(dim=1)
        assert each.by_position.tolist() == pytest.approx((moved / were).tolist())
        assert each.by_position.nonzero().flatten().tolist() == [6]


def test_lost_numbers_are_nan_and_spread(translator: Translator) -> None:
    first, second, forced = three(translator, CLOSED, "我 爱 机器 学习")
    found = effect(first, second, forced)
    assert math.isnan(found.log_probabilities[1])
    assert found.log_probabilities[0] < 0
    lost = {
        rung.address: each.by_position.isnan().tolist()
        for rung, each in moves_of_rungs(first, forced)
    }
    assert lost["decoder/0/self_attention/weights"] == [False, False, True, False, False]
    assert lost["decoder/0/feed_forward_norm/output"] == [False, False, True, False, False]
    assert all(lost["decoder/1/self_attention_norm/output"])
    assert not any(lost["encoder/1/feed_forward_norm/output"])


def test_nothing_switched_moves_nothing(translator: Translator) -> None:
    first, second, forced = three(translator, "", TIRED)
    assert first_changed(first, forced) == ""
    assert all(each.still for _, each in moves_of_rungs(first, forced))
    assert {line.divergence for line in effect(first, second, forced).lines} == {0.0}


def test_another_convention_and_dropout_have_a_forced_run(translator: Translator) -> None:
    for edits in ("norm_place", "dropout", "positions;dropout:3,0.2"):
        first, second, forced = three(translator, edits, "I love machine learning")
        assert forced.output_pieces == first.output_pieces
        assert forced.config == second.config
        assert moves_of_rungs(first, forced)
        if second.output_pieces == first.output_pieces:
            assert torch.equal(second["output/logits"], forced["output/logits"])


def test_rows_that_look_ahead_are_known(translator: Translator) -> None:
    for edits, ahead in (("", False), (REDIRECT, False), ("causal", True)):
        assert sees_ahead(three(translator, edits, TIRED)[2]) is ahead


def test_other_words_are_refused(translator: Translator) -> None:
    first, second, _ = three(translator, REDIRECT, TIRED)
    with pytest.raises(ValueError, match="other words"):
        effect(first, second, second)
