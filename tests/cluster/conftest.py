"""What was measured on several fronts, as a table at the end; the fronts that the tests share."""

from collections.abc import Iterator
from typing import Any

import pytest

from glassformer.app.stores.store import close_stores
from tests.cluster import clusters
from tests.cluster.clusters import Fronts
from tests.hall.postgres import postgres

MEASURED: list[tuple[str, str, str]] = []


def pytest_terminal_summary(terminalreporter: Any) -> None:
    for line in MEASURED:
        terminalreporter.write_line("| " + " | ".join(line) + " |")


@pytest.fixture(scope="session")
def measured() -> list[tuple[str, str, str]]:
    """Lines of the table: what, measured, wanted."""
    if not MEASURED:
        MEASURED.extend([("what", "measured", "wanted"), ("---", "---", "---")])
    return MEASURED


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a Postgres, in the environment of this process, too."""
    with postgres() as database, pytest.MonkeyPatch.context() as patch:
        patch.setenv("GLASSFORMER_STORE", database.address)
        yield database.address
        close_stores()


@pytest.fixture(scope="module")
def two(store: str) -> Iterator[Fronts]:
    with clusters.fronts(2, GLASSFORMER_STORE=store) as found:
        yield found


@pytest.fixture(scope="module")
def url(two: Fronts) -> Iterator[str]:
    with clusters.balanced(two) as found:
        yield found
