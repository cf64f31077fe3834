"""Fixtures of the training tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from glassformer.core.training.queue.training_queue import TrainingQueue


@pytest.fixture(autouse=True)
def _no_starving(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSFORMER_NICE", "0")  # nice ones wait long on a busy machine


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[TrainingQueue]:
    """A desk with one place, whose folder is empty at the end."""
    opened = TrainingQueue(lambda _: True, slots=1, root=tmp_path)
    yield opened
    opened.close()
    assert not list(tmp_path.iterdir())
