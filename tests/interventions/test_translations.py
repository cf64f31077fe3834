"""Two translations, word by word."""

import math
from dataclasses import replace

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from glassformer.core.interventions.translations import (
    align_words,
    divergences,
    kullback_leibler,
    shared_rows,
)
from glassformer.core.trace.trace import Trace
from tests.hand_made import hand_made
from tests.traces import OUTPUT, small_trace

VOCABULARY = ("<pad>", "<eos>", "<zh>", "a", "b", "c", "d")


def wrote(text: str, *rows: dict[str, float]) -> Trace:
    """A run that wrote these letters; `rows` are probabilities, the rest is shared evenly."""
    pieces = (*text, "<eos>")
    logits = torch.zeros(1, len(pieces), len(VOCABULARY))
    for row, given in enumerate(rows):
        rest = (1 - sum(given.values())) / (len(VOCABULARY) - len(given))
        for index, piece in enumerate(VOCABULARY):
            logits[0, row, index] = math.log(given.get(piece, rest))
    trace = hand_made({"output/logits": logits}, target=("<zh>", *text), vocabulary=VOCABULARY)
    return replace(trace, output_tokens=pieces, output_pieces=pieces)


def kinds(before: str, after: str) -> list[tuple[str, str | None, str | None]]:
    return [
        (each.kind, each.before, each.after) for each in align_words(wrote(before), wrote(after))
    ]


def test_alignment() -> None:
    end = ("same", "<eos>", "<eos>")
    assert kinds("abc", "abc") == [*(("same", x, x) for x in "abc"), end]
    assert kinds("abc", "adc")[1] == ("other", "b", "d")
    assert kinds("abc", "ac") == [("same", "a", "a"), ("gone", "b", None), ("same", "c", "c"), end]
    assert kinds("ac", "abc")[1] == ("new", None, "b")
    assert kinds("ab", "cdb") == [("other", "a", "c"), ("new", None, "d"), ("same", "b", "b"), end]


def test_probabilities_and_divergence_by_hand() -> None:
    before = wrote("ab", {"a": 0.5, "b": 0.25})
    after = wrote("bb", {"a": 0.25, "b": 0.5})
    first = align_words(before, after)[0]
    assert first.old_word == pytest.approx((0.5, 0.25))
    assert first.new_word == pytest.approx((0.25, 0.5))
    assert first.divergence == pytest.approx(0.25 * math.log(2))  # .5 log 2 − .25 log 2
    assert [each.same_prefix for each in align_words(before, after)] == [True, False, False]


def test_a_word_without_a_partner_has_one_side() -> None:
    gone = align_words(wrote("ab", {}, {"b": 0.4}), wrote("a"))[1]
    assert gone.old_word == (pytest.approx(0.4), None) and gone.new_word == (None, None)
    assert gone.divergence is None and not gone.same_prefix
    assert (gone.before_row, gone.after_row) == (1, None)


def test_divergence_is_torchs() -> None:
    before, after = small_trace(), small_trace(norm_formula="sample", norm_epsilon=0.3)

    def log(trace: Trace) -> Tensor:
        return trace["output/logits"][0].double().log_softmax(-1)

    theirs = functional.kl_div(log(after), log(before), log_target=True, reduction="none").sum(-1)
    assert theirs.min() > 0
    torch.testing.assert_close(divergences(before, after), theirs)
    assert not divergences(before, before).any()
    assert [each.divergence for each in align_words(before, after)] == pytest.approx(
        theirs.tolist()
    )


def test_a_word_that_became_impossible_is_infinitely_far() -> None:
    p, q = torch.tensor([0.5, 0.5, 0.0]).log(), torch.tensor([1.0, 0.0, 0.0]).log()
    assert kullback_leibler(p, q) == math.inf
    assert kullback_leibler(q, p).item() == pytest.approx(math.log(2))


def test_rows_that_were_given_the_same_words() -> None:
    assert shared_rows(wrote("abc"), wrote("abd")) == 3 + 0  # <zh> a b: the last word is not given
    assert shared_rows(small_trace(), small_trace()) == len(OUTPUT) + 1
    assert shared_rows(wrote("abc"), wrote("dbc")) == 1
