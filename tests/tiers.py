"""Which tests of the browser `make test` does, and which it leaves to the next commits.

The kind of a test is the first word of its file's name: test_lab.py and test_lab_tiles.py are of
the kind "lab". Of each kind each commit does another sixth, and at least one test; six commits
one after the other do them all. Of the tests that are marked `visit`, which have a theme and a
screen, each commit does one a screen: half of the screens in the light, half in the dark, and the
next commit the other way round. Whatever needs no browser is done each time.
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
    alike: dict[tuple[str, str], list[str]] = {}
    for test in sorted(tests):
        if kind := kind_of(test):
            screen = test.partition("-")[2] if test in visits else ""
            alike.setdefault((kind, screen), []).append(test)
    return {
        test
        for start, same in enumerate(alike.values())
        for number, test in enumerate(same, start)
        if (number - sixth) % min(SIXTHS, len(same))
    }


def slowest_first(tests: Iterable[str], seconds: Mapping[str, float]) -> list[str]:
    """The tests in the order of what their files took: no process has a long one at the end.

    A file that is not in the table is taken for a quick one; tests of one file stay together.
    """
    return sorted(
        tests, key=lambda test: -seconds.get(test.partition("::")[0].removeprefix("tests/"), 0)
    )
