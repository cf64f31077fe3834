"""`make test` leaves out no kind of test, and what it leaves out is done by the next commits."""

from pathlib import Path

from tests.tiers import BROWSER, kind_of, left_out, slowest_first

AXE = "tests/browser/test_everybody.py::test_axe"
VISITS = [
    f"{AXE}[{theme}-{screen}]" for theme in ("light", "dark") for screen in ("lab", "full-lab")
]
TESTS = [
    "tests/app/test_lab.py::test_one",
    "tests/app/test_lab.py::test_two",
    *(f"tests/browser/test_lab.py::test_sizes[{size}]" for size in range(4)),
    "tests/browser/test_lab_tiles.py::test_tiles",
    "tests/browser/test_lecture.py::test_it_is_given",
    "tests/browser/test_guide.py::test_keys",
    "tests/browser/test_guide.py::test_words",
    *VISITS,
]


def done(sixth: int) -> set[str]:
    return set(TESTS) - left_out(TESTS, set(VISITS), sixth)


def test_six_commits_do_them_all() -> None:
    assert set[str]().union(*map(done, range(1, 7))) == set(TESTS)


def test_every_sixth_has_every_kind_and_all_without_a_browser() -> None:
    for sixth in range(1, 7):
        assert {kind_of(test) for test in done(sixth)} == {kind_of(test) for test in TESTS}
        assert set(TESTS[:2]) <= done(sixth)


def test_every_commit_visits_every_screen_in_both_themes_half_of_them_each() -> None:
    for sixth in range(1, 7):
        visited = done(sixth).intersection(VISITS)
        themes, screens = zip(*(test.split("[")[1].split("-", 1) for test in visited), strict=True)
        assert set(themes) == {"light", "dark"} and set(screens) == {"lab]", "full-lab]"}
        assert visited | done(sixth % 6 + 1) >= set(VISITS)


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
    assert slowest_first(TESTS, seconds) == [*TESTS[:2], *TESTS[8:10], *TESTS[2:8], *TESTS[10:]]
