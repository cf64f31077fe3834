"""What the workshop says: numbers are those of the code, and every problem has a text."""

import ast

import pytest

from glassformer.app.pages.training.workshop.data import EXAMPLES
from glassformer.app.pages.training.workshop.form import STEPS
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.stores.kept_blobs import KEPT_FOR
from glassformer.app.words import say, texts_of_language
from glassformer.core.training.queue import pairs, run_files, training_queue
from tests.architecture.sources import ROOT, parse

NUMBERS = {
    "steps_help": (*STEPS, run_files.BATCH),
    "own_about": (pairs.FEWEST, pairs.MOST),
    "example": (EXAMPLES,),
    "rate_help": (round(run_files.PEAK_RATE, 3),),
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", NUMBERS)
def test_numbers_in_texts_are_those_of_the_code(key: str, language: str) -> None:
    text = say(f"workshop.{key}", language)
    for number in NUMBERS[key]:
        assert f"{number:,}" in text


def test_times_and_counts_in_words_are_those_of_the_code() -> None:
    assert (training_queue.GRACE, KEPT_FOR) == (180, 7 * 86_400)
    assert "Three minutes" in say("workshop.stays", "en") and "三分钟" in say(
        "workshop.stays", "zh"
    )
    assert "7 days" in say("workshop.keep_help", "en") and "7 天" in say("workshop.keep_help", "zh")


@pytest.mark.parametrize(("kind", "prefix"), [("Problem", "problem_"), ("Note", "note_")])
def test_every_problem_and_note_has_a_text_and_no_other(kind: str, prefix: str) -> None:
    makers = {"Problem": ("Problem", "_refused"), "Note": ("Note",)}[kind]
    keys = {
        node.args[0].value
        for node in ast.walk(parse(ROOT / "core" / "training" / "queue" / "pairs.py"))
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", "") in makers
        and isinstance(node.args[0], ast.Constant)
    }
    start = f"workshop.{prefix}"
    said = {key.removeprefix(start) for key in texts_of_language("en") if key.startswith(start)}
    assert said == keys
