"""Which switches reach into a tensor; files that hold nothing readable."""

import pytest

from glassformer import load_model
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions import Experiment, setting_of
from glassformer.core.interventions.concepts import PositionTable
from glassformer.core.interventions.heads import HeadsOff
from glassformer.core.interventions.masks import Causal

OFF, CAUSAL = HeadsOff("encoder/*", (1,)), Causal()


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("encoder/1/self_attention/context", (OFF,)),
        ("encoder/1/self_attention/weights", ()),
        ("decoder/0/self_attention/mask", (CAUSAL,)),
        ("decoder/0/cross_attention/mask", ()),
        ("source/positions", ()),  # another config, no edit
    ],
)
def test_a_tensor_names_the_switches_that_change_it(
    address: str, found: tuple[object, ...]
) -> None:
    experiment = Experiment((OFF, PositionTable(), CAUSAL))
    assert experiment.changing(address, setting_of(load_model())) == found


@pytest.mark.parametrize(
    "text", ["[" * 200_000, '{"a":' * 50_000, "\x00", '"glassformer"', "1e999"]
)
def test_a_file_of_anything_is_damaged(text: str) -> None:
    with pytest.raises(GlassformerError) as raised:
        Experiment.from_json(text, load_model())
    assert raised.value.key == "experiment_damaged"
