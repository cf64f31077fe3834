"""A run's folder: snapshots and history on the way, the same after an interruption."""

import json
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from glassformer.core.corpus import load_grammar
from glassformer.core.errors import GlassformerError
from glassformer.core.text.tokenizer import Tokenizer
from glassformer.core.text_models.checkpoints import (
    list_snapshots,
    load_history,
    load_model,
    snapshot_file,
)
from glassformer.core.text_models.history import CURVE_EVERY, snapshot_steps
from glassformer.core.training.loop import Progress, Trainer
from glassformer.core.training.run import can_resume, measure_snapshots, publish, run_in
from glassformer.core.training.training_config import TrainingConfig
from tests.training.tiny import TINY

SHORT = replace(TINY, steps=104, batch_size=4, dropout=0.0, logit_cap=1.0)  # so low that it acts


class StopError(Exception):
    """The run is interrupted."""


def trainer(tokenizer: Tokenizer) -> Trainer:
    return Trainer.of_grammar(SHORT, load_grammar(), tokenizer)


@pytest.fixture(scope="module")
def finished(tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("straight")
    run_in(folder, trainer(tokenizer), lambda _: None, save_every=40)
    return folder


def test_snapshots_and_curve(finished: Path) -> None:
    assert list_snapshots(finished) == (0, 50, 100, 104) == snapshot_steps(104)
    assert not snapshot_file(finished, 104).exists()  # the end is the model itself
    history = load_history(finished)
    assert history is not None
    assert [point.step for point in history.curve] == [CURVE_EVERY, 2 * CURVE_EVERY, 104]
    assert history.curve[0].loss > history.curve[1].loss
    end, last = load_model(finished), load_model(f"{finished}@104")
    start = load_model(f"{finished}@0")
    assert start.name.endswith("@0") and last.name.endswith("@104")
    pairs = zip(end.transformer.parameters(), last.transformer.parameters(), strict=True)
    assert all(torch.equal(one, other) for one, other in pairs)
    assert not torch.equal(end.transformer.generator.weight, start.transformer.generator.weight)


def test_an_interrupted_run_is_the_same_run(
    finished: Path, tokenizer: Tokenizer, tmp_path: Path
) -> None:
    def stop(progress: Progress) -> None:
        if progress.step == 91:  # after the state of step 80
            raise StopError

    assert not can_resume(tmp_path)
    with pytest.raises(StopError):
        run_in(tmp_path, trainer(tokenizer), stop, save_every=40)
    assert list_snapshots(tmp_path) == (0, 50)
    assert load_model(f"{tmp_path}@50").name.endswith("@50")  # while there is no model yet
    assert can_resume(tmp_path)
    run_in(tmp_path, trainer(tokenizer), lambda _: None, save_every=40, resume=True)
    for name in ("model.safetensors", "snapshots/step-000100.safetensors"):
        one, other = load_file(finished / name), load_file(tmp_path / name)
        assert one.keys() == other.keys()
        assert all(torch.equal(one[key], other[key]) for key in one)
    for name in ("history.json", "config.json"):
        assert (finished / name).read_text("utf-8") == (tmp_path / name).read_text("utf-8")


def test_a_killed_process_goes_on(finished: Path, tokenizer: Tokenizer, tmp_path: Path) -> None:
    program = (
        "import os, sys; from pathlib import Path; import torch; torch.set_num_threads(1);"
        "from tests.training.test_run import SHORT, trainer;"
        "from glassformer.core.training.run import run_in;"
        "from glassformer.core.text.tokenizer import Tokenizer; folder = Path(sys.argv[1]);"
        "die = lambda progress: progress.step == 93 and os.kill(os.getpid(), 9);"
        "run_in(folder, trainer(Tokenizer.load(folder.parent)), die, save_every=7)"
    )
    tokenizer.save(tmp_path)
    run = tmp_path / "run"
    ended = subprocess.run([sys.executable, "-c", program, str(run)], check=False)
    assert ended.returncode == -signal.SIGKILL and stored_step(run) == 91
    run_in(run, trainer(tokenizer), lambda _: None, save_every=40, resume=True)
    for name in ("model.safetensors", "snapshots/step-000100.safetensors", "history.json"):
        assert (finished / name).read_bytes() == (run / name).read_bytes()


def stored_step(folder: Path) -> int:
    return int(json.loads((folder / "state.json").read_text("utf-8"))["step"])


def test_a_new_run_forgets_the_old_one(tokenizer: Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "snapshots").mkdir()
    (tmp_path / "snapshots" / "step-000300.safetensors").write_bytes(b"old")
    (tmp_path / "notes.txt").write_text("mine")
    recipe = TrainingConfig(**{**SHORT.to_dict(), "steps": 2})
    run_in(
        tmp_path,
        Trainer.of_grammar(recipe, load_grammar(), tokenizer),
        lambda _: None,
        save_every=9,
    )
    assert [path.name for path in (tmp_path / "snapshots").iterdir()] == ["step-000000.safetensors"]
    assert (tmp_path / "notes.txt").exists()


def test_nothing_to_resume(tokenizer: Tokenizer, tmp_path: Path) -> None:
    with pytest.raises(GlassformerError, match="no run can be resumed"):
        run_in(tmp_path, trainer(tokenizer), lambda _: None, save_every=9, resume=True)


def test_measured_and_published(finished: Path, tmp_path: Path) -> None:
    figures = iter(range(9))
    measured = measure_snapshots(finished, lambda model: {"loss": next(figures) + 1 / 3})
    assert list(measured) == [1, 2, 3, 4]
    output = tmp_path / "model"
    (output / "snapshots").mkdir(parents=True)
    (output / "snapshots" / "step-000400.safetensors").write_bytes(b"old")
    (output / "confidence.json").write_text("of another model")
    publish(finished, output)
    assert not (output / "confidence.json").exists()
    history = load_history(output)
    assert history is not None
    assert [s.metrics["loss"] for s in history.snapshots] == [0.3333, 1.3333, 2.3333, 3.3333]
    assert len(list((output / "snapshots").iterdir())) == 3
    assert load_model(f"{output}@100").name == "model@100"
