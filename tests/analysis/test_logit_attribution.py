"""Direct logit attribution: the parts add up to the logit, in every family."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from glassformer.core.analysis.logit_attribution import (
    logit_attribution,
    neuron_contributions,
    position_contributions,
)
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions.experiment import Experiment, prepare_model, run
from glassformer.core.text_models.checkpoints import load_model
from glassformer.core.trace.address import Address
from glassformer.core.trace.tape import Edit
from glassformer.core.weights.opened_model import open_model
from tests.weights import folders
from tests.weights.oracle import KINDS, transformers

FAMILIES = ("marian", "gpt2", "llama 3", "bert", "t5")
TEXT = {"bert": "the cat ___ on the mat"}


def _relative(trace: Any, error: float) -> float:
    return error / float(trace["output/logits"].abs().max())


@pytest.fixture(scope="module", params=("translator", "translator-plain", *FAMILIES))
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A model of every family, and a run of it."""
    if request.param in FAMILIES:
        folder = tmp_path_factory.mktemp("made") / "model"
        folders.whole(request.param, folder)
        model: Any = open_model(folder)
        return model, model.trace(TEXT.get(request.param, "the cat sat on the mat"))
    model = load_model(request.param)
    return model, model.trace("The cat is tired.")


def test_the_parts_add_up_to_the_logit(made: Any) -> None:
    model, trace = made
    for row, word in enumerate(trace.output_ids):
        for other in (None, 3):
            found = logit_attribution(trace, model.transformer, row, word, other)
            recorded = trace["output/logits"][0, row].double()
            expected = recorded[word] - (0 if other is None else recorded[other])
            assert found.logit == pytest.approx(float(expected))
            assert _relative(trace, found.error) < 2e-6
            assert sum(found.by_layer().values()) == pytest.approx(
                sum(part.value for part in found.parts)
            )
    assert len(found.table()) == len(found.parts)


def test_units_add_up_to_their_network_and_words_to_their_head(made: Any) -> None:
    model, trace = made
    found = logit_attribution(trace, model.transformer, 1, trace.output_ids[1])
    networks = [part for part in found.parts if part.name == "feed_forward"]
    layers = trace.config.decoder_layers or trace.config.encoder_layers
    assert len(networks) == layers
    for layer, network in enumerate(networks):
        units = neuron_contributions(trace, model.transformer, found, layer)
        assert units.shape == (trace.config.d_ff,)
        assert units.sum() == pytest.approx(network.value, abs=1e-9)
        assert np.abs(units).argmax() == network.cell[-1]
    for (place, head), value in found.by_head().items():
        from_words = position_contributions(trace, model.transformer, found, place, head)
        assert len(from_words) == trace[f"{place}/weights"].shape[-1]
        assert _relative(trace, abs(from_words.sum() - value)) < 2e-6


def test_a_part_is_what_a_silenced_head_takes_away_with_the_norms_held(made: Any) -> None:
    """Without the head, the same direction and the frozen statistics: less by exactly its part."""
    model, trace = made
    stack = "decoder" if trace.config.decoder_layers else "encoder"
    place = f"{stack}/0/self_attention"
    found = logit_attribution(trace, model.transformer, 0, trace.output_ids[0])
    part = found.by_head()[place, 1]
    attention: Any = model.transformer.get_submodule(Address.of(place).module)
    width = model.config.d_k
    context = trace[f"{place}/concat"][0, 0, width : 2 * width]
    wrote = attention.w_o.weight[:, width : 2 * width].double() @ context.double()  # (D,)
    assert part == pytest.approx(float(wrote.detach().numpy() @ found.directions[place]), abs=1e-9)


def test_pre_norm_by_hand(tmp_path: Path) -> None:
    """GPT-2: what is in the final stream, centred, over its deviation, times γ and the word."""
    folders.whole("gpt2", tmp_path / "model")
    model = open_model(tmp_path / "model")
    trace, transformer = model.trace("the cat sat"), model.transformer
    found = logit_attribution(trace, transformer, 2, 7)
    norm: Any = transformer.decoder.norm
    wrote = trace["target/scaled"][0, 2].double()
    deviation = trace["decoder/norm/std"][0, 2, 0].double()
    seen = norm.gamma.double() * (wrote - wrote.mean()) / (deviation**2 + norm.epsilon).sqrt()
    expected = float(seen @ transformer.generator.weight[7].double())
    assert found.parts[0].name == "embedding"
    assert found.parts[0].value == pytest.approx(expected, abs=1e-9)
    assert found.frozen == ("decoder/norm/std",)


def test_what_an_experiment_set_is_a_part_of_its_own() -> None:
    model = load_model("translator")
    experiment = Experiment.from_text("heads_off:decoder/1/cross_attention,(0)")
    trace = run(experiment, model, "The cat is tired.")
    found = logit_attribution(trace, model.transformer, 0, trace.output_ids[0])
    assert found.by_head()["decoder/1/cross_attention", 0] == 0
    switched = [part.value for part in found.parts if part.name == "switched"]
    assert np.abs(switched).max() < 1e-4  # the heads are counted as they are, nothing is left over
    overwritten = model.trace(
        "The cat is tired.", edits=[_doubled("decoder/0/feed_forward/output")]
    )
    found = logit_attribution(overwritten, model.transformer, 0, overwritten.output_ids[0])
    rest = {p.address: p.value for p in found.parts if p.name == "switched"}
    assert abs(rest["decoder/0/feed_forward/output"]) > 0.01
    assert abs(rest["output/logits"]) < 1e-4
    assert _relative(overwritten, found.error) < 2e-6


def _doubled(address: str) -> Edit:
    return Edit(address, lambda x: 2 * x, "doubled")


@pytest.mark.parametrize(
    "text", ["norm_place:pre", "norm_formula:sample", "activation:gelu", "dropout:3"]
)
def test_other_conventions(text: str) -> None:
    """The norm before, another formula, another activation, units dropped."""
    model = load_model("translator")
    experiment = Experiment.from_text(text)
    trace = run(experiment, model, "The cat is tired.")
    made_by = prepare_model(experiment, model)[0].transformer
    found = logit_attribution(trace, made_by, 0, trace.output_ids[0])
    assert _relative(trace, found.error) < 2e-6


def test_what_is_refused(tmp_path: Path) -> None:
    model = load_model("translator")
    trace = model.trace("The cat is tired.")
    with pytest.raises(GlassformerError, match="row 99"):
        logit_attribution(trace, model.transformer, 99, 5)
    with pytest.raises(GlassformerError, match="word -1"):
        logit_attribution(trace, model.transformer, 0, -1)
    found = logit_attribution(trace, model.transformer, 0, 5)
    with pytest.raises(GlassformerError, match="encoder/0/self_attention"):
        position_contributions(trace, model.transformer, found, "encoder/0/self_attention", 0)
    with pytest.raises(GlassformerError, match="layer 9"):
        neuron_contributions(trace, model.transformer, found, 9)


def test_vectors_alone_are_refused(tmp_path: Path) -> None:
    folders.MAKERS["bert"](tmp_path)
    vocabulary = json.loads((tmp_path / "tokenizer.json").read_text("utf-8"))["model"]["vocab"]
    config = transformers.BertConfig(**{**KINDS["bert"].config, "vocab_size": len(vocabulary)})
    transformers.BertModel(config, add_pooling_layer=False).save_pretrained(tmp_path)
    model = open_model(tmp_path)
    with pytest.raises(GlassformerError, match="writes no words"):
        logit_attribution(model.trace("the cat"), model.transformer, 0, 3)
