"""Texts that count something in words: the number is that of the things that they count."""

import json
import random
import re
from inspect import signature

import pytest

from glassformer import load_model
from glassformer.app.frame.guide import stops, words
from glassformer.app.frame.saving import MOST
from glassformer.app.hall import rooms
from glassformer.app.pages.lab.layers import NORMED
from glassformer.app.pages.training.workshop.data import example_text
from glassformer.app.pages.training.workshop.form import PRESETS, STEPS
from glassformer.app.session.state import LANGUAGES, STRATEGIES
from glassformer.app.words import texts
from glassformer.core.corpus import draw_pair, load_grammar
from glassformer.core.lab.clones import clones
from glassformer.core.lab.norm_axes import NORMS
from glassformer.core.lab.skips import PARTS, skips
from glassformer.core.lab.why_attention import REPEATS
from glassformer.core.training.queue.lessons import (
    FEWEST_HELD_OUT,
    HELD_OUT_SHARE,
    narrowed,
    pronoun_families,
)
from glassformer.core.training.queue.pairs import FEWEST
from glassformer.core.training.queue.pairs import MOST as MOST_PAIRS
from glassformer.core.training.queue.run_files import BATCH
from tests.architecture.sources import ROOT

EN = "zero one two three four five six seven eight nine ten eleven twelve".split()
ZH = "零 一 二 三 四 五 六 七 八 九 十 十一 十二".split()
LARGE = re.compile(r"\b(five|six|seven|eight|nine|ten|eleven|twelve)\b", re.IGNORECASE)
LAYERS = len(skips().around) // len(PARTS)
# What each text counts, in the order of its number words.
COUNTED = {
    "decoding.top_strategies": [len(STRATEGIES)],
    "strategies.title": [len(STRATEGIES)],
    "strategies.label": [len(STRATEGIES)],
    "hall.enter_about": [rooms.CODE],
    "hall.code_hint": [rooms.CODE],
    "lab.bench_norm_axes": [len(NORMS)],
    "lab.bench_skips": [LAYERS, LAYERS * len(PARTS)],
    "lab_skips.title": [LAYERS],
    "lab_clones.title": [signature(clones).parameters["layers"].default],
    "workshop.own_about": [FEWEST_HELD_OUT],
    "workshop.preset_eight": [PRESETS["eight"]["n_heads"]],
    "workshop.preset_help": [PRESETS["eight"]["n_heads"]],
    "lab_layer_norm.about_formulas": [int(NORMED[1][0][0] / NORMED[0][0][0])],
}
# No counts: a place on the clock, an example of how places are written, words that are drawn.
NO_COUNTS = {"positions.rotation_note", "beside.steps_apart", "lab_skips.of_untrained"}


def counting() -> set[str]:
    return {key for key, text in texts("en").items() if LARGE.search(text)}


def test_every_text_with_a_number_word_is_counted_here() -> None:
    assert counting() - NO_COUNTS - COUNTED.keys() == set()


@pytest.mark.parametrize("key", COUNTED)
def test_it_counts_right(key: str) -> None:
    said = [EN.index(word.lower()) for word in LARGE.findall(texts("en")[key])]
    assert said[: len(COUNTED[key])] == COUNTED[key]
    for count in COUNTED[key]:
        chinese = texts("zh")[key]
        assert ZH[count] in chinese or str(count) in chinese


def test_numbers_of_limits() -> None:
    assert f"{MOST // 10**6} million" in texts("en")["saving.csv_long"]
    assert f"{MOST // 10**4} 万" in texts("zh")["saving.csv_long"]
    hours = int(rooms.AWAY // 3600)
    assert f"{EN[hours]} hours" in texts("en")["lectures.room_help"] and hours == 2
    assert "两小时" in texts("zh")["lectures.room_help"]
    for language, (least, most) in {"en": ("{:,}", "{:,}"), "zh": ("{}", "{:,}")}.items():
        steps, pairs = texts(language)["workshop.steps_help"], texts(language)["workshop.own_about"]
        assert str(BATCH) in steps
        for told, number in zip((least, most), STEPS, strict=True):
            assert told.format(number) in steps
        for told, number in zip((least, most), (FEWEST, MOST_PAIRS), strict=True):
            assert told.format(number) in pairs
    assert HELD_OUT_SHARE == 0.1 and "A tenth" in texts("en")["workshop.own_about"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_numbers_of_models_and_measures(language: str) -> None:
    config, said = load_model().config, texts(language)
    assert f"√{config.d_k}" in said["experiments.no-scale.note"]
    assert f"√{config.d_model}" in said["experiments.no-embedding-scale.note"]
    for key in ("lab_why.race_from", "lab_why.race_never"):
        assert re.search(rf"\b{REPEATS} (runs|次)", said[key])
    pairs = len(example_text().strip().splitlines())
    assert f" {pairs} " in said["workshop.example"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_tour_counts_its_stops(language: str) -> None:
    assert f" {len(stops())} " in words(language)["texts"]["tour_start"]


def test_the_tour_does_not_say_that_every_example_changes_a_word() -> None:
    found = json.loads((ROOT / "assets/experiments/examples.json").read_text("utf-8"))
    same = [each for each in found if each["expect"]["before"] == each["expect"]["after"]]
    assert 0 < len(same) < len(found)
    assert "also where every word stays" in texts("en")["tour.example_about"]


def test_about_two_in_three_sentences_of_the_pronoun_families_have_a_pronoun() -> None:
    grammar = load_grammar()
    narrow, rng = narrowed(grammar, pronoun_families(grammar)), random.Random(0)
    having = sum(bool(draw_pair(narrow, rng).antecedents) for _ in range(1000))
    assert "about two in three" in texts("en")["workshop.source_help"]
    assert having == pytest.approx(1000 * 2 / 3, abs=50)
