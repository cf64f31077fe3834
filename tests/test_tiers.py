"""`make test` leaves out no kind of test, and what it leaves out is done by the next commits."""

from pathlib import Path

from tests.tiers import BROWSER, kind_of, left_out, slowest_first

VISIT = "tests/browser/test_everybody.py::test_axe[lab]"
TESTS = [
    "tests/app/test_lab.py::test_one",
    "tests/app/test_lab.py::test_two",
    *(f"tests/browser/test_lab.py::test_sizes[{size}]" for size in range(4)),
    "tests/browser/test_lab_tiles.py::test_tiles",
    "tests/browser/test_lecture.py::test_it_is_given",
    "tests/browser/test_guide.py::test_keys",
    "tests/browser/test_guide.py::test_words",
    VISIT,
]


def done(sixth: int) -> set[str]:
    return set(TESTS) - left_out(TESTS, {VISIT}, sixth)


def test_six_commits_do_them_all() -> None:
    assert set[str]().union(*map(done, range(1, 7))) == set(TESTS)


def test_every_sixth_has_every_kind_every_visit_and_all_without_a_browser() -> None:
    for sixth in range(1, 7):
        assert {kind_of(test) for test in done(sixth)} == {kind_of(test) for test in TESTS}
        assert {VISIT, *TESTS[:2]} <= done(sixth)


def test_each_sixth_is_about_a_sixth_of_a_kind() -> None:
    for sixth in range(1, 7):
        assert sum(kind_of(test) == "lab" for test in done(sixth)) in (1, 2)
    assert done(1) != done(2) != done(3)


def test_the_browser_has_kinds() -> None:
    files = Path(__file__).with_name("browser").glob("test_*.py")
    kinds = {kind_of(f"{BROWSER}{file.name}::test") for file in files}
    assert len(kinds) > 15 and "" not in kinds


def test_the_slowest_file_comes_first_and_stays_together() -> None:
    seconds = {"browser/test_guide.py": 40.0, "app/test_lab.py": 50.0}
    assert slowest_first(TESTS, seconds) == [*TESTS[:2], *TESTS[8:10], *TESTS[2:8], TESTS[10]]
