"""Fixtures of the hall: each test has a store of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from glassformer.app.hall import keys, store
from glassformer.app.hall.rooms import Room
from tests.hall import halls


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """The folder of the rooms."""
    monkeypatch.setenv("GLASSFORMER_HALL_FOLDER", str(tmp_path))
    monkeypatch.delenv("GLASSFORMER_HALL", raising=False)
    keys.CODES.clear()
    yield tmp_path
    halls.wait_for_runs()
    store.open_store().close()
    store._store.cache_clear()


@pytest.fixture
def room() -> Room:
    return halls.open_room()


@pytest.fixture
def url() -> Iterator[str]:
    with halls.served() as found:
        yield found
