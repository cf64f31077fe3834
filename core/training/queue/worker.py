"""One's own training as a process: `python -m glassformer.core.training.queue.worker FOLDER`.

The folder holds plan.json. The process adds to log.jsonl and keeps

    at/000120/   the model of a step, complete and never changed: load_model can read it
    state/       where the run goes on after a stop
    model/       the result with history and snapshots, once the run has ended or was stopped

It reads its standard input: a line "stop" stops it after the step it is in; the end of the
input says that the process that started it is gone, and it removes the folder and goes too.
"""

import errno
import json
import math
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError

from glassformer.core.corpus import load_grammar
from glassformer.core.errors import GlassformerError
from glassformer.core.settings import read_settings
from glassformer.core.text_models.checkpoints import (
    SNAPSHOTS,
    WEIGHTS,
    load_model,
    save_model,
    snapshot_file,
)
from glassformer.core.text_models.history import (
    HISTORY,
    History,
    SnapshotMetrics,
    read_history,
    save_history,
)
from glassformer.core.training.evaluate import metrics_on
from glassformer.core.training.loop import FACTS, Progress, Trainer, load_state, save_state
from glassformer.core.training.queue.lessons import Lessons, grammar_lessons, own_lessons
from glassformer.core.training.queue.run_files import LOG, Plan

AT, STATE, MODEL = "at", "state", "model"
FAILURES = (
    FloatingPointError, MemoryError, RuntimeError, GlassformerError, OSError, SafetensorError,
)  # fmt: skip
LONGEST = 6 * 3600.0  # seconds; a forgotten run stops, and can go on
FULL = 28  # the code that a process ends with when not even its log could be written
BEAT = 0.3  # seconds between two signs of life
POINTS = 100  # of the live curve


class StoppedError(Exception):
    """The run was asked to stop; the step it was in is done."""


class Worker:
    """One run in its folder."""

    def __init__(self, folder: Path, should_stop: Callable[[], bool]) -> None:
        self.folder, self.should_stop = folder, should_stop
        self.log = (folder / LOG).open("a", encoding="utf-8", buffering=1)
        self.plan = Plan.load(folder)
        self.trainer: Trainer | None = None
        self.snapshots: list[SnapshotMetrics] = []
        self.saving, self.saves = 0.0, 0
        self.code = 0  # what the process ends with
        self._losses: list[float] = []

    def run(self) -> None:
        """Trains to the end, or until it is stopped; the log says how it ended, or `code` does."""
        try:
            try:
                self._train(self._prepare())
            except StoppedError:
                self._finish("stopped")
            else:
                self._finish("done")
        except FAILURES as error:
            self._end("failed", failure(error))
        finally:
            with suppress(OSError):
                self.log.close()

    def _tell(self, what: str, **values: Any) -> None:
        """Adds a line to the log; it is on disk when the call returns."""
        self.log.write(json.dumps({"what": what, **values}) + "\n")

    def _prepare(self) -> Trainer:
        self._tell("phase", phase="words")
        self.lessons = self._lessons()
        if self.should_stop():
            raise StoppedError
        trainer = Trainer(self.plan.recipe, self.lessons.stream, self.lessons.tokenizer)
        parameters = sum(p.numel() for p in trainer.model.parameters())
        self._tell(
            "facts",
            vocabulary=len(self.lessons.tokenizer.vocabulary),
            parameters=parameters,
            pairs=self.lessons.pairs or 0,
            held_out=len(self.lessons.held_out),
        )
        if (self.folder / STATE / FACTS).is_file():
            load_state(trainer, self.folder / STATE)
            stored = read_history(self.folder / STATE)
            self.snapshots = list(stored.snapshots) if stored else []
            self._tell("resumed", step=trainer.step)
        else:
            self._keep(trainer)
        self.trainer = trainer
        return trainer

    def _lessons(self) -> Lessons:
        if self.plan.pairs:
            return own_lessons(self.plan.pairs, self.plan.recipe.seed)
        return grammar_lessons(load_grammar(), self.plan.families, self.plan.sample)

    def _train(self, trainer: Trainer) -> None:
        self._tell("phase", phase="training")
        self._start = self._beaten = time.monotonic()
        self.saving, self.saves = 0.0, 0
        if trainer.step < self.plan.recipe.steps:
            trainer.train(lambda progress: self._report(trainer, progress))

    def _report(self, trainer: Trainer, progress: Progress) -> None:
        """After every step: tell how far it is, keep the model of some steps, stop if asked."""
        if not math.isfinite(progress.loss):
            raise FloatingPointError
        self._losses.append(progress.loss)
        if progress.step % max(1, progress.steps // POINTS) == 0:
            loss = sum(self._losses) / len(self._losses)
            self._tell("point", step=progress.step, loss=round(loss, 5), rate=progress.rate)
            self._losses.clear()
        if progress.step in self.plan.saved_steps:
            self._beat(progress)
            self._keep(trainer)
        elif time.monotonic() - self._beaten >= BEAT:
            self._beat(progress)
        late = time.monotonic() - self._start > LONGEST
        if progress.step < progress.steps and (late or self.should_stop()):
            raise StoppedError

    def _beat(self, progress: Progress) -> None:
        self._beaten = time.monotonic()
        self._tell(
            "beat",
            step=progress.step,
            loss=round(progress.loss, 5),
            rate=progress.rate,
            training=round(self._beaten - self._start - self.saving, 3),
            saving=round(self.saving, 3),
            saves=self.saves,
        )

    def _keep(self, trainer: Trainer) -> None:
        """Writes and measures the model as it is now, and the state to go on from."""
        began, step = time.monotonic(), trainer.step
        place = self.folder / AT / f"{step:06d}"
        unfinished = place.with_suffix(".new")
        save_model(unfinished, trainer.model, trainer.tokenizer, trainer.about)
        if place.exists():  # a run that was killed after this step, and goes on before it
            shutil.rmtree(place)
        unfinished.rename(place)
        metrics = metrics_on(load_model(place), self.lessons.held_out)
        found = SnapshotMetrics(step, {name: round(v, 5) for name, v in metrics.items()})
        self.snapshots = [s for s in self.snapshots if s.step != step] + [found]
        save_state(trainer, self.folder / STATE)
        history = History(tuple(trainer.curve.points), tuple(self.snapshots))
        save_history(self.folder / STATE, history)
        self._tell("saved", step=step, metrics=dict(found.metrics))
        self.saving, self.saves = self.saving + time.monotonic() - began, self.saves + 1

    def _finish(self, how: str) -> None:
        if self.trainer is not None:
            if self.snapshots[-1].step != self.trainer.step:
                self._keep(self.trainer)
            self._bind(self.trainer.step)
        self._end(how)

    def _bind(self, step: int) -> None:
        """Makes model/ of the last step, its history, and the weights of the steps before."""
        target, unfinished = self.folder / MODEL, self.folder / f"{MODEL}.new"
        shutil.rmtree(unfinished, ignore_errors=True)
        shutil.copytree(self.folder / AT / f"{step:06d}", unfinished)
        shutil.copyfile(self.folder / STATE / HISTORY, unfinished / HISTORY)
        (unfinished / SNAPSHOTS).mkdir()
        for each in self.snapshots[:-1]:
            source = self.folder / AT / f"{each.step:06d}" / WEIGHTS
            shutil.copyfile(source, snapshot_file(unfinished, each.step))
        shutil.rmtree(target, ignore_errors=True)
        unfinished.rename(target)

    def _end(self, how: str, reason: str = "") -> None:
        step = self.trainer.step if self.trainer is not None else 0
        cpu = round(time.process_time(), 1)
        try:
            self._tell("end", how=how, step=step, reason=reason, cpu=cpu)
        except OSError:
            self.code = FULL


def failure(error: Exception) -> str:
    """Why a run failed.

    Args:
        error: what it raised.

    Returns:
        "diverged", "memory", "disk", or what the error says.
    """
    if isinstance(error, FloatingPointError):
        return "diverged"
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return "disk"
    said = str(error)
    if isinstance(error, SafetensorError) and ("os error 28" in said or "No space" in said):
        return "disk"
    # A RuntimeError is torch's own word for too little memory.
    short = isinstance(error, RuntimeError) and "memory" in said.lower()
    return "memory" if short or isinstance(error, MemoryError) else said


def _listen(folder: Path, stop: threading.Event) -> None:
    # Not through sys.stdin: a thread that waits in there would hold up the end of the process.
    while said := os.read(0, 64):
        if b"stop" in said:
            stop.set()
    # The input has ended: nobody will ever look at this run.
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


def main(folder: Path) -> int:
    """Runs the plan of a folder.

    Args:
        folder: of the run, with its plan.json.

    Returns:
        0, or `FULL` where the disk took no last word.

    Raises:
        GlassformerError: `training`, for a plan that cannot be read.
    """
    with suppress(OSError, AttributeError):  # there is no nice on Windows
        os.nice(read_settings().nice)  # the app and its visitors come first
    torch.set_num_threads(1)
    stop = threading.Event()
    threading.Thread(target=_listen, args=(folder, stop), daemon=True).start()
    work = Worker(folder, stop.is_set)
    work.run()
    return work.code


if __name__ == "__main__":
    code = main(Path(sys.argv[1]))
    sys.stdout.flush()
    os._exit(code)  # all is written; to take Python and torch apart would last over a second
