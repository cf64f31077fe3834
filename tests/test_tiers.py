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


def done(third: int) -> set[str]:
    return set(TESTS) - left_out(TESTS, {VISIT}, third)


def test_three_commits_do_them_all() -> None:
    assert done(1) | done(2) | done(3) == set(TESTS)


def test_every_third_has_every_kind_every_visit_and_all_without_a_browser() -> None:
    for third in (1, 2, 3):
        assert {kind_of(test) for test in done(third)} == {kind_of(test) for test in TESTS}
        assert {VISIT, *TESTS[:2]} <= done(third)


def test_each_third_is_about_a_third_of_a_kind() -> None:
    for third in (1, 2, 3):
        assert sum(kind_of(test) == "lab" for test in done(third)) in (1, 2)
    assert done(1) != done(2) != done(3)


def test_the_browser_has_kinds() -> None:
    files = Path(__file__).with_name("browser").glob("test_*.py")
    kinds = {kind_of(f"{BROWSER}{file.name}::test") for file in files}
    assert len(kinds) > 15 and "" not in kinds


def test_the_slowest_file_comes_first_and_stays_together() -> None:
    seconds = {"browser/test_guide.py": 40.0, "app/test_lab.py": 50.0}
    assert slowest_first(TESTS, seconds) == [*TESTS[:2], *TESTS[8:10], *TESTS[2:8], TESTS[10]]
