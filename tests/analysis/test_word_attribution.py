"""Which word made this word: the exact split and the other methods, against runs and by hand."""

import copy
import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from glassformer.core.analysis.held_run import Inputs
from glassformer.core.analysis.word_attribution import (
    METHODS,
    WordQuestion,
    attribute_words,
    integrated_gradients,
)
from glassformer.core.errors import GlassformerError
from glassformer.core.text_models.checkpoints import load_model
from glassformer.core.trace.tape import Edit, Recorder
from glassformer.core.trace.trace import Trace
from glassformer.core.weights.opened_model import open_model
from tests.conventions import FAMILIES
from tests.seeded_runs import CONVENTIONS, seeded_run
from tests.weights import folders

OPENED = ("marian", "gpt2", "llama 3", "qwen3", "bert", "t5")
SENTENCE = "The animal didn't cross the street because it was too tired"
CONVENTIONS_HERE = [
    *CONVENTIONS.values(),
    *({**each, "d_model": 16, "d_ff": 24} for each in FAMILIES[1:]),
    {"activation": "silu", "gated": True},
]


def _translator() -> tuple[Trace, Any]:
    model = load_model()
    return model.trace(SENTENCE), model.transformer


def _opened(name: str, folder: Path) -> tuple[Trace, Any]:
    folders.whole(name, folder)
    model: Any = open_model(folder)
    text = "the cat ___ on the mat" if name == "bert" else "the cat sat on the mat"
    return model.trace(text), model.transformer


def _asked(made: tuple[Trace, Any], row: int, other: int | None = None) -> WordQuestion:
    return WordQuestion.of_word(*made, row, made[0].output_ids[row], other)


def _exactly(made: tuple[Trace, Any]) -> None:
    trace = made[0]
    logits = trace["output/logits"][0].double()
    for row, word in enumerate(trace.output_ids[:8]):
        for other in (None, 3):
            found = attribute_words(_asked(made, row, other), "exact")
            expected = logits[row, word] - (0 if other is None else logits[row, other])
            bound = 1e-5 * max(1.0, float(logits.abs().max()))  # float32 knows no more
            assert found.value == pytest.approx(float(expected), abs=bound)
            assert found.error <= bound  # biases are computed: nothing is made up for
            later = slice(row + 1, None) if trace.config.decoder_layers else slice(0, 0)
            assert not found.target[later].any()


@pytest.mark.parametrize("name", OPENED)
def test_words_and_biases_add_up_to_the_logit_of_every_family(name: str, tmp_path: Path) -> None:
    _exactly(_opened(name, tmp_path / "model"))


@pytest.mark.parametrize("name", OPENED)
def test_rows_that_come_later_change_nothing(name: str, tmp_path: Path) -> None:
    made = _opened(name, tmp_path / "model")
    asked = _asked(made, 2)
    rows = asked.inputs.target.size(1)
    assert rows == (3 if made[0].config.decoder_layers else len(made[0].target_tokens))
    for method in METHODS:
        found, whole = (
            attribute_words(each, method) for each in (asked, replace(asked, rows=None))
        )
        assert found.source == pytest.approx(whole.source, rel=1e-4, abs=1e-5), method
        assert found.target == pytest.approx(whole.target, rel=1e-4, abs=1e-5), method
        assert found.rest == pytest.approx(whole.rest, rel=1e-4, abs=1e-5), method


def test_words_and_biases_add_up_to_the_logits_of_the_translator() -> None:
    made = _translator()
    _exactly(made)
    found = attribute_words(_asked(made, 2), "exact")
    assert found.source_words[int(found.source.argmax())] == "cross"
    assert made[0].output_tokens[2] == "穿过"
    assert len(found.table()) == len(found.source) + len(found.target) + 2
    assert found.table()["value"].sum() == pytest.approx(found.value, rel=1e-5)


@pytest.mark.parametrize("config", CONVENTIONS_HERE, ids=str)
def test_words_and_biases_add_up_under_every_convention(config: dict[str, Any]) -> None:
    _exactly(seeded_run(**config))


def test_words_and_biases_add_up_with_dropout() -> None:
    made = seeded_run(dropout_seed=3, dropout=0.3)
    _exactly(made)


@pytest.mark.parametrize("name", OPENED)
def test_a_word_taken_away_with_all_held_takes_its_share(name: str, tmp_path: Path) -> None:
    """In float64: weights, statistics and gates of the plain run written in, one word 0."""
    trace, model = _opened(name, tmp_path / "model")
    row, word = 2, trace.output_ids[2]
    found = attribute_words(_asked((trace, model), row), "exact")
    exact = copy.deepcopy(model).double()
    plain = _run(exact, trace, [])
    for side, shares in (("source", found.source), ("target", found.target)):
        for at in range(min(3, len(shares))):
            without = _run(exact, trace, [_silenced(f"{side}/scaled", at), *_written(plain)])
            less = plain["output/logits"] - without["output/logits"]
            assert float(less[0, row, word]) == pytest.approx(shares[at], abs=1e-5)


def _run(model: Any, trace: Trace, edits: list[Edit]) -> dict[str, Tensor]:
    inputs, tape = Inputs.of(trace), Recorder(edits)
    with torch.no_grad():
        model(inputs.source, inputs.target, tape, inputs.segments)
    return tape.tensors


def _silenced(address: str, at: int) -> Edit:
    def change(value: Tensor) -> Tensor:
        value[:, at] = 0
        return value

    return Edit(address, change)


def _written(plain: dict[str, Tensor]) -> list[Edit]:
    """Every number that the exact split holds, as constants of another run."""
    edits, gated = [], any(each.endswith("/gated") for each in plain)
    for address, value in plain.items():
        last = address.rpartition("/")[2]
        if last in ("weights", "std", "mean_square") or (last == "activation" and gated):
            edits.append(Edit(address, lambda _, value=value: value.clone()))
        elif last == "activation":
            before = address.replace(
                "activation", "dense" if "output" in address else "pre_activation"
            )
            edits += _gate(before, address, value / plain[before])
    return edits


def _gate(before: str, after: str, gate: Tensor) -> list[Edit]:
    kept: dict[str, Tensor] = {}

    def keep(value: Tensor) -> Tensor:
        kept["unit"] = value
        return value

    return [Edit(before, keep), Edit(after, lambda _: kept["unit"] * gate)]


@pytest.mark.parametrize("name", ["gpt2", "t5", "bert"])
def test_gradients_are_finite_differences(name: str, tmp_path: Path) -> None:
    """Saliency and input × gradient, in float64, each component of one word's vector."""
    trace, model = _opened(name, tmp_path / "model")
    row, word, side = 2, trace.output_ids[2], "target" if name == "gpt2" else "source"
    exact, step = copy.deepcopy(model).double(), 1e-5
    slopes = []
    for feature in range(trace.config.d_model):
        ends = []
        for sign in (1, -1):
            moved = _moved(f"{side}/scaled", 1, feature, sign * step)
            ends.append(float(_run(exact, trace, [moved])["output/logits"][0, row, word]))
        slopes.append((ends[0] - ends[1]) / (2 * step))
    vector = trace[f"{side}/scaled"][0, 1].double().numpy()
    asked = _asked((trace, model), row)
    lengths, products = (
        getattr(attribute_words(asked, each), side)
        for each in ("saliency", "input_x_gradient")  # type: ignore[arg-type]
    )
    assert lengths[1] == pytest.approx(float(np.linalg.norm(slopes)), rel=1e-4)
    assert products[1] == pytest.approx(float(np.array(slopes) @ vector), abs=1e-5)


def _moved(address: str, at: int, feature: int, by: float) -> Edit:
    def change(value: Tensor) -> Tensor:
        value[:, at, feature] += by
        return value

    return Edit(address, change)


def test_integrated_gradients_add_up_and_are_a_sum_by_hand(tmp_path: Path) -> None:
    made = _opened("marian", tmp_path / "model")
    trace, model = made
    asked = _asked(made, 1)
    found = attribute_words(asked, "integrated_gradients")
    assert found.error < 1e-4  # this small model bends little
    word, exact = trace.output_ids[1], copy.deepcopy(model).double()
    nothing = [Edit(f"{side}/scaled", torch.zeros_like) for side in ("source", "target")]
    baseline = _run(exact, trace, nothing)["output/logits"][0, 1, word]
    assert found.rest["baseline"] == pytest.approx(float(baseline), abs=1e-5)
    by_hand, steps = 0.0, 200  # the midpoint rule, by finite differences along the way
    for at in range(steps):
        alpha = (at + 0.5) / steps
        ends = []
        for move in (1e-4, -1e-4):
            edits = [_on_the_way(side, alpha, move) for side in ("source", "target")]
            ends.append(float(_run(exact, trace, edits)["output/logits"][0, 1, word]))
        by_hand += (ends[0] - ends[1]) / 2e-4 / steps
    assert found.source[1] == pytest.approx(by_hand, abs=1e-4)
    assert integrated_gradients(asked, 4).error < 0.1


def _on_the_way(side: str, alpha: float, move: float) -> Edit:
    """All words at a share of their length, the second source word a little more."""

    def change(value: Tensor) -> Tensor:
        scaled = alpha * value
        if side == "source":
            scaled[:, 1] += move * value[:, 1]
        return scaled

    return Edit(f"{side}/scaled", change)


def test_attention_and_rollout_by_hand(tmp_path: Path) -> None:
    made = _opened("gpt2", tmp_path / "model")
    trace, row = made[0], 3
    maps = [
        trace[f"decoder/{layer}/self_attention/weights"][0].double().mean(dim=0)
        for layer in range(trace.config.decoder_layers)
    ]
    found = attribute_words(_asked(made, row), "attention")
    assert np.allclose(found.target, torch.stack(maps).mean(dim=0)[row])
    assert not len(found.source)
    product = torch.eye(len(maps[0]), dtype=torch.float64)
    for each in maps:
        product = (each / 2 + torch.eye(len(each)) / 2) @ product
    found = attribute_words(_asked(made, row), "rollout")
    assert np.allclose(found.target, product[row])


def test_rollout_of_both_stacks_by_hand() -> None:
    made = _translator()
    trace, row = made[0], 4

    def mixed(address: str) -> Tensor:
        return trace[f"{address}/weights"][0].double().mean(dim=0)

    source, target = len(trace.source_tokens), len(trace.target_tokens)
    encoder = torch.eye(source, dtype=torch.float64)
    for layer in range(2):
        encoder = (encoder + mixed(f"encoder/{layer}/self_attention") @ encoder) / 2
    read = torch.zeros(target, source, dtype=torch.float64)
    written = torch.eye(target, dtype=torch.float64)
    for layer in range(2):
        back = mixed(f"decoder/{layer}/self_attention")
        read, written = (read + back @ read) / 2, (written + back @ written) / 2
        read = (read + mixed(f"decoder/{layer}/cross_attention") @ encoder) / 2
        written = written / 2
    found = attribute_words(_asked(made, row), "rollout")
    assert np.allclose(found.source, read[row])
    assert np.allclose(found.target, written[row])
    assert found.total == pytest.approx(1)


def test_gradient_attention_by_hand(tmp_path: Path) -> None:
    """Autograd through a copy whose parameters have gradients: no edit is on that tape."""
    made = _opened("gpt2", tmp_path / "model")
    trace, model = made
    row, inputs, tape = 3, Inputs.of(trace), Recorder()
    copy.deepcopy(model).requires_grad_(True)(inputs.source, inputs.target, tape)
    logit = tape.tensors["output/logits"][0, row, trace.output_ids[row]]
    relevance = torch.eye(len(trace.target_tokens))
    for layer in range(trace.config.decoder_layers):
        weights = tape.tensors[f"decoder/{layer}/self_attention/weights"]
        (slope,) = torch.autograd.grad(logit, weights, retain_graph=True)
        relevance = relevance + (slope * weights).clamp(min=0)[0].mean(dim=0) @ relevance
    expected = (relevance[row] - torch.eye(len(relevance))[row]).detach()
    found = attribute_words(_asked(made, row), "gradient_attention")
    assert np.allclose(found.target, expected, atol=1e-6)
    assert found.target.max() > 0


def test_what_an_experiment_set_is_said_apart() -> None:
    model = load_model()
    doubled = Edit("decoder/0/feed_forward/output", lambda x: 2 * x)
    trace = model.trace("The cat is tired.", edits=[doubled])
    word = trace.output_ids[0]
    asked = WordQuestion.of_word(trace, model.transformer, 0, word, edits=[doubled])
    found = attribute_words(asked, "exact")
    assert found.value == pytest.approx(float(trace["output/logits"][0, 0, word]), abs=1e-4)
    assert abs(found.rest["switched"]) > 1e-3  # biases before the edit count double
    assert found.error < 1e-5 * abs(found.value)


def test_neither_the_model_nor_the_run_is_touched() -> None:
    trace, model = _translator()
    before = _hash(model)
    for method in METHODS:
        attribute_words(_asked((trace, model), 1), method)
    assert _hash(model) == before
    assert all(each.grad is None for each in model.parameters())
    assert not any(each.requires_grad for each in trace.tensors.values())


def _hash(model: Any) -> str:
    parts = [bytes(each.numpy().tobytes()) for each in model.state_dict().values()]
    return hashlib.sha256(b"".join(parts)).hexdigest()


def test_what_is_refused() -> None:
    trace, model = _translator()
    asked = _asked((trace, model), 1)
    word = trace.output_ids[1]
    cases = (
        (lambda t: t["output/logits"][:, 1].softmax(dim=-1)[:, word], "metric_not_linear"),
        (lambda t: t["output/logits"][0, 1], "metric_shape"),
        (lambda _: 1.0, "metric_shape"),
    )
    for metric, key in cases:
        bad: Any = WordQuestion(trace, model, metric, 1)  # type: ignore[arg-type]
        with pytest.raises(GlassformerError) as caught:
            attribute_words(bad, "exact")
        assert caught.value.key == key
    unknown: Any = "guess"
    with pytest.raises(GlassformerError, match="guess"):
        attribute_words(asked, unknown)
    for row, which in ((99, 5), (0, -1)):
        with pytest.raises(GlassformerError):
            WordQuestion.of_word(trace, model, row, which)
