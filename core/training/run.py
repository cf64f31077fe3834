"""The bundled models' trainings: each in a folder of its own, side by side on the cores of a CPU.

config.json, vocabulary.json    from the start
snapshots/, history.json        while it runs: `load_model("folder@400")` works at once
state.json, state-….safetensors  where it goes on after an interruption
model.safetensors               at the end
"""

import multiprocessing
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import Empty
from typing import Any, Literal

import torch

from glassformer.core.corpus import load_grammar
from glassformer.core.errors import GlassformerError
from glassformer.core.model.device import choose_device
from glassformer.core.settings import keep_freed_memory
from glassformer.core.text.tokenizer import Tokenizer
from glassformer.core.text_models.checkpoints import (
    CALIBRATION,
    SNAPSHOTS,
    WEIGHTS,
    load_model,
    save_about,
    save_model,
    save_snapshot,
)
from glassformer.core.text_models.history import (
    HISTORY,
    History,
    SnapshotMetrics,
    read_history,
    save_history,
    snapshot_steps,
)
from glassformer.core.text_models.translator import Translator
from glassformer.core.training.evaluate import QUICK_PAIRS, QUICK_READINGS, quick_metrics
from glassformer.core.training.loop import (
    FACTS,
    Progress,
    Trainer,
    load_state,
    save_state,
    stored_recipe,
)
from glassformer.core.training.training_config import BUNDLED, TrainingConfig

DIGITS = 4  # of a metric in a file
PUBLISHED = ("config.json", "vocabulary.json", WEIGHTS, HISTORY)
MEASURED = (CALIBRATION, "metrics.json", "CARD.md", "FREE_TYPED.md", "FREE_TYPED_SEALED.md")


def can_resume(folder: Path) -> bool:
    """Whether a run waits in this folder.

    Args:
        folder: the run's own.

    Returns:
        True where it has a state.json.
    """
    return (folder / FACTS).is_file()


def run_in(
    folder: Path,
    trainer: Trainer,
    report: Callable[[Progress], None],
    save_every: int,
    resume: bool = False,
) -> None:
    """Trains a new trainer to the end of its recipe.

    What an earlier run left in the folder is replaced, unless this shall `resume` it, with the
    stored recipe.

    Args:
        folder: the run's own.
        trainer: a new one.
        report: called after every step, when its snapshot and state are on disk.
        save_every: steps between saved states.
        resume: goes on from the state in the folder.

    Raises:
        GlassformerError: `training`, where there is no state to go on from.
    """
    if resume:
        load_state(trainer, folder)
    else:
        remove_old_run(folder)
    save_about(folder, trainer.model.config, trainer.tokenizer, trainer.about)
    kept = set(snapshot_steps(trainer.recipe.steps)[:-1])

    def keep(progress: Progress) -> None:
        _keep(folder, trainer, kept)
        if progress.step % save_every == 0 or progress.step == progress.steps:
            save_state(trainer, folder)
        report(progress)

    _keep(folder, trainer, kept)
    trainer.train(keep)
    save_model(folder, trainer.model, trainer.tokenizer, trainer.about)
    _write_history(folder, trainer, {*snapshot_steps(trainer.recipe.steps)})


def remove_old_run(folder: Path) -> None:
    """Removes what an earlier run wrote, and nothing else.

    Args:
        folder: the run's own; it need not be there.
    """
    for name in (FACTS, *PUBLISHED):  # without its facts there is no state any more
        (folder / name).unlink(missing_ok=True)
    for path in folder.glob("state[-.]*"):
        path.unlink()
    shutil.rmtree(folder / SNAPSHOTS, ignore_errors=True)


def measure_snapshots(
    folder: Path, measure: Callable[[Translator], dict[str, float]]
) -> Iterator[int]:
    """Measures each snapshot of a model into history.json.

    Args:
        folder: the model's, with its snapshots.
        measure: gives the figures of a translator by name.

    Yields:
        How many are measured.

    Raises:
        GlassformerError: a history or a snapshot is damaged or missing.
    """
    history = read_history(folder) or History()
    measured = []
    for step in history.steps:
        metrics = measure(load_model(f"{folder}@{step}"))
        rounded = {name: round(value, DIGITS) for name, value in metrics.items()}
        measured.append(SnapshotMetrics(step, rounded))
        save_history(
            folder, History(history.curve, (*measured, *history.snapshots[len(measured) :]))
        )
        yield len(measured)


def publish(run: Path, output: Path) -> None:
    """Replaces a model, and what was measured of it, by that of a finished run.

    Args:
        run: the folder of the run.
        output: the model's folder; it is made if need be.

    Raises:
        OSError: the run lacks one of the files of a finished model.
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


def _write_history(folder: Path, trainer: Trainer, kept: set[int]) -> None:
    steps = sorted(step for step in kept if step <= trainer.step)
    snapshots = tuple(SnapshotMetrics(step) for step in steps)
    save_history(folder, History(tuple(trainer.curve.points), snapshots))


@dataclass(frozen=True)
class Job:
    """One model to train."""

    name: str
    recipe: TrainingConfig
    run: Path  # the run's own folder
    output: Path  # gets the finished model
    save_every: int
    resume: bool
    pairs: int = QUICK_PAIRS  # on which each snapshot is measured,
    readings: int = QUICK_READINGS  # and on how many with a pronoun


@dataclass(frozen=True)
class News:
    """What a job tells while it works; "failed" carries what was wrong, of `total` 0."""

    name: str
    doing: Literal["training", "measuring", "done", "failed"]
    done: int
    total: int
    loss: float = 0.0
    problem: str = ""


Tell = Callable[[News], None]


def bundled_job(
    name: str, steps: int, seed: int, runs: Path, output: Path, save_every: int, resume: bool
) -> Job:
    """The job of one bundled model; resumed, its recipe is the stored one with other `steps`.

    Args:
        name: a key of `BUNDLED`.
        steps: of the whole run.
        seed: of a new run.
        runs: the folder that holds the runs' own folders.
        output: the folder that gets the folder of the finished model.
        save_every: steps between saved states.
        resume: goes on from a stored state where there is one, else begins anew.

    Returns:
        The job.

    Raises:
        GlassformerError: `training`, for a name that is not bundled, for an output that is the
        run's
            own folder (publishing would take the run's snapshots away), and for a state that
                cannot
            be read.
    """
    if name not in BUNDLED:
        problem = f"{name} is not a bundled model; choose {' or '.join(BUNDLED)}"
        raise GlassformerError("training", problem=problem)
    recipe, run = TrainingConfig(steps=steps, seed=seed, **BUNDLED[name]), runs / name
    if (output / name).resolve() == run.resolve():
        problem = f"{output} holds the run itself; choose another folder for the finished model"
        raise GlassformerError("training", problem=problem)
    resume = resume and can_resume(run)
    if resume:
        recipe = recipe.resumed(stored_recipe(run))
    return Job(name, recipe, run, output / name, save_every, resume)


def train_bundle(jobs: Sequence[Job], tokenizer: Tokenizer, tell: Tell) -> None:
    """Does all jobs: side by side on a CPU with cores enough, else one after the other.

    Args:
        jobs: the models to train.
        tokenizer: of all of them.
        tell: hears how far they are.

    Raises:
        GlassformerError: `training`, where one of those side by side failed; one after the
        other, an
            error is raised as it comes.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    if len(jobs) < 2 or (cores or 1) < len(jobs) or choose_device().type != "cpu":
        for job in jobs:
            train_model(job, tokenizer, tell)
    else:
        _side_by_side(jobs, tokenizer, tell)


def train_model(job: Job, tokenizer: Tokenizer, tell: Tell) -> None:
    """Trains, measures the snapshots, and puts the model where it is found.

    Args:
        job: the model to train.
        tokenizer: of the model.
        tell: hears how far it is.

    Raises:
        GlassformerError: `training`, where the job resumes and its state cannot be used.
    """
    keep_freed_memory()
    torch.set_num_threads(1)  # more threads are slower with matrices of this size
    grammar = load_grammar()
    trainer = Trainer.of_grammar(job.recipe, grammar, tokenizer)

    def report(progress: Progress) -> None:
        tell(News(job.name, "training", progress.step, progress.steps, progress.loss))

    run_in(job.run, trainer, report, job.save_every, job.resume)
    loss = trainer.curve.points[-1].loss
    total = len(snapshot_steps(job.recipe.steps))

    def measure(model: Translator) -> dict[str, float]:
        return quick_metrics(model, grammar, job.pairs, job.readings)

    for measured in measure_snapshots(job.run, measure):
        tell(News(job.name, "measuring", measured, total, loss))
    publish(job.run, job.output)
    tell(News(job.name, "done", total, total, loss))


def _side_by_side(jobs: Sequence[Job], tokenizer: Tokenizer, tell: Tell) -> None:
    """Each job in a process of its own; they end with this one."""
    context = multiprocessing.get_context("spawn")
    news = context.Queue()
    workers = [
        context.Process(target=_work_apart, args=(job, tokenizer, news), daemon=True)
        for job in jobs
    ]
    for worker in workers:
        worker.start()
    try:
        _listen(news, workers, len(jobs), tell)
    finally:
        for worker in workers:
            worker.terminate()  # nothing is left to do for one that has ended by itself
            worker.join()


def _listen(news: Any, workers: Sequence[Any], waiting: int, tell: Tell) -> None:
    while waiting:
        try:
            heard: News = news.get(timeout=5)
        except Empty:
            if not any(worker.is_alive() for worker in workers):
                raise GlassformerError("training", problem="its processes were ended") from None
            continue
        if heard.doing == "failed":
            raise GlassformerError("training", problem=f"{heard.name}: {heard.problem}")
        tell(heard)
        waiting -= heard.doing == "done"


def _work_apart(job: Job, tokenizer: Tokenizer, news: Any) -> None:
    parent = multiprocessing.parent_process()

    def tell(heard: News) -> None:
        if parent is not None and not parent.is_alive():
            raise SystemExit(1)  # nobody waits for this run; its last saved state stays
        news.put(heard)

    try:
        train_model(job, tokenizer, tell)
    except KeyboardInterrupt:  # the process that started this one says so
        return
    except Exception as error:  # told by the process that started this one
        reason = error.values.get("problem") if isinstance(error, GlassformerError) else None
        problem = str(reason or f"{type(error).__name__}: {error}")
        news.put(News(job.name, "failed", 0, 0, problem=problem))
