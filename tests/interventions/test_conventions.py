"""Each convention of a whole model, on the bundled translator's weights."""

from typing import get_args

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional

from glassformer.core.config import Activation, NormFormula
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions.concepts import (
    ActivationIs,
    Dropout,
    EmbeddingScale,
    NormFormulaIs,
    NormPlaceIs,
    PositionTable,
)
from glassformer.core.interventions.experiment import Experiment, run
from glassformer.core.interventions.switch import Switch
from glassformer.core.text_models.checkpoints import load_model
from glassformer.core.text_models.translator import Translator
from glassformer.core.trace.trace import Trace

TEXT = "I have a cat"
TARGET = "我有一只猫"
SWITCHES = [
    PositionTable("none"),
    PositionTable("notes"),
    PositionTable("halves"),
    EmbeddingScale(False),
    *(NormFormulaIs(each, 1e-6) for each in get_args(NormFormula) if each != "population"),
    NormPlaceIs("pre"),
    NormPlaceIs("pre", True),
    *(ActivationIs(each) for each in get_args(Activation) if each != "relu"),
    Dropout(1, 0.3),
]
NAMES = [switch.text for switch in SWITCHES]


@pytest.fixture(scope="module")
def model() -> Translator:
    return load_model()


def made(model: Translator, switch: Switch) -> Trace:
    return run(Experiment((switch,)), model, TEXT, TARGET)


@pytest.mark.parametrize("switch", SWITCHES, ids=NAMES)
def test_a_run_of_its_own(model: Translator, switch: Switch) -> None:
    """The shared model stays, the same experiment gives the same bits, and something happens."""
    plain, weights = model.trace(TEXT, TARGET), dict(model.transformer.named_parameters())
    was, config = {name: weight.clone() for name, weight in weights.items()}, model.config
    once, twice = made(model, switch), made(model, switch)
    assert all(torch.equal(once[address], twice[address]) for address in once)
    assert not torch.equal(once["output/logits"], plain["output/logits"])
    again = model.trace(TEXT, TARGET)
    assert model.config is config and all(torch.equal(again[a], plain[a]) for a in plain)
    for name, weight in model.transformer.named_parameters():
        assert weight is weights[name] and torch.equal(weight, was[name])
    assert Experiment.from_text(switch.text).switches == (switch,)


def table(length: int, width: int, variant: str) -> np.ndarray:
    """§3.5, one number after the other."""
    found = np.zeros((length, width))
    for pos in range(length):
        for i in range(width // 2):
            cosine = (2 * i + 1) / width if variant == "notes" else 2 * i / width
            places = (i, width // 2 + i) if variant == "halves" else (2 * i, 2 * i + 1)
            found[pos, places[0]] = np.sin(pos / 10000 ** (2 * i / width))
            found[pos, places[1]] = np.cos(pos / 10000**cosine)
    return found


@pytest.mark.parametrize("variant", ["none", "notes", "halves"])
def test_positions(model: Translator, variant: str) -> None:
    trace = made(model, PositionTable(variant))  # type: ignore[arg-type]
    for side in ("source", "target"):
        added = trace[f"{side}/input"][0] - trace[f"{side}/scaled"][0]
        expected = np.zeros(added.shape) if variant == "none" else table(*added.shape, variant)
        np.testing.assert_allclose(added.numpy(), expected, atol=1e-5)


def test_without_positions_order_means_nothing_to_the_encoder(model: Translator) -> None:
    one, two = (
        run(Experiment((PositionTable(),)), model, text, TARGET)["memory"][0]
        for text in ("the cat likes dogs", "dogs likes cat the")
    )
    torch.testing.assert_close(one[[3, 2, 1, 0, 4]], two, atol=1e-4, rtol=1e-4)


def test_embedding_scale(model: Translator) -> None:
    trace, rows = made(model, EmbeddingScale()), model.transformer.source_embedding.table.weight
    assert torch.equal(trace["source/scaled"], rows[trace["source/ids"]])


def test_norm_formula(model: Translator) -> None:
    trace = made(model, NormFormulaIs("sample", 1e-3))
    for where in ("encoder/0/self_attention", "decoder/1/feed_forward"):
        x = trace[f"{where}_residual/summed"].double().numpy()
        spread = x.std(axis=-1, ddof=1, keepdims=True)
        expected = (x - x.mean(axis=-1, keepdims=True)) / (spread + 1e-3)
        np.testing.assert_allclose(trace[f"{where}_norm/normalized"].numpy(), expected, atol=1e-5)


@pytest.mark.parametrize("final", [None, True])
def test_pre_norm_is_torchs(model: Translator, final: bool | None) -> None:
    """The encoder against torch's own, norm_first, with the bundled weights copied in."""
    config = model.config
    trace = made(model, NormPlaceIs("pre", final))
    x: Tensor = trace["source/input"]
    for layer in model.transformer.encoder.layers:
        theirs = torch.nn.TransformerEncoderLayer(
            config.d_model, config.n_heads, config.d_ff, 0.0, batch_first=True, norm_first=True
        )
        ours, feed = layer.self_attention, layer.feed_forward  # type: ignore[union-attr]
        projections = (ours.w_q, ours.w_k, ours.w_v)
        copied = {
            "self_attn.in_proj_weight": torch.cat(
                [p.weight for p in (ours.w_q, ours.w_k, ours.w_v)]
            ),
            "self_attn.in_proj_bias": torch.cat([p.bias for p in projections]),
            "self_attn.out_proj.weight": ours.w_o.weight,
            "self_attn.out_proj.bias": ours.w_o.bias,
            "linear1.weight": feed.w_1.weight,
            "linear1.bias": feed.w_1.bias,
            "linear2.weight": feed.w_2.weight,
            "linear2.bias": feed.w_2.bias,
            "norm1.weight": layer.self_attention_residual.norm.gamma,  # type: ignore[union-attr]
            "norm1.bias": layer.self_attention_residual.norm.beta,  # type: ignore[union-attr]
            "norm2.weight": layer.feed_forward_residual.norm.gamma,  # type: ignore[union-attr]
            "norm2.bias": layer.feed_forward_residual.norm.beta,  # type: ignore[union-attr]
        }
        theirs.load_state_dict(copied)
        with torch.no_grad():
            x = theirs.train()(x)  # training mode keeps off torch's fast path; nothing is dropped
    x = functional.layer_norm(x, (config.d_model,)) if final else x
    torch.testing.assert_close(trace["memory"], x, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize(("name", "approximate"), [("gelu", "none"), ("gelu_tanh", "tanh")])
def test_activation(model: Translator, name: str, approximate: str) -> None:
    trace = made(model, ActivationIs(name))  # type: ignore[arg-type]
    for where in ("encoder/0/feed_forward", "decoder/1/feed_forward"):
        expected = functional.gelu(trace[f"{where}/pre_activation"], approximate=approximate)
        assert torch.equal(trace[f"{where}/activation"], expected)


def test_dropout_drops_its_share_and_scales_the_rest(model: Translator) -> None:
    trace = made(model, Dropout(5, 0.25))
    where, kept = "encoder/0/feed_forward", trace["encoder/0/feed_forward/kept"]
    assert 0.7 < kept.float().mean() < 0.8  # of 5 × 384
    output = model.transformer.encoder.layers[0].feed_forward.w_2(  # type: ignore[union-attr]
        trace[f"{where}/activation"] * kept / 0.75
    )
    torch.testing.assert_close(trace[f"{where}/output"], output, atol=1e-5, rtol=1e-5)
    other = made(model, Dropout(6, 0.25))
    assert not torch.equal(other[f"{where}/kept"], kept)


def test_what_is_refused(model: Translator) -> None:
    for make in (
        lambda: Dropout(-1),
        lambda: Dropout(0, 0.0),
        lambda: Dropout(0, 1.0),
        lambda: PositionTable("spiral"),  # type: ignore[arg-type]
        lambda: PositionTable("learned").check(model.config, 3, 3),
    ):
        with pytest.raises(GlassformerError) as error:
            make()
        assert error.value.key == "experiment_value"
    with pytest.raises(GlassformerError) as error:
        NormFormulaIs("sample", -1.0).check(model.config, 3, 3)
    assert error.value.key == "config"
