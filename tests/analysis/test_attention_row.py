"""One row of attention obeys its equations, computed here once more, and says where it does not."""

import dataclasses
import itertools
import math

import numpy as np
import pytest
import torch

from glassformer.core.analysis.attention_row import AttentionRow, attention_row
from glassformer.core.analysis.attention_views import Kind
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions.concepts import Unscaled
from glassformer.core.interventions.heads import HeadsOff
from glassformer.core.interventions.masks import Causal
from glassformer.core.interventions.switch import Switch
from glassformer.core.model.transformer import Transformer
from tests.edited import record
from tests.traces import small_trace

KINDS: tuple[Kind, ...] = ("encoder", "decoder", "cross")
SOURCE, TARGET = torch.tensor([[5, 6, 7, 2]]), torch.tensor([[4, 5, 6, 7, 8]])


def rows(kind: Kind, **config: object) -> list[AttentionRow]:
    trace = small_trace(**config)
    size = 12 if kind == "encoder" else 10
    places = itertools.product(range(2), range(4), range(size))
    return [attention_row(trace, kind, *place) for place in places]


def switched(kind: Kind, *switches: Switch, query: int = 1) -> AttentionRow:
    """A row of an untrained model's run with switches on."""
    trace = small_trace()
    torch.manual_seed(0)
    model = Transformer(trace.config)
    with torch.no_grad():
        tape = record(model, SOURCE, TARGET, *switches)
    run = dataclasses.replace(trace, tensors=tape.tensors)
    return attention_row(run, kind, 1, 2, query)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fill", ["large_negative", "minus_infinity", "additive"])
def test_every_row_is_what_its_equations_make(kind: Kind, fill: str) -> None:
    for row in rows(kind, mask_fill=fill):
        q = row.q[row.head].astype(np.float64)
        assert row.scores == pytest.approx([float(q @ k) for k in row.k], abs=1e-5)
        assert row.scaled == pytest.approx(row.scores / math.sqrt(len(q)), abs=1e-6)
        powers = [math.exp(each) if ok else 0 for each, ok in zip(row.masked, row.allowed)]  # noqa: B905
        assert row.weights == pytest.approx(np.array(powers) / sum(powers), abs=1e-6)
        assert row.weights[~row.allowed].sum() == 0
        found = sum(weight * v for weight, v in zip(row.weights, row.v, strict=True))
        assert row.context[row.head] == pytest.approx(found, abs=1e-6)
        assert row.concat.tolist() == [each for head in row.context for each in head]
        assert not row.changed
        assert not row.unscaled


def test_the_decoder_does_not_look_ahead() -> None:
    trace = small_trace()
    for query in range(10):
        row = attention_row(trace, "decoder", 0, 0, query)
        assert row.allowed.tolist() == [key <= query for key in range(10)]


@pytest.mark.parametrize("kind", KINDS)
def test_without_the_division_it_says_so(kind: Kind) -> None:
    row = switched(kind, Unscaled())
    assert row.unscaled
    assert row.changed == {"scaled"}
    assert not switched(kind).unscaled


def test_a_mask_that_is_off_breaks_no_equation() -> None:
    assert switched("decoder").allowed.tolist() == [True, True, False, False, False]
    row = switched("decoder", Causal())
    assert row.allowed.all()
    assert not row.changed
    row = switched("encoder", Causal("encoder/*", on=True))
    assert row.allowed.tolist() == [True, True, False, False]
    assert not row.changed


def test_a_head_that_is_off_gives_no_sum_of_its_values() -> None:
    row = switched("cross", HeadsOff("decoder/1/cross_attention", (2,)))
    assert row.changed == {"context"}
    assert row.context[2].tolist() == [0] * 4
    assert abs(row.parts.sum()) > 0


def test_the_telling_keys_are_the_heaviest_and_the_one_that_is_followed() -> None:
    row = attention_row(small_trace(), "encoder", 0, 0, 0)
    weights = np.array([0.3, 0, 0.2, 0, 0.1, 0, 0.4, 0, 0, 0, 0, 0], dtype=np.float32)
    row = dataclasses.replace(row, weights=weights)
    assert row.telling(5, [4]) == [0, 2, 3, 4, 6]  # of those that weigh nothing the nearest
    assert row.telling(3, [9]) == [0, 6, 9]
    assert row.telling(11, [0]) == list(range(12))  # one box for one other saves nothing


def test_beyond_the_sentence() -> None:
    with pytest.raises(GlassformerError) as refused:
        attention_row(small_trace(), "encoder", 0, 0, 12)
    assert refused.value.key == "out_of_range"
