"""A training run in a folder of its own: what it leaves behind on the way, and at the end.

config.json, vocabulary.json    from the start
snapshots/, history.json        while it runs: `load_model("folder@400")` works at once
state.json, state-….safetensors  where it goes on after an interruption
model.safetensors               at the end
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from core.checkpoints import (
    CALIBRATION,
    SNAPSHOTS,
    WEIGHTS,
    load_model,
    save_about,
    save_model,
    save_snapshot,
)
from core.corpus import Grammar
from core.history import (
    HISTORY,
    History,
    SnapshotMetrics,
    read_history,
    save_history,
    snapshot_steps,
)
from core.training.loop import Progress, Trainer
from core.training.quick import quick_metrics
from core.training.state import FACTS, load_state, save_state
from core.translator import Translator

DIGITS = 4  # of a metric in a file
PUBLISHED = ("config.json", "vocabulary.json", WEIGHTS, HISTORY)
MEASURED = (CALIBRATION, "metrics.json", "CARD.md", "FREE_TYPED.md", "FREE_TYPED_SEALED.md")


def can_resume(folder: Path) -> bool:
    """Whether a run waits in this folder."""
    return (folder / FACTS).is_file()


def run_in(
    folder: Path,
    trainer: Trainer,
    report: Callable[[Progress], None],
    save_every: int,
    resume: bool = False,
) -> None:
    """Trains to the end of the recipe.

    Args:
        folder: of this run; what an earlier run left there is replaced, unless `resume`.
        trainer: a new one, of the stored recipe where `resume`.
        report: called after every step, when the step's snapshot and state are on disk.
        save_every: steps between two saved states.
        resume: go on from the state in the folder.

    Raises:
        GlassformerError: `training` where there is no state to go on from.
    """
    if resume:
        load_state(trainer, folder)
    else:
        forget(folder)
    _write_about(folder, trainer)
    kept = set(snapshot_steps(trainer.recipe.steps)[:-1])

    def keep(progress: Progress) -> None:
        _keep(folder, trainer, kept)
        if progress.step % save_every == 0 or progress.step == progress.steps:
            save_state(trainer, folder)
        report(progress)

    _keep(folder, trainer, kept)
    trainer.train(keep)
    _finish(folder, trainer)


def forget(folder: Path) -> None:
    """Removes what an earlier run wrote, and nothing else."""
    for name in (FACTS, *PUBLISHED):  # without its facts there is no state any more
        (folder / name).unlink(missing_ok=True)
    for path in folder.glob("state[-.]*"):
        path.unlink()
    shutil.rmtree(folder / SNAPSHOTS, ignore_errors=True)


def measure_snapshots(
    folder: Path, measure: Callable[[Translator], dict[str, float]], done: Callable[[], None]
) -> None:
    """Measures the model at each of its snapshots and writes the figures to history.json."""
    history = read_history(folder) or History()
    measured = []
    for step in history.steps:
        metrics = measure(load_model(f"{folder}@{step}"))
        rounded = {name: round(value, DIGITS) for name, value in metrics.items()}
        measured.append(SnapshotMetrics(step, rounded))
        save_history(
            folder, History(history.curve, (*measured, *history.snapshots[len(measured) :]))
        )
        done()


def measured_by(grammar: Grammar) -> Callable[[Translator], dict[str, float]]:
    """The figures of a snapshot on a grammar's held-out sentences."""
    return lambda translator: quick_metrics(translator, grammar)


def publish(run: Path, output: Path) -> None:
    """Copies a finished run's model, snapshots and history to where models are found.

    What was measured on the model that was there goes with it.
    """
    output.mkdir(parents=True, exist_ok=True)
    for name in MEASURED:
        (output / name).unlink(missing_ok=True)
    shutil.rmtree(output / SNAPSHOTS, ignore_errors=True)
    shutil.copytree(run / SNAPSHOTS, output / SNAPSHOTS)
    for name in PUBLISHED:
        shutil.copyfile(run / name, output / name)


def _keep(folder: Path, trainer: Trainer, kept: set[int]) -> None:
    if trainer.step in kept:
        save_snapshot(folder, trainer.model, trainer.step)
        _write_history(folder, trainer, kept)


def _finish(folder: Path, trainer: Trainer) -> None:
    extra = _extra(trainer)
    save_model(folder, trainer.model, trainer.tokenizer, extra)
    _write_history(folder, trainer, {*snapshot_steps(trainer.recipe.steps)})


def _write_about(folder: Path, trainer: Trainer) -> None:
    save_about(folder, trainer.model.config, trainer.tokenizer, _extra(trainer))


def _extra(trainer: Trainer) -> dict[str, object]:
    training = {**trainer.recipe.to_dict(), "steps_done": trainer.step}
    taught = trainer.recipe.taught()
    return {"training": training, **({"taught": taught} if taught else {})}


def _write_history(folder: Path, trainer: Trainer, kept: set[int]) -> None:
    steps = sorted(step for step in kept if step <= trainer.step)
    snapshots = tuple(SnapshotMetrics(step) for step in steps)
    save_history(folder, History(tuple(trainer.curve.points), snapshots))
