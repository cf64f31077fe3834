"""Runs that are over in a moment, and how to wait for them."""

import time
from collections.abc import Callable

from glassformer.core.training.queue.run import TrainingRun
from glassformer.core.training.queue.run_files import Plan, small_recipe
from glassformer.core.training.queue.training_queue import TrainingQueue

WAIT = 120  # seconds that a busy machine may take
PAIRS = tuple((f"word{i % 9} is {i}", f"{i} 是 词{i % 9}") for i in range(40))


def plan(steps: int = 8, **more: int) -> Plan:
    recipe = small_recipe(steps, **{"d_model": 16, "n_heads": 2, "d_ff": 32, **more})
    return Plan("mine-1", recipe, pairs=PAIRS)


def until(true: Callable[[], bool], desk: TrainingQueue) -> None:
    end = time.monotonic() + WAIT
    while not true():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)
        desk.tick()


def finished(run: TrainingRun) -> bool:
    return run.status in ("stopped", "done", "failed")
