"""Rows of concepts and the switches of an experiment turn into each other."""

from typing import get_args

import pytest

from glassformer import load_model
from glassformer.app.pages.switch.concepts.panel import TEMPERATURES, concept_rows, parts_pattern
from glassformer.core.config import ModelConfig, NormFormula
from glassformer.core.interventions import Experiment


@pytest.mark.parametrize(
    "config",
    [
        load_model().config,
        ModelConfig(vocabulary_size=9, positions="learned", norm_place="pre", final_norm=True),
        ModelConfig(
            vocabulary_size=9, embedding_scale=False, norm_formula="sample", activation="gelu",
            encoder_layers=1, decoder_layers=3,
        ),
    ],
)  # fmt: skip
def test_values_and_switches_turn_into_each_other(config: ModelConfig) -> None:
    rows = [row for group in concept_rows(config).values() for row in group]
    names = [row.name for row in rows]
    assert sorted(set(names)) == sorted(names), "two rows of Concepts have one name"
    formulas = {f"norm_{each}" for each in get_args(NormFormula) if each != config.norm_formula}
    assert formulas <= set(names)
    for row in rows:
        combinations: list[dict[str, str]] = [{}]
        for name, options in row.choices.items():
            combinations = [
                {**each, name: option} for each in combinations for option in options or ("3",)
            ]
        for values in combinations:
            switch = row.switch(values)
            found = row.values(switch)
            assert found is not None
            if values.get("variant", "shuffled") == "shuffled":
                assert {name: found[name] for name in values} == values
            assert [other.name for other in rows if other.values(switch) is not None] == [row.name]
            experiment = Experiment((switch,))
            assert row.without(experiment) == Experiment()
            assert Experiment.from_text(experiment.text).switches == (switch,)
    assert parts_pattern("encoder/0", "*") == "encoder/0/*" and 1.0 in TEMPERATURES
