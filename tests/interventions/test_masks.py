"""Every mask switch on numbers: its mask, exactly zero where hidden, the softmax elsewhere."""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest
import torch
from torch import Tensor

from glassformer import load_model
from glassformer.core.interventions import Experiment, run, setting_of
from glassformer.core.interventions.masks import (
    Band,
    Causal,
    Fill,
    Lines,
    PaddingOff,
    Painted,
    cells_of,
    cells_of_drag,
    closed_rows,
    hidden_words,
    spans_of,
    toggle_word,
)
from glassformer.core.interventions.switch import Switch
from glassformer.core.text_models.translator import Translator
from glassformer.core.trace.tape import Recorder

SENTENCE = "She bought two red apples yesterday"
SOURCE = torch.tensor([[20, 21, 22, 23, 2], [30, 31, 2, 0, 0]])  # (B, S), the second padded
TARGET = torch.tensor([[4, 40, 41, 42], [4, 50, 0, 0]])  # (B, T)
ENCODER, DECODER = "encoder/0/self_attention", "decoder/0/self_attention"
CROSS = "decoder/1/cross_attention"
Rule = Callable[[int, int, int, int], bool]  # batch, head, query, key -> may look


@cache
def model() -> Translator:
    return load_model("translator")


def batch(*switches: Switch) -> dict[str, Tensor]:
    """A pass over the padded batch with some switches."""
    tape = Recorder(Experiment(switches).edits(setting_of(model())))
    with torch.no_grad():
        model().transformer(SOURCE, TARGET, tape)
    tape.finish()
    return tape.tensors


def source_real(b: int, key: int) -> bool:
    return int(SOURCE[b, key]) != 0


def target_real(b: int, key: int) -> bool:
    return int(TARGET[b, key]) != 0


def inside(b: int, _h: int, _q: int, k: int) -> bool:
    return source_real(b, k)


PAINT = Painted(ENCODER, (1,)).brushed([(0, 1), (0, 2), (3, 3)], "hide").brushed([(1, 4)], "show")
CASES: dict[str, tuple[tuple[Switch, ...], str, Rule]] = {
    "plain encoder": ((), ENCODER, inside),
    "plain decoder": ((), DECODER, lambda b, h, q, k: target_real(b, k) and k <= q),
    "plain cross": ((), CROSS, inside),
    "source padding off": ((PaddingOff(),), ENCODER, lambda b, h, q, k: True),
    "source padding off, cross": ((PaddingOff(),), CROSS, lambda b, h, q, k: True),
    "source padding off, decoder": (
        (PaddingOff(),), DECODER, lambda b, h, q, k: target_real(b, k) and k <= q,
    ),
    "target padding off": ((PaddingOff("target"),), DECODER, lambda b, h, q, k: k <= q),
    "target padding off, cross": ((PaddingOff("target"),), CROSS, inside),
    "causal off": ((Causal(),), DECODER, lambda b, h, q, k: target_real(b, k)),
    "causal off, then padding off": (
        (Causal(), PaddingOff("target")), DECODER, lambda b, h, q, k: True,
    ),
    "padding off, then causal off": (
        (PaddingOff("target"), Causal()), DECODER, lambda b, h, q, k: True,
    ),
    "causal on": (
        (Causal("encoder/*", on=True),), ENCODER,
        lambda b, h, q, k: source_real(b, k) and k <= q,
    ),
    "causal on, cross": (
        (Causal("decoder/1/cross_attention", on=True),), CROSS,
        lambda b, h, q, k: source_real(b, k) and k <= q,
    ),
    "only itself": (
        (Band(ENCODER),), ENCODER, lambda b, h, q, k: source_real(b, k) and k == q,
    ),
    "only neighbours, two heads": (
        (Band(ENCODER, (0, 2), -1, 1),), ENCODER,
        lambda b, h, q, k: source_real(b, k) and (h not in (0, 2) or abs(q - k) <= 1),
    ),
    "band in the decoder keeps causality": (
        (Band("decoder/*/self_attention", (), -1, 3),), DECODER,
        lambda b, h, q, k: target_real(b, k) and q - 1 <= k <= q,
    ),
    "row and column": (
        (Lines(ENCODER, (3,), (1,), (0,)),), ENCODER,
        lambda b, h, q, k: source_real(b, k) and (h != 3 or (q != 1 and k != 0)),
    ),
    "painted": (
        (PAINT,), ENCODER,
        lambda b, h, q, k: (
            (source_real(b, k) or (h == 1 and (q, k) == (1, 4)))
            and not (h == 1 and (q, k) in [(0, 1), (0, 2), (3, 3)])
        ),
    ),
    "painted over causal": (
        (Painted(DECODER).brushed([(0, 3)], "show"), Causal(DECODER, on=True)), DECODER,
        lambda b, h, q, k: (target_real(b, k) and k <= q) or (q, k) == (0, 3),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_mask_is_what_the_switch_says_and_hides_exactly(name: str) -> None:
    switches, where, rule = CASES[name]
    found = batch(*switches)
    mask, weights = found[f"{where}/mask"], found[f"{where}/weights"]
    expected = torch.tensor(
        [
            [
                [[rule(b, h, q, k) for k in range(mask.size(3))] for q in range(mask.size(2))]
                for h in range(mask.size(1))
            ]
            for b in range(mask.size(0))
        ]
    )
    assert torch.equal(mask, expected)
    some = mask.any(dim=-1, keepdim=True).expand_as(mask)
    assert torch.equal(weights[some & ~mask], torch.zeros_like(weights[some & ~mask]))
    q, k = found[f"{where}/q"].double(), found[f"{where}/k"].double()
    powers = torch.exp(q @ k.mT / math.sqrt(q.size(-1))) * mask
    shares = powers / powers.sum(dim=-1, keepdim=True)
    assert torch.allclose(weights[some].double(), shares[some], atol=1e-6)


def test_padding_shows_in_a_padded_batch_alone() -> None:
    plain, off = batch(), batch(PaddingOff())
    same, other = torch.allclose(plain["memory"][0], off["memory"][0]), off["memory"][1, :3]
    assert same
    assert not torch.allclose(plain["memory"][1, :3], other, atol=1e-2)


@pytest.mark.parametrize("fill", ["large_negative", "minus_infinity", "additive"])
def test_fills_agree_wherever_a_row_has_one_allowed_key(fill: str) -> None:
    plain = run(Experiment(), model(), SENTENCE)
    trace = run(Experiment((Fill(fill),)), model(), SENTENCE)  # type: ignore[arg-type]
    assert trace.config.mask_fill == fill
    for address in (f"{ENCODER}/weights", f"{DECODER}/weights", "output/logits"):
        assert torch.equal(trace[address], plain[address])
    hidden = ~trace[f"{DECODER}/mask"]
    expected = -1e9 if fill == "large_negative" else -math.inf
    assert bool((trace[f"{DECODER}/masked"][hidden] == expected).all())


def test_a_row_with_nothing_allowed_is_uniform_or_nan_and_never_crashes() -> None:
    closed = Lines(ENCODER, (2,), (1,))
    trace = run(Experiment((closed,)), model(), SENTENCE)
    weights, keys = trace[f"{ENCODER}/weights"], len(trace.source_tokens)
    assert closed_rows(trace[f"{ENCODER}/mask"]) == ((2, 1),)
    assert torch.allclose(weights[0, 2, 1], torch.full((keys,), 1 / keys))
    assert not closed_rows(run(Experiment(), model(), SENTENCE)[f"{ENCODER}/mask"])
    for fill in ("minus_infinity", "additive"):
        nan = run(Experiment((closed, Fill(fill))), model(), SENTENCE)
        weights = nan[f"{ENCODER}/weights"]
        assert bool(weights[0, 2, 1].isnan().all())
        assert not weights[0, 1].isnan().any()
        assert bool(nan["memory"].isnan().all())  # every row of layer 1 asks row 1 of layer 0
        assert isinstance(nan.output_text, str)


def test_strokes_of_the_brush() -> None:
    size = (3, 4)
    painted = Painted(ENCODER).brushed(cells_of_drag("cell", (2, 3), (0, 2), size), "hide")
    assert painted.hidden == ((0, 2, 3), (1, 2, 3), (2, 2, 3))
    painted = painted.brushed(cells_of_drag("row", (1, 0), (1, 0), size), "show")
    assert (painted.hidden, painted.shown) == (((0, 2, 3), (2, 2, 3)), ((1, 0, 3),))
    painted = painted.brushed(cells_of_drag("column", (0, 2), (0, 2), size), "clear")
    assert (painted.hidden, painted.shown) == (((0, 3, 3), (2, 3, 3)), ((1, 0, 1), (1, 3, 3)))
    everything = cells_of_drag("cell", (0, 0), (9, 9), size)
    assert painted.brushed(everything, "clear") == Painted(ENCODER)
    band = set(cells_of_drag("band", (1, 0), (0, 0), (4, 5)))
    assert band == {(0, 0), (1, 0), (1, 1), (2, 1), (2, 2), (3, 2), (3, 3)}
    assert cells_of(spans_of(band)) == band


def test_a_translation_without_the_causal_mask_sees_the_future() -> None:
    off = run(Experiment((Causal(),)), model(), SENTENCE)
    weights = off[f"{DECODER}/weights"][0]
    future = torch.ones_like(weights[0]).triu(1) > 0
    assert bool((weights[:, future] > 0).all())


def test_a_word_that_nobody_sees() -> None:
    config, lines = model().config, Lines(CROSS, (0,), (), (0,))
    before = Experiment((lines,))
    hidden = toggle_word(toggle_word(before, config, 2), config, 4)
    assert hidden_words(before, config) == ()
    assert hidden_words(hidden, config) == (2, 4)
    assert lines in hidden.switches  # of one attention alone: it stays
    trace, plain = run(hidden, model(), SENTENCE), model().trace(SENTENCE)
    for place in ("encoder/0/self_attention", "encoder/1/self_attention", CROSS):
        weights = trace[f"{place}/weights"]
        assert not weights[..., [2, 4]].any()
        assert plain[f"{place}/weights"][..., [2, 4]].all()
    back = toggle_word(toggle_word(hidden, config, 4), config, 2)
    assert back == before
    by_hand = Experiment((Lines("encoder/*/self_attention", (), (0,)),))  # a row
    assert toggle_word(toggle_word(by_hand, config, 2), config, 2) == by_hand


def test_of_a_decoder_alone_a_word_is_hidden_in_its_own_attention() -> None:
    config = replace(model().config, encoder_layers=0)
    hidden = toggle_word(Experiment(), config, 1)
    assert hidden.switches == (Lines("decoder/*/self_attention", (), (), (1,)),)
