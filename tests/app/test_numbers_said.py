"""Every number in the texts of the screens and of the lectures is named, or recomputed."""

import re
from collections.abc import Iterator
from functools import cache

import pytest

from glassformer.app.frame.guide import guide_words, tour_stops
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.words import texts_of_language
from glassformer.core.lectures.read import bundled_lectures, load_lecture
from tests.app.numbers_said import FACTS, NAMES, NUMBER, NUMBER_WORDS, number_in
from tests.app.recomputed import EXAMPLES

DIGITS = re.compile(r"(?<![A-Za-z_.\d])(\d+(?:,\d{3})*(?:\.\d+)?)([⁹⁻⁵]*)(?: ?(万|million))?")
SCALES = {"": 1, "万": 10**4, "million": 10**6}
ORDINALS = {"first": 1.0, "second": 2.0, "third": 3.0}
NUMERALS = {
    **{each: float(at) for at, each in enumerate("零一二三四五六七八九十")},
    "两": 2.0,
    "半": 0.5,
    "十分之一": 0.1,
    "十一": 11.0,
    "十二": 12.0,
}


@cache
def all_texts(language: str) -> dict[str, str]:
    """What the words files say, and the bundled lectures."""
    found = dict(texts_of_language(language))
    for name in bundled_lectures():
        lecture = load_lecture(name)
        found |= {
            f"{name}.title": lecture.title[language],
            f"{name}.about": lecture.about[language],
        }
        for scene in lecture.scenes:
            said = {"title": scene.title, "text": scene.text, "notes": scene.notes}
            if scene.question:
                said["prompt"] = scene.question.prompt
                options = enumerate(scene.question.options)
                said |= {f"option {at}": each for at, each in options if isinstance(each, dict)}
            for part, text in said.items():
                found[f"{name}/{scene.name}.{part}"] = text.get(language, "")
    return found


@cache
def lines() -> dict[str, str]:
    """Every English text behind its key, without the numbers that are names."""
    found = {}
    for key, text in all_texts("en").items():
        for name in NAMES:
            text = re.sub(name, lambda each: "_" * len(each[0]), text)
        found[key] = f"{key}: {text}"
    return found


def said(pattern: str) -> Iterator[tuple[str, re.Match[str]]]:
    """Where a pattern of the table stands, with the numbers there as groups."""
    wanted = re.compile(pattern.replace("#", f"({NUMBER})"))
    for key, line in lines().items():
        for found in wanted.finditer(line):
            yield key, found


@pytest.mark.parametrize("pattern", FACTS)
def test_what_is_said_is_what_is_found_out(pattern: str) -> None:
    places = list(said(pattern))
    assert places, "no text says this any more: take the row out"
    values = list(FACTS[pattern]())
    for key, found in places:
        told_here = [
            each for each in found.groups() if each
        ]  # of the alternative that stands there
        for told, value in zip(told_here, values, strict=True):
            number, decimals = number_in(told)
            assert round(value, decimals) == number, f"{key} says {told}, it is {value:g}"


def test_every_number_is_recomputed_or_named() -> None:
    known = {
        (key, found.start(group))
        for pattern in FACTS
        for key, found in said(pattern)
        for group in range(1, 1 + len(found.groups()))
    }
    missing = [
        f"{key}: …{line[max(0, at - 40) : at + 40]!r}…"
        for key, line in lines().items()
        for at in (found.start() for found in re.finditer(NUMBER, line))
        if at > len(key) and (key, at) not in known
    ]
    assert not missing, (
        "These numbers are in no table. Say them by a {place} that the code fills, leave them out, "
        "or give them a row in tests/app/numbers_said.py:\n" + "\n".join(missing)
    )


def digits(text: str) -> set[float]:
    text = re.sub(r"\{[^}]*\}|`[^`]*`", "", text)
    return {
        1e9 if power else float(number.replace(",", "")) * SCALES[scale]
        for number, power, scale in DIGITS.findall(text)
    }


def test_both_languages_say_the_same_numbers() -> None:
    known, wrong = NUMBER_WORDS | ORDINALS, {}
    for key, english in all_texts("en").items():
        chinese = all_texts("zh")[key]
        ours = {known[each] for each in re.findall(r"[a-z]+", english.lower()) if each in known}
        numerals = {number for each, number in NUMERALS.items() if each in chinese}
        told = digits(english) | {each for each in ours if each > 3}
        if lost := (told - digits(chinese) - numerals) | (digits(chinese) - digits(english) - ours):
            wrong[key] = lost
    assert not wrong


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_tour_counts_its_stops(language: str) -> None:
    assert f" {len(tour_stops())} " in guide_words(language)["texts"]["tour_start"]


def test_what_examples_leave_of_a_sentence() -> None:
    ends = [each["expect"] for each in EXAMPLES.values()]
    assert 0 < sum(each["before"] == each["after"] for each in ends) < len(ends)
    assert "also where every word stays" in texts_of_language("en")["tour.example_about"]
    left = {*EXAMPLES["no-embedding-scale"]["expect"]["after"].lower().split()}
    for language in LANGUAGES:
        note = texts_of_language(language)["experiments.no-embedding-scale.note"].replace("：", ":")
        assert {*re.findall("[a-z]+", note.partition(":")[2])} - {"and", "are", "left"} == left
