"""A training as a process: it tells how far it is, stops, goes on, and says why it failed."""

import json
import os
from pathlib import Path

import pytest
from safetensors.torch import load_file

from glassformer.core.errors import GlassformerError
from glassformer.core.text_models.checkpoints import (
    list_snapshots,
    load_about,
    load_history,
    load_model,
)
from glassformer.core.text_models.history import CurvePoint
from glassformer.core.training.queue.run import TrainingRun
from glassformer.core.training.queue.run_files import LOG, Plan, RunLog, small_recipe
from glassformer.core.training.queue.training_queue import TrainingQueue
from glassformer.core.training.queue.worker import Worker
from tests.training.queue.small_runs import finished, plan, until


@pytest.mark.slow
def test_a_run_tells_how_far_it_is_and_leaves_a_model(desk: TrainingQueue) -> None:
    workshop = desk.open("me")
    run = desk.begin(workshop, plan())
    assert run.status == "running" and run.model is None
    until(lambda: finished(run), desk)
    assert (run.status, run.log.step) == ("done", 8), (run.folder / "said.txt").read_text()
    assert [point.step for point in run.log.curve] == list(range(1, 9))
    assert tuple(each.step for each in run.log.saved) == run.plan.saved_steps
    assert run.log.facts["pairs"] == 35 and run.log.facts["held_out"] == 5
    assert set(run.log.saved[-1].metrics) == {"loss", "exact_en_zh", "exact_zh_en"}
    assert run.model is not None and not run.can_resume
    model = load_model(run.model)
    assert load_model(run.at(8)).translate("word1 is 3") == model.translate("word1 is 3")
    assert list_snapshots(run.model) == run.plan.saved_steps
    early = run.plan.saved_steps[1]
    assert load_model(f"{run.model}@{early}").name == f"model@{early}"
    history = load_history(run.model)
    assert history is not None and history.snapshots == tuple(run.log.saved)
    assert load_about(run.model)["training"]["steps_done"] == 8


@pytest.mark.slow
def test_stopped_and_resumed_it_is_the_same_run(desk: TrainingQueue) -> None:
    run = desk.begin(desk.open("me"), plan(100))
    until(lambda: run.log.step > 20, desk)
    desk.stop(run)
    assert run.status in ("stopping", "stopped")
    until(lambda: finished(run), desk)
    stopped_at = run.log.step
    assert run.status == "stopped" and 20 < stopped_at < 100
    assert run.log.saved[-1].step == stopped_at and run.model is not None
    desk.resume(run)
    until(lambda: run.is_active and run.log.step > stopped_at, desk)
    until(lambda: finished(run), desk)
    assert run.status == "done" and run.model is not None and run.log.curve[-1].step == 100
    whole = run.folder / "whole"
    whole.mkdir()
    run.plan.save(whole)
    Worker(whole, lambda: False).run()
    name = "state/state-000100.safetensors"
    weights, expected = (load_file(folder / name) for folder in (run.folder, whole))
    assert weights.keys() == expected.keys()
    assert all((weights[name] == expected[name]).all() for name in weights)
    straight, broken = load_history(whole / "model"), load_history(run.model)
    assert straight is not None and broken is not None and straight.curve == broken.curve


@pytest.mark.slow
def test_a_run_that_cannot_go_on_says_why(desk: TrainingQueue) -> None:
    foreign = Plan("mine", small_recipe(20), families=("nowhere",))
    run = desk.begin(desk.open("me"), foreign)
    diverging = TrainingRun(run.folder / "diverging", plan(200, rate=100_000_000))
    Worker(diverging.folder, lambda: False).run()
    diverging.log.read()
    assert (diverging.log.end, diverging.log.reason) == ("failed", "diverged")
    until(lambda: finished(run), desk)
    assert run.status == "failed" and "no family nowhere" in run.log.reason
    with pytest.raises(GlassformerError, match=r"plan\.json"):
        Plan.load(desk._root)


@pytest.mark.slow
def test_a_run_is_nice_and_when_killed_can_go_on(
    desk: TrainingQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLASSFORMER_NICE", "3")
    run = desk.begin(desk.open("me"), plan(5000))
    until(lambda: run.log.step > 60, desk)
    process = run._process
    assert process is not None
    status = Path(f"/proc/{process.pid}/stat")
    if status.exists():
        assert int(status.read_text().rpartition(")")[2].split()[16]) == os.nice(0) + 3
    process.kill()
    until(lambda: finished(run), desk)
    assert (run.status, run.log.reason) == ("failed", "") and run.can_resume


def test_the_log_is_read_line_by_line(tmp_path: Path) -> None:
    log = RunLog(tmp_path / LOG)
    log.read()
    assert log.step == 0 and log.loss is None and log.seconds_left(100, 2) is None
    shared = {"what": "beat", "loss": 1.0, "rate": 0.1}
    lines = [
        {"what": "point", "step": 2, "loss": 3.5, "rate": 0.1},
        {**shared, "step": 2, "training": 1.0, "saving": 0.0, "saves": 0},
        {**shared, "step": 12, "training": 3.0, "saving": 1.0, "saves": 2},
        {"what": "point", "step": 12, "loss": 2.5, "rate": 0.1},
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (tmp_path / LOG).write_text(text[:-10])
    log.read()
    assert log.loss == 3.5 and log.speed == pytest.approx(5)
    (tmp_path / LOG).write_text(text)
    log.read()
    assert log.loss == 2.5 and log.seconds_left(112, 4) == pytest.approx(20 + 2)
    (tmp_path / LOG).write_text(text + '{"what": "resumed", "step": 5}\n')
    log.read()
    assert log.curve == [CurvePoint(2, 3.5, 0.1)] and log.speed is None


def test_the_plan_comes_back_from_its_file(tmp_path: Path) -> None:
    given = plan()
    given.save(tmp_path)
    assert Plan.load(tmp_path) == given


def test_small_recipes_have_one_highest_rate() -> None:
    from glassformer.core.training.optimiser import learning_rate

    for recipe in (small_recipe(100, d_model=16), small_recipe(5000, d_model=128, rate=1.0)):
        peak = max(learning_rate(step, recipe) for step in range(1, recipe.steps + 1))
        assert peak == pytest.approx(0.00625)
