"""The command line: train, go on, translate, refuse."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from glassformer import list_snapshots, load_history, load_model
from glassformer.core import cli
from glassformer.core.errors import GlassformerError
from glassformer.core.text.tokenizer import Tokenizer
from glassformer.core.text_models.checkpoints import load_about
from glassformer.core.training.run import Job, bundled_job

RUNNER = CliRunner()
PLACES = ("alignment", "antecedent")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tokenizer: Tokenizer) -> Path:
    """Where models of a small vocabulary go; runs wait beside it."""
    monkeypatch.setattr(cli, "corpus_tokenizer", lambda grammar: tokenizer)
    monkeypatch.setattr(cli, "bundled_job", small_job)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "models"


def small_job(*asked: Any) -> Job:
    """What the command asks for, with few sentences to learn from and to measure on."""
    job = bundled_job(*asked)
    recipe = replace(job.recipe, batch_size=16, held_out=30)
    return replace(job, recipe=recipe, pairs=30, readings=4)


def test_train_and_resume(folder: Path) -> None:
    arguments = ["train", "--name", "translator", "--output", str(folder)]
    arguments += ["--save-every", "1", "--runs", str(folder.with_name("waiting"))]
    first = RUNNER.invoke(cli.app, [*arguments, "--steps", "1"])
    assert first.exit_code == 0, first.output
    second = RUNNER.invoke(cli.app, [*arguments, "--steps", "2", "--resume"])
    assert second.exit_code == 0, second.output
    model = folder / "translator"
    about = load_about(model)
    assert about["training"]["steps_done"] == 2 and set(about["taught"]) == set(PLACES)
    assert sorted(path.name for path in model.iterdir()) == [
        "config.json",
        "history.json",
        "model.safetensors",
        "snapshots",
        "vocabulary.json",
    ]
    assert (folder.with_name("waiting") / "translator" / "state.json").is_file()
    assert list_snapshots(model) == (0, 2) and load_model(f"{model}@0").config.n_heads == 4


def test_both_models_are_trained(folder: Path) -> None:
    result = RUNNER.invoke(cli.app, ["train", "--output", str(folder), "--steps", "1"])
    assert result.exit_code == 0, result.output
    plain, taught = (load_model(folder / name) for name in ("translator-plain", "translator"))
    assert plain.tokenizer.vocabulary.pieces == taught.tokenizer.vocabulary.pieces
    assert "taught" not in load_about(folder / "translator-plain")
    history = load_history(folder / "translator")
    assert history is not None and [point.step for point in history.curve] == [1]
    for snapshot in history.snapshots:
        assert {"loss", "exact_en_zh", "exact_zh_en", "alignment"} <= set(snapshot.metrics)


def test_what_fails_apart_is_told(folder: Path) -> None:
    (Path("runs") / "translator").mkdir(parents=True)
    (Path("runs") / "translator" / "state.json").mkdir()  # cannot be written
    result = RUNNER.invoke(cli.app, ["train", "--output", str(folder), "--steps", "1"])
    assert isinstance(result.exception, GlassformerError)
    assert "translator:" in str(result.exception)


def test_another_name(folder: Path) -> None:
    result = RUNNER.invoke(cli.app, ["train", "--name", "elephant", "--output", str(folder)])
    assert isinstance(result.exception, GlassformerError)
    assert "elephant is not a bundled model" in str(result.exception)


def test_a_run_is_not_published_onto_itself(folder: Path) -> None:
    runs = Path("runs") / "translator"
    runs.mkdir(parents=True)
    (runs / "state.json").write_text("of an earlier run")
    result = RUNNER.invoke(cli.app, ["train", "--name", "translator", "--output", "runs"])
    assert isinstance(result.exception, GlassformerError)
    assert "choose another folder" in str(result.exception)
    assert (runs / "state.json").read_text() == "of an earlier run"


def test_translate() -> None:
    result = RUNNER.invoke(cli.app, ["translate", "I have a cat"])
    assert result.output.strip() == "我有一只猫"


def test_refusals_are_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["core", "translate", "?!"])
    with pytest.raises(SystemExit) as leaving:
        cli.main()
    assert leaving.value.code == 2
    assert "There is no word" in capsys.readouterr().err
