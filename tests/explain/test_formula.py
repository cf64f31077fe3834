"""The formulas that both explanations work out numbers with are those of the model."""

import math
from typing import get_args

import pytest
import torch

from glassformer.core.analysis.positions import wave_of
from glassformer.core.config import Activation, ModelConfig, NormFormula, Positions
from glassformer.core.explain import formula
from glassformer.core.model.activation import ACTIVATIONS
from glassformer.core.model.embedding import position_encoding
from glassformer.core.model.layer_norm import NORM_DIVISORS, LayerNorm
from glassformer.core.trace.tape import Recorder


def config(**changes: object) -> ModelConfig:
    sizes = {"vocabulary_size": 9, "d_model": 16, "n_heads": 4}
    return ModelConfig(**{**sizes, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize("variant", ["paper", "notes", "halves"])
def test_waves_are_those_of_the_model(variant: Positions) -> None:
    made, table = config(positions=variant), position_encoding(7, 16, variant)
    for feature in range(16):
        wave, exponent = wave_of(16, feature, variant)
        angle = 5 * formula.position_frequency(made, exponent)
        expected = math.sin(angle) if wave == "sine" else math.cos(angle)
        assert float(table[5, feature]) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("kind", get_args(Activation))
def test_activations_are_those_of_the_model(kind: Activation) -> None:
    given = torch.tensor([-2.5, 0.0, 0.7, 3.0, math.nan], dtype=torch.float64)
    expected = ACTIVATIONS[kind].compute(given).tolist()
    found = [x * ACTIVATIONS[kind].gate(x) for x in given.tolist()]
    assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("kind", get_args(NormFormula))
def test_divisors_are_those_of_the_model(kind: NormFormula) -> None:
    """What a norm divides by, and the deviation with which that is 1."""
    divisor, tape = NORM_DIVISORS[kind], Recorder()
    made = config(norm_formula=kind, norm_epsilon=0.01)
    LayerNorm(made)(torch.linspace(-1, 2, 16, dtype=torch.float64)[None, None], tape)
    mean, std = (float(tape.tensors[name]) for name in ("mean", "std"))
    spread = divisor.spread(std, 0.01)
    assert float(tape.tensors["normalized"][0, 0, 0]) == pytest.approx((-1 - mean) / spread)
    assert divisor.spread(divisor.unit(0.01), 0.01) == pytest.approx(1, abs=1e-7)


def test_a_fill_is_as_low_as_the_kind_of_number_allows() -> None:
    assert formula.mask_fill(config(), torch.float32) == ("-10^9", -1e9)
    assert formula.mask_fill(config(), torch.float16) == ("-65504", -65504.0)
    assert formula.mask_fill(config(mask_fill="additive"), torch.float16)[1] == -math.inf
