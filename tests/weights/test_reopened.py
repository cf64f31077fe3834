"""Runs of other people's models as files from outside: reopened, and held against what they say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from glassformer.core.analysis.export import run_bytes
from glassformer.core.opening.kinds import kind_of
from glassformer.core.opening.runs import is_made_by, read_run
from glassformer.core.weights.opened_model import OpenedModel, open_model
from tests.opened_files import refused, with_header
from tests.weights.folders import MAKERS, tensors, whole

TEXT = "the small house"


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, OpenedModel]:
    found = {}
    for kind in MAKERS:
        folder = tmp_path_factory.mktemp(kind)
        whole(kind, folder)
        found[kind] = open_model(folder)
    return found


@pytest.mark.parametrize("kind", MAKERS)
def test_a_run_comes_back_bit_for_bit(kind: str, models: dict[str, OpenedModel]) -> None:
    trace = models[kind].trace(TEXT)
    data = run_bytes(trace)
    assert kind_of(data) == "run"
    again = read_run(data)
    assert list(again) == list(trace)
    assert all(torch.equal(again[address], trace[address]) for address in trace)
    assert (again.task, again.steps, again.vocabulary) == (
        trace.task,
        trace.steps,
        trace.vocabulary,
    )
    made = [each for each, model in models.items() if is_made_by(again, model)]
    assert made == [kind]


LIES: dict[str, list[dict[str, Any]]] = {
    "gpt2": [
        {"task": "translate"}, {"task": "fill_in"}, {"task": "sing"}, {"task": None},
        {"source_tokens": ["a"], "source_pieces": ["a"]}, {"target_tokens": [], "steps": []},
        {"direction": "fr-en"}, {"vocabulary": ["a"]},
    ],
    "bert": [{"task": "continue"}, {"source_tokens": []}, {"target_pieces": ["[CLS]"] * 5}],
    "marian": [{"task": "fill_in"}, {"source_tokens": []}, {"source_pieces": ["no such"] * 4}],
}  # fmt: skip


@pytest.mark.parametrize(("kind", "lie"), [(k, lie) for k, all_ in LIES.items() for lie in all_])
def test_a_run_that_lies_is_refused(
    kind: str, lie: dict[str, Any], models: dict[str, OpenedModel]
) -> None:
    data = with_header(run_bytes(models[kind].trace(TEXT)), **lie)
    assert refused(lambda: read_run(data)) == "file_damaged"


def test_a_source_of_another_vocabulary(tmp_path: Path) -> None:
    """Its words are not in the file: their ids must be, within bounds."""
    whole("marian", tmp_path, share_encoder_decoder_embeddings=False)
    pieces = json.loads((tmp_path / "vocab.json").read_text("utf-8"))
    own = {f"{piece}'" if len(piece) > 5 else piece: each for piece, each in pieces.items()}
    (tmp_path / "target_vocab.json").write_text(json.dumps(own), encoding="utf-8")
    model = open_model(tmp_path)
    again = read_run(run_bytes(model.trace(TEXT)))
    assert not set(again.source_pieces) <= set(again.vocabulary)
    assert again.config.source_vocabulary_size and is_made_by(again, model)


def test_a_model_that_scores_no_words_has_none_on_demand(tmp_path: Path) -> None:
    whole("bert", tmp_path)
    tensors(lambda held: [held.pop(name) for name in [*held] if name.startswith("cls.")])(tmp_path)
    trace = open_model(tmp_path).trace(TEXT)
    assert not [address for address in trace if address.startswith("output/")]
    assert "output/logits" not in trace and "output/probabilities" not in trace
    assert list(read_run(run_bytes(trace))) == list(trace)
