"""The short run of the fuzzers; `make fuzz` is the long one.

Nothing is timed here, so the texts are short: what long ones cost is seen in the long run.
"""

import random
from pathlib import Path

import pytest

from glassformer.core.errors import GlassformerError
from tests.browser.driver import server
from tests.fuzz import files, hostile, links, texts
from tests.fuzz.attempts import attempts
from tests.visitor import run

LONGEST = 60  # characters of a text
TEXTS = {"texts": 60, "experiments": 1000, "votes": 2000}
FILES = {"runs": 150, "models": 60, "experiment-files": 300, "pairs": 150}
FILES |= {"foreign-models": 60, "foreign-runs": 60}
FILES |= {"archives": 40, "uploads": 150, "lectures": 200, "headers": 200}
LINKS = 40


@pytest.mark.parametrize("kind", TEXTS)
def test_texts(kind: str) -> None:
    report = attempts(kind, texts.KINDS_OF_TEXT[kind](LONGEST), TEXTS[kind])
    assert report.tried == TEXTS[kind] > report.refused > 0
    assert not report.findings, str(report)


@pytest.mark.parametrize("kind", FILES)
def test_files(kind: str, tmp_path: Path) -> None:
    report = attempts(kind, files.kinds(LONGEST)[kind](tmp_path), FILES[kind])
    assert report.tried == FILES[kind]
    assert not report.findings, str(report)


@pytest.mark.slow
def test_links() -> None:
    with server() as running:
        report = run(links.opened(running, LINKS, 0, LONGEST))
    assert report.tried == LINKS
    assert not report.findings, str(report)


def test_what_is_found_has_a_name_that_repeats_it() -> None:
    drawn: list[int] = []

    def odd(rng: random.Random) -> None:
        drawn.append(rng.randrange(1000))
        if drawn[-1] % 2:
            raise KeyError(drawn[-1])
        raise GlassformerError("empty_text")

    first = attempts("odd", odd, 20, seed=3)
    assert first.tried == 20 == first.refused + len(first.findings)
    assert all(case.startswith("odd/3/") for case in first.findings)
    assert attempts("odd", odd, 20, seed=3).findings == first.findings
    assert drawn[:20] == drawn[20:]
    assert attempts("odd", odd, 20, seed=4).findings != first.findings


def test_an_input_that_never_ends_is_stopped() -> None:
    def endless(_: random.Random) -> None:
        while True:
            pass

    report = attempts("endless", endless, 1, most=0.05)
    assert report.findings == {"endless/0/0": "took more than 0.05 CPU seconds"}


def test_hostile_texts_are_valid_and_not_too_long() -> None:
    rng = random.Random(0)
    made = [hostile.text(rng, LONGEST) for _ in range(500)]
    assert max(map(len, made)) == LONGEST
    assert all(text.encode().decode() == text for text in made)
    assert len(set(made)) > 300
