"""Training the bundled models: side by side on the cores of a CPU, one by one on a GPU."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import Empty
from typing import Any, Literal

import torch

from core.corpus import load_grammar
from core.device import choose_device
from core.errors import GlassformerError
from core.history import snapshot_steps
from core.memory import keep_freed_memory
from core.text.tokenizer import Tokenizer
from core.training.loop import Progress, Trainer
from core.training.recipe import BUNDLED, Recipe
from core.training.run import can_resume, measure_snapshots, measured_by, publish, run_in
from core.training.state import stored_recipe


@dataclass(frozen=True)
class Job:
    """One model to train."""

    name: str
    recipe: Recipe
    run: Path  # the run's own folder
    output: Path  # gets the finished model
    save_every: int
    resume: bool


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

    Raises `GlassformerError("training", …)` for a name that is not bundled, and for an output
    that is the run's own folder: publishing would take the run's snapshots away.
    """
    if name not in BUNDLED:
        problem = f"{name} is not a bundled model; choose {' or '.join(BUNDLED)}"
        raise GlassformerError("training", problem=problem)
    recipe, run = Recipe(steps=steps, seed=seed, **BUNDLED[name]), runs / name
    if (output / name).resolve() == run.resolve():
        problem = f"{output} holds the run itself; choose another folder for the finished model"
        raise GlassformerError("training", problem=problem)
    resume = resume and can_resume(run)
    if resume:
        recipe = recipe.resumed(stored_recipe(run))
    return Job(name, recipe, run, output / name, save_every, resume)


def train_bundle(jobs: Sequence[Job], tokenizer: Tokenizer, tell: Tell) -> None:
    """Does all jobs; `tell` hears how far they are.

    Raises `GlassformerError("training", …)` where a job failed in its own process.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    if len(jobs) < 2 or (cores or 1) < len(jobs) or choose_device().type != "cpu":
        for job in jobs:
            work(job, tokenizer, tell)
    else:
        _side_by_side(jobs, tokenizer, tell)


def work(job: Job, tokenizer: Tokenizer, tell: Tell) -> None:
    """Trains, measures the snapshots, and puts the model where it is found."""
    keep_freed_memory()
    torch.set_num_threads(1)  # more threads are slower with matrices of this size
    grammar = load_grammar()
    trainer = Trainer.of_grammar(job.recipe, grammar, tokenizer)

    def report(progress: Progress) -> None:
        tell(News(job.name, "training", progress.step, progress.steps, progress.loss))

    run_in(job.run, trainer, report, job.save_every, job.resume)
    loss = trainer.curve.points[-1].loss
    total, measured = len(snapshot_steps(job.recipe.steps)), 0

    def count() -> None:
        nonlocal measured
        measured += 1
        tell(News(job.name, "measuring", measured, total, loss))

    measure_snapshots(job.run, measured_by(grammar), count)
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
        work(job, tokenizer, tell)
    except KeyboardInterrupt:  # the process that started this one says so
        return
    except Exception as error:  # told by the process that started this one
        reason = error.values.get("problem") if isinstance(error, GlassformerError) else None
        problem = str(reason or f"{type(error).__name__}: {error}")
        news.put(News(job.name, "failed", 0, 0, problem=problem))
