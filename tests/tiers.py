"""Which tests of the browser `make test` does, and which it leaves to the next commits.

The kind of a test is the first word of its file's name: test_lab.py and test_lab_tiles.py are of
the kind "lab". Of each kind each commit does another sixth, and at least one test; six commits
one after the other do them all. A test that is marked `visit` is done each time, and so is whatever
needs no browser.
"""

from collections.abc import Iterable, Mapping
from pathlib import PurePath

BROWSER = "tests/browser/"
SIXTHS = 6


def kind_of(test: str) -> str:
    """Of a test by its id, "" where it needs no browser."""
    path = test.partition("::")[0]
    return PurePath(path).stem.split("_")[1] if path.startswith(BROWSER) else ""


def left_out(tests: Iterable[str], visits: set[str], sixth: int) -> set[str]:
    """Those of the tests, by id, that this sixth, 1 to 6, does not do."""
    kinds: dict[str, list[str]] = {}
    for test in sorted(tests):
        if (kind := kind_of(test)) and test not in visits:
            kinds.setdefault(kind, []).append(test)
    return {
        test
        for same in kinds.values()
        for number, test in enumerate(same)
        if number % min(SIXTHS, len(same)) != sixth % min(SIXTHS, len(same))
    }


def slowest_first(tests: Iterable[str], seconds: Mapping[str, float]) -> list[str]:
    """The tests in the order of what their files took: no process has a long one at the end.

    A file that is not in the table is taken for a quick one; tests of one file stay together.
    """
    return sorted(
        tests, key=lambda test: -seconds.get(test.partition("::")[0].removeprefix("tests/"), 0)
    )
