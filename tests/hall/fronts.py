"""Other processes that share a test's store, and what tests of it ask again and again."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from glassformer.app.hall import rooms
from glassformer.app.hall.rooms import Room
from glassformer.core.errors import GlassformerError
from tests.architecture.sources import ROOT
from tests.hall.halls import now


@contextmanager
def front(*command: str) -> Iterator[subprocess.Popen[str]]:
    """Another process with this store: tests/hall/front.py."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.hall.front", *command],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as process:  # fmt: skip
        try:
            yield process
        finally:
            process.kill()


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def go_on(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def refused(key: str, act: Callable[[], object]) -> None:
    with pytest.raises(GlassformerError) as raised:
        act()
    assert raised.value.key == key


def on(room: Room, scene: int) -> Room:
    rooms.move_to_scene(room, scene)
    return now(room)
