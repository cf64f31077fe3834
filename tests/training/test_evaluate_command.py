"""`python -m glassformer evaluate`: which models, which sets, and what is written where."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from glassformer.core import cli
from glassformer.core.corpus import Grammar
from glassformer.core.errors import GlassformerError
from glassformer.core.text_models.checkpoints import CHECKPOINTS, DEFAULT, list_models
from glassformer.core.text_models.translator import Translator
from glassformer.core.training.evaluate import Metrics
from glassformer.core.training.evaluation.held_out import Written
from glassformer.core.training.evaluation.passes import Tally
from glassformer.core.training.evaluation.typed import SETS, Answer, Sentence

RUNNER = CliRunner()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, tuple[str, ...]]]:
    """What was to be measured; the measuring itself is left out."""
    found = []

    def measure(
        translator: Translator,
        grammar: Grammar,
        pairs: int,
        sets: tuple[str, ...],
        progress: Callable[[str], None],
    ) -> Metrics:
        progress(f"{pairs} pairs")
        found.append((translator.name, sets))
        sentence = Sentence("f001", "I have a cat", "en-zh", ("我有一只猫",))
        answer = Answer(sentence, "我有猫", "not judged", "", sure=True, score=0.9)
        typed: dict[str, Any] = {"open": [answer]}
        return Metrics(Written(exact={"en-zh": Tally(1, 2)}), typed=typed)

    monkeypatch.setattr(cli, "measure", measure)
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    copy = tmp_path / "my-model"
    copy.mkdir()
    for name in ("config.json", "vocabulary.json", "model.safetensors"):
        shutil.copy(CHECKPOINTS / DEFAULT / name, copy)
    return copy


def test_a_folder_gets_its_card(folder: Path, asked: list[tuple[str, tuple[str, ...]]]) -> None:
    result = RUNNER.invoke(cli.app, ["evaluate", str(folder), "--pairs", "7"])
    assert result.exit_code == 0, result.output
    assert "7 pairs" in result.output
    assert asked == [("my-model", tuple(SETS))]
    assert (folder / "CARD.md").read_text("utf-8").startswith("# Model card: my-model")
    assert (folder / "metrics.json").exists() and (folder / "FREE_TYPED.md").exists()


def test_a_step_of_a_training_has_no_card(asked: list[tuple[str, tuple[str, ...]]]) -> None:
    for command in ("evaluate", "calibrate"):
        result = RUNNER.invoke(cli.app, [command, f"{DEFAULT}@0"])
        assert isinstance(result.exception, GlassformerError)
    assert not asked  # refused before anything is measured


def test_the_sealed_set_can_be_left_alone(
    folder: Path, asked: list[tuple[str, tuple[str, ...]]]
) -> None:
    RUNNER.invoke(cli.app, ["evaluate", str(folder), "--no-sealed"])
    assert asked[0][1] == ("everyday", "open", "teachers", "daily")


def test_what_nobody_judged_is_listed_once(
    folder: Path, tmp_path: Path, asked: list[tuple[str, tuple[str, ...]]]
) -> None:
    path = tmp_path / "list.json"
    arguments = ["evaluate", str(folder), str(folder), "--to-judge", str(path)]
    result = RUNNER.invoke(cli.app, arguments)
    assert result.exit_code == 0 and len(asked) == 2
    (row,) = json.loads(path.read_text("utf-8"))
    assert row["output"] == "我有猫" and row["verdict"] == ""


def test_all_bundled_models_are_measured(
    asked: list[tuple[str, tuple[str, ...]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli, "write_card", lambda folder, metrics: None)
    assert RUNNER.invoke(cli.app, ["evaluate"]).exit_code == 0
    assert tuple(name for name, _ in asked) == list_models()
