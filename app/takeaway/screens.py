"""Asks for screens, drawn by `draw.py` in a process of its own: one at a time, bounded in time."""

import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson

from glassformer.core.errors import GlassformerError
from glassformer.core.lectures.lecture import Link

ROOT = Path(__file__).parents[2]
START, EACH = 90, 20  # seconds that loading, and each screen in both themes, may take
PATIENCE = 120  # seconds that one waits for another's

_one = threading.Lock()


def draw_screens(links: Sequence[Link]) -> list[dict[str, Any]]:
    """What each link shows, as `draw.draw_screen` tells it.

    Raises `GlassformerError`: takeaway_busy where another one takes long, takeaway_late where this
    one does, takeaway_failed where the process could not do it.
    """
    if not _one.acquire(timeout=PATIENCE):
        raise GlassformerError("takeaway_busy")
    try:
        return _asked(links)
    finally:
        _one.release()


def _asked(links: Sequence[Link]) -> list[dict[str, Any]]:
    seconds = START + EACH * len(links)
    path = os.pathsep.join(filter(None, sys.path))  # what this process imports, that one can
    try:
        done = subprocess.run(
            [sys.executable, "-m", "glassformer.app.takeaway.draw"],
            input=orjson.dumps([[page, dict(query)] for page, query in links]),
            capture_output=True,
            timeout=seconds,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": path},
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise GlassformerError("takeaway_late", seconds=seconds) from None
    answers = done.stdout.splitlines()
    if done.returncode or len(answers) != len(links):
        said = done.stderr.decode(errors="replace").splitlines()
        last = next((line for line in reversed(said) if line.strip()), f"{done.returncode}")
        raise GlassformerError("takeaway_failed", problem=last[:200])
    return [orjson.loads(answer) for answer in answers]
