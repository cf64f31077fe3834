"""Messages that can be shown, whatever the file or text behind them held."""

import json

import pytest

from glassformer import load_model
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions import Experiment
from glassformer.core.interventions.masks import Causal


def test_what_a_message_names_can_be_shown() -> None:
    error = GlassformerError("config", problem="unknown setting \ud800")
    assert error.values == {"problem": "unknown setting ?"}
    str(error).encode()
    assert GlassformerError("config", problem=3).values == {"problem": 3}


def test_half_a_character_in_an_experiment_is_refused_by_such_a_message() -> None:
    # JSON may escape a surrogate alone; no link, message or label of a page could hold it.
    model = load_model()
    about = json.loads(Experiment((Causal(),)).to_json(model))
    for changes in (
        {"name": "\ud800"},
        {"kind": "\ud800"},
        {"switches": [{"kind": "\ud800"}]},
        {"switches": [{"kind": "unscaled", "where": "\ud800"}]},
    ):
        with pytest.raises(GlassformerError) as caught:
            Experiment.from_json(json.dumps({**about, **changes}), model)
        assert caught.value.key == "experiment_damaged"
        str(caught.value).encode()
