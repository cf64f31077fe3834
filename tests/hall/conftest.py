"""Fixtures of the hall: each test has a store of its own, or one of each kind."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from glassformer.app.hall import keys
from glassformer.app.hall.rooms import Room
from glassformer.app.stores import store
from tests.hall import halls
from tests.hall.postgres import Postgres, postgres

KINDS = ("sqlite", "postgres")
BOTH = (
    "test_rooms",
    "test_proposals",
    "test_questions",
    "test_learning",
    "test_server",
    "test_stores",
)
ALONE = {"folder", "narrow", "database"}  # who asks for these has chosen


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """What rooms and votes do, they do on both stores alike."""
    named = metafunc.module.__name__.rpartition(".")[2]
    if named in BOTH and not ALONE & set(metafunc.definition._fixtureinfo.argnames):
        metafunc.parametrize("kind", KINDS, indirect=True)


@pytest.fixture(scope="session")
def running() -> Iterator[Postgres]:
    """A Postgres for all tests of this process."""
    with postgres() as found:
        yield found


@pytest.fixture(autouse=True)
def kind(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[str]:
    """Which store it is; an empty one."""
    named = str(getattr(request, "param", KINDS[0]))
    if named == "postgres":
        found = request.getfixturevalue("running")
        found.empty()
        monkeypatch.setenv("GLASSFORMER_STORE", found.address)
    else:
        monkeypatch.delenv("GLASSFORMER_STORE", raising=False)
    monkeypatch.setenv("GLASSFORMER_HALL_FOLDER", str(tmp_path))
    monkeypatch.delenv("GLASSFORMER_HALL", raising=False)
    keys.CODES.clear()
    yield named
    halls.wait_for_runs()
    store.close_stores()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of the rooms, where they are files."""
    return tmp_path


@pytest.fixture
def room() -> Room:
    return halls.open_room()


@pytest.fixture
def url() -> Iterator[str]:
    with halls.served() as found:
        yield found
