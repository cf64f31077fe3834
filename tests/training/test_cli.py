"""The command line: train, go on, translate, refuse."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from core import cli
from core.training import loop
from core.training.data import corpus_tokenizer

RUNNER = CliRunner()


def test_train_and_resume(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "corpus_tokenizer", lambda grammar: corpus_tokenizer(grammar, 3000))
    monkeypatch.chdir(tmp_path)
    output = str(tmp_path / "model")
    arguments = ["train", "--output", output, "--save-every", "1"]
    first = RUNNER.invoke(cli.app, [*arguments, "--steps", "1"])
    assert first.exit_code == 0, first.output
    second = RUNNER.invoke(cli.app, [*arguments, "--steps", "2", "--resume"])
    assert second.exit_code == 0, second.output
    assert '"steps_done": 2' in (tmp_path / "model" / "config.json").read_text()
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == [
        "config.json",
        "model.safetensors",
        "vocabulary.json",
    ]


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
