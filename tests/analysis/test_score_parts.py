"""Why a head looks there: the parts of a score, against the run, autograd and sums by hand."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from glassformer.core.analysis.held_run import Inputs, hold_edits, rerun
from glassformer.core.analysis.score_parts import score_parts, score_writers
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions.experiment import Experiment, prepare_model, run
from glassformer.core.text_models.checkpoints import load_model
from glassformer.core.trace.tape import Edit
from glassformer.core.trace.trace import Trace
from glassformer.core.weights.opened_model import open_model
from tests.conventions import FAMILIES
from tests.seeded_runs import CONVENTIONS, seeded_run
from tests.weights import folders

OPENED = ("marian", "gpt2", "llama 3", "qwen3", "bert", "t5")
SENTENCE = "The animal didn't cross the street because it was too tired"


def _made(name: str, folder: Path) -> tuple[Trace, Any]:
    if name == "translator":
        model: Any = load_model()
        return model.trace(SENTENCE), model.transformer
    folders.whole(name, folder)
    model = open_model(folder)
    text = "the cat ___ on the mat" if name == "bert" else "the cat sat on the mat"
    return model.trace(text), model.transformer


def _places(trace: Trace) -> list[str]:
    return [each.removesuffix("/q") for each in trace if each.endswith("/q")]


def _worst(trace: Trace, model: Any, rows: int = 99) -> float:
    """The largest error over all cells of all layers, by the largest score there."""
    errors = [0.0]
    for place in _places(trace):
        stage = "biased" if f"{place}/biased" in trace else "scaled"
        recorded = trace[f"{place}/{stage}"][0].double()  # (H, T, S)
        for head in range(recorded.size(0)):
            for query in range(min(rows, recorded.size(1))):
                found = score_writers(trace, model, place, head, query)
                sums = torch.einsum("ik,jsk->s", found.query, found.keys) + found.distances
                errors.append(float((sums - recorded[head, query]).abs().max()))
        errors[:] = [max(errors)]
    return errors[0]


@pytest.mark.parametrize("name", ["translator", *OPENED])
def test_the_parts_add_up_to_every_score_of_every_family(name: str, tmp_path: Path) -> None:
    trace, model = _made(name, tmp_path / "model")
    scale = max(1.0, float(trace[f"{_places(trace)[0]}/scaled"].abs().max()))
    assert _worst(trace, model, rows=99 if name == "translator" else 6) <= 1e-5 * scale


@pytest.mark.parametrize("config", [*CONVENTIONS.values(), *FAMILIES[1:]], ids=str)
def test_the_parts_add_up_under_every_convention(config: dict[str, Any]) -> None:
    sizes = {"d_model": 16, "d_ff": 24} if config in FAMILIES else {}
    trace, model = seeded_run(**{**config, **sizes})
    assert _worst(trace, model) <= 1e-5


def test_the_parts_add_up_with_dropout() -> None:
    trace, model = seeded_run(dropout_seed=3, dropout=0.3)
    assert any(each.endswith("/kept") for each in trace)
    assert _worst(trace, model) <= 1e-5


def test_a_part_is_the_second_derivative_by_its_two_writers() -> None:
    """Autograd, with the norms held: ∂²score / ∂(query's writer) ∂(key's writer)."""
    trace, model = _made("translator", Path())
    place, head, query, key = "encoder/1/self_attention", 2, 7, 1
    found = score_parts(trace, model, place, head, query, key)
    writers = {"encoder/0/self_attention/context": (0, 1), "encoder/0/feed_forward/output": (0,)}
    for asked, asked_at in writers.items():
        for answers, answers_at in writers.items():
            one, other = (torch.ones((), requires_grad=True) for _ in range(2))
            edits = [
                Edit("encoder/0/feed_forward/output", Tensor.detach),  # a writer of its own
                _scaled(asked, (*asked_at, query), one),
                _scaled(answers, (*answers_at, key), other),
                *hold_edits(trace.config),
            ]
            tensors = rerun(model, Inputs.of(trace), edits, [f"{place}/scaled"])
            score = tensors[f"{place}/scaled"][0, head, query, key]
            (slope,) = torch.autograd.grad(score, one, create_graph=True)
            (both,) = torch.autograd.grad(slope, other)
            expected = _summed(found, _of(asked), _of(answers))
            assert float(both) == pytest.approx(expected, abs=2e-5)


def _scaled(address: str, at: tuple[int, ...], factor: Tensor) -> Edit:
    def change(value: Tensor) -> Tensor:
        mask = torch.zeros_like(value)
        mask[at] = 1
        return value * (1 + mask * (factor - 1))

    return Edit(address, change)


def _of(address: str) -> Any:
    """Which writers a scaled tensor holds: one head of it, or all (with the network's bias)."""
    if address.endswith("context"):
        return lambda writer: (writer.address, writer.head) == (address, 1)
    return lambda writer: writer.address == address


def _summed(found: Any, asked: Any, answers: Any) -> float:
    rows = [at for at, each in enumerate(found.query_writers) if asked(each)]
    columns = [at for at, each in enumerate(found.key_writers) if answers(each)]
    return float(found.values[rows][:, columns].sum())


def test_words_by_words_by_hand(tmp_path: Path) -> None:
    """GPT-2's first layer: LN of word and position, no other writer, written out."""
    trace, model = _made("gpt2", tmp_path / "model")
    place, head, query, key = "decoder/0/self_attention", 1, 3, 2
    found = score_parts(trace, model, place, head, query, key)
    block: Any = model.decoder.layers[0]
    norm, attention = block.self_attention_residual.norm, block.self_attention
    stream = (trace["target/scaled"][0] + trace["target/positions"]).double()
    deviation = stream.std(dim=-1, unbiased=False)

    def seen(at: int) -> Tensor:
        word = trace["target/scaled"][0, at].double()
        spread = (deviation[at] ** 2 + norm.epsilon).sqrt()
        return norm.gamma.double() * (word - word.mean()) / spread

    width = trace.config.d_k
    cut = slice(head * width, (head + 1) * width)
    q = attention.w_q.weight[cut].double() @ seen(query)
    k = attention.w_k.weight[cut].double() @ seen(key)
    part = next(p for p in found.parts if str(p.query) == str(p.key) == "target/scaled")
    assert part.value == pytest.approx(float(q @ k) / width**0.5, abs=1e-6)
    names = {writer.name for writer in found.query_writers}
    assert names == {"embedding", "positions", "norm_shift", "bias"}


def test_against_the_mean_of_the_row() -> None:
    trace, model = _made("translator", Path())
    for place in ("encoder/1/self_attention", "decoder/1/self_attention"):
        parts = score_writers(trace, model, place, 0, 4)
        seen = trace[f"{place}/mask"][0, 0, 4]
        scores = trace[f"{place}/scaled"][0, 0, 4]
        found = [parts.of_key(key) for key in range(len(scores))]
        for each, score in zip(found, scores.tolist(), strict=True):
            apart = sum(part.against_mean for part in each.parts)
            assert apart == pytest.approx(score - float(scores[seen].mean()), abs=1e-5)
            assert each.difference == pytest.approx(apart, abs=1e-5)
        mean = torch.stack([each.values for each in found])[seen].mean(dim=0)
        assert torch.allclose(mean, found[0].means, atol=1e-9)
        sizes = [abs(part.against_mean) for part in found[1].parts]
        assert sizes == sorted(sizes, reverse=True)
        assert len(found[1].table()) == len(sizes)


def test_what_distances_add_is_a_part(tmp_path: Path) -> None:
    trace, model = _made("t5", tmp_path / "model")
    place = "encoder/1/self_attention"
    found = score_parts(trace, model, place, 1, 2, 0)
    (part,) = [each for each in found.parts if each.query is None]
    bias = trace[f"{place}/position_bias"][0, 1, 2]
    assert part.value == pytest.approx(float(bias[0]))
    assert part.against_mean == pytest.approx(float(bias[0] - bias.mean()), abs=1e-6)


def test_what_an_experiment_set_is_a_part_of_its_own() -> None:
    model = load_model()
    edit = Edit("encoder/0/feed_forward_norm/output", lambda x: 1.5 * x)
    trace = model.trace("The cat is tired.", edits=[edit])
    found = score_parts(trace, *_asked(model))
    assert found.error <= 1e-5 * max(1, abs(found.score))
    assert [each[-1].name for each in (found.query_writers, found.key_writers)] == 2 * ["switched"]
    assert abs(float(found.values[-1, :-1].sum())) > 0.01  # half as much again as was written
    plain = score_parts(model.trace("The cat is tired."), *_asked(model))
    assert found.values[:-1, :-1].sum() == pytest.approx(float(plain.values.sum()), abs=1e-5)


def _asked(model: Any) -> tuple[Any, str, int, int, int]:
    return model.transformer, "encoder/1/self_attention", 0, 1, 2


@pytest.mark.parametrize("text", ["norm_place:pre", "norm_formula:sample", "dropout:3"])
def test_under_other_conventions_of_the_translator(text: str) -> None:
    model, experiment = load_model(), Experiment.from_text(text)
    trace = run(experiment, model, "The cat is tired.")
    made_by = prepare_model(experiment, model)[0].transformer
    assert _worst(trace, made_by, rows=3) <= 2e-5


def test_what_is_refused() -> None:
    trace, model = _made("translator", Path())
    for place, head, query, key in (
        ("encoder/1/feed_forward", 0, 0, 0),
        ("encoder/7/self_attention", 0, 0, 0),
        ("encoder/1/self_attention", 9, 0, 0),
        ("encoder/1/self_attention", 0, 99, 0),
        ("encoder/1/self_attention", 0, 0, -1),
    ):
        with pytest.raises(GlassformerError) as caught:
            score_parts(trace, model, place, head, query, key)
        assert caught.value.key in ("unknown_address", "out_of_range")
