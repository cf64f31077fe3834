"""The formulas that both explanations work out numbers with are those of the model."""

import math

import pytest
import torch

from core.analysis.positions import wave_of
from core.config import Activation, ModelConfig, Positions
from core.explain import formula
from core.model.embedding import position_encoding
from core.model.feed_forward import activate


def config(**changes: object) -> ModelConfig:
    sizes = {"vocabulary_size": 9, "d_model": 16, "n_heads": 4}
    return ModelConfig(**{**sizes, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize("variant", ["paper", "notes", "halves"])
def test_waves_are_those_of_the_model(variant: Positions) -> None:
    made, table = config(positions=variant), position_encoding(7, 16, variant)
    for feature in range(16):
        wave, exponent = wave_of(16, feature, variant)
        angle = 5 * formula.frequency(made, exponent)
        expected = math.sin(angle) if wave == "sine" else math.cos(angle)
        assert float(table[5, feature]) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("kind", ["relu", "gelu", "gelu_tanh"])
def test_activations_are_those_of_the_model(kind: Activation) -> None:
    given = torch.tensor([-2.5, 0.0, 0.7, 3.0, math.nan], dtype=torch.float64)
    expected = activate(given, kind).tolist()
    found = [x * formula.gate(x, kind) for x in given.tolist()]
    assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_a_fill_is_as_low_as_the_kind_of_number_allows() -> None:
    assert formula.fill(config(), torch.float32) == ("-10^9", -1e9)
    assert formula.fill(config(), torch.float16) == ("-65504", -65504.0)
    assert formula.fill(config(mask_fill="additive"), torch.float16)[1] == -math.inf
