"""What heads look at, and how sharply: small maps that one can count by hand."""

import pytest
import torch

from glassformer.core.corpus import load_grammar
from glassformer.core.text_models.checkpoints import load_model
from glassformer.core.text_models.translator import Translator
from glassformer.core.training.evaluation.attention import (
    Part,
    attention_parts,
    head_roles,
    measure_sharpness,
    rows_with_offset,
    tally_looks,
    without_scale,
)
from glassformer.core.training.evaluation.held_out import referring_pairs, unseen_pairs
from glassformer.core.training.evaluation.passes import Tally, run_passes


@pytest.fixture(scope="module")
def translator() -> Translator:
    return load_model()


def test_looks_by_hand() -> None:
    maps = torch.tensor([[[[0.9, 0.1, 0.0], [0.2, 0.5, 0.3]], [[0.1, 0.2, 0.7], [0.0, 1.0, 0.0]]]])
    places = torch.tensor([[0, 0, 0], [0, 0, 1], [0, 1, 2]])  # the first row has two
    assert tally_looks(maps, places) == [Tally(1, 2), Tally(0, 2)]
    assert tally_looks(maps, places[2:]) == [Tally(0, 1), Tally(0, 1)]
    assert tally_looks(maps, places[:0]) == [Tally(0, 0)] * 2


def test_the_word_beside_by_hand() -> None:
    words = torch.tensor([[True, True, False], [True, True, True]])
    before = [[0, 1, 0], [1, 1, 0], [1, 2, 1]]
    assert rows_with_offset(words, -1).tolist() == before
    assert rows_with_offset(words, 1).tolist() == [[0, 0, 1], [1, 0, 1], [1, 1, 2]]
    assert len(rows_with_offset(words, 0)) == 5


def test_roles_are_counted_by_head(translator: Translator) -> None:
    pairs = [p for p in unseen_pairs(load_grammar(), 8) if "zh-en" in p.directions]
    found = head_roles(translator, pairs, "zh-en")
    assert set(found) == {part for part in attention_parts(translator) if part.head is not None}
    words = sum(len(pair.chinese) for pair in pairs)
    first, last = Part("encoder/0/self_attention", 1), Part("decoder/1/cross_attention", 0)
    assert found[first]["same"].total == words and set(found[last]) == {"alignment"}
    assert found[first]["previous"].total == words - len(pairs) == found[first]["next"].total
    assert "next" not in found[Part("decoder/0/self_attention", 0)]


def test_chinese_pronouns_have_antecedents(translator: Translator) -> None:
    pairs = referring_pairs(load_grammar(), "zh-en", 5)
    assert len(pairs) == 5 == len(referring_pairs(load_grammar(), "zh-en", 5))
    found = head_roles(translator, pairs, "zh-en", ["antecedent"])
    assert {tally.total for roles in found.values() for tally in roles.values()} == {5}


def test_sharpness_by_hand(translator: Translator) -> None:
    (pair,) = [p for p in unseen_pairs(load_grammar(), 40) if p.directions == ("en-zh",)][:1]
    (run,) = run_passes(translator, [pair], "en-zh", keep=lambda at: at.name == "weights")
    found = measure_sharpness(translator, [pair])
    weights = run.kept["encoder/1/self_attention/weights"][0]  # (H, S, S)
    mean = found[Part("encoder/1/self_attention", None)]
    assert mean.end == pytest.approx(weights[..., -1].mean().item(), abs=1e-5)
    own = run.kept["decoder/0/self_attention/weights"][0, 2, 1:]  # all rows but the first, forced
    share = (own.amax(dim=-1) > 0.99).float().mean().item()
    assert found[Part("decoder/0/self_attention", 2)].saturated == pytest.approx(share)
    assert all(each.unscaled >= each.saturated for each in found.values())


def test_scores_that_are_not_scaled_change_translations(translator: Translator) -> None:
    found = without_scale(translator, unseen_pairs(load_grammar(), 10))
    assert len(found) == 6 and all(part.head is None for part in found)
    assert max(tally.rate for tally in found.values()) > 0
