"""Numbers in README.md and docs: of the bundled models and the code, computed again."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from glassformer import load_history, load_model
from glassformer.core.lectures.read import bundled_lectures
from glassformer.core.text_models.model import DIRECTIONS
from glassformer.core.text_models.translator import MEMORY_BUDGET as OURS
from glassformer.core.weights.opened_model import MEMORY_BUDGET as OTHERS

ROOT = Path(__file__).resolve().parents[1]
README, APP, HALL, HOUSE, TRANSLATOR, HEADS = (
    re.sub(r"\s+", " ", (ROOT / name).read_text("utf-8"))
    for name in (
        "README.md",
        *(f"docs/{name}.md" for name in ("app", "in-the-hall", "house", "translator", "heads")),
    )
)
MODELS = ("translator", "translator-plain")
SETS = {
    "teaching, open": "teachers", "teaching, sealed": "teachers_sealed", "everyday, open": "daily",
    "everyday, sealed": "daily_sealed", "typed, sealed": "sealed",
}  # fmt: skip


def metrics(model: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        (ROOT / "assets/checkpoints" / model / "metrics.json").read_text("utf-8")
    )
    return found


def right(model: str, name: str) -> tuple[int, int]:
    """Sentences of a set that come out right, and all of them."""
    sides = [metrics(model)["typed"][name][each] for each in DIRECTIONS]
    return sum(each["right"] for each in sides), sum(each["total"] for each in sides)


def test_the_first_figures_of_the_readme() -> None:
    card, last = metrics("translator"), load_history("translator").snapshots[-1].metrics
    exact = [card["exact_match"][each] for each in DIRECTIONS]
    into, back = (f"{100 * each['right'] / each['total']:.1f} %" for each in exact)
    assert f"{into} from English to Chinese and in {back} back" in README
    assert f"(of {exact[0]['total']:,} and {exact[1]['total']:,};" in README
    sample = [100 * float(last[f"exact_{each}"]) for each in ("en_zh", "zh_en")]
    told = re.search(r"first 400 pairs alone, ([\d.]+) and ([\d.]+) %", README)
    assert told and [float(each) for each in told.groups()] == pytest.approx(sample, abs=0.06)
    for name, wording in (
        ("teachers_sealed", "of {} sentences of the kinds"),
        ("sealed", "% come out right, of {} of any kind"),
    ):
        good, all_of = right("translator", name)
        assert wording.format(all_of) in README
        assert re.search(rf" {100 * good / all_of:.0f} %", README)
    weights = sum(each.numel() for each in load_model().transformer.parameters())
    assert f"({weights / 1e6:.1f} million weights each)" in README


@pytest.mark.parametrize(("said", "name"), SETS.items())
def test_the_sets_of_typed_sentences(said: str, name: str) -> None:
    shares = []
    for model in MODELS:
        good, all_of = right(model, name)
        shares.append(f"{100 * good / all_of:.1f} %")
    assert f"| {said} | {all_of} | {' | '.join(shares)} |" in TRANSLATOR


def test_the_last_row_of_the_grammars() -> None:
    exact = [
        f"{100 * metrics(MODELS[1])['exact_match'][each]['rate']:.1f} %" for each in DIRECTIONS
    ]
    good, all_of = right(MODELS[1], "sealed")
    row = f"| {' | '.join(exact)} | {100 * good / all_of:.0f} % |"
    assert f"attention kept from saturating {row}" in TRANSLATOR


def test_what_attention_is_like_without_its_root() -> None:
    for place, found in metrics("translator")["sharpness"].items():
        stack = place.replace("decoder cross", "cross").replace(" self-attention", "")
        stack = stack.replace(" layer", ", layer")
        row = re.search(
            rf"\| {stack} \| [^|]*→ ([\d.]+) % \| [^|]*→ ([\d.]+) % \|[^|]*\| ([\d.]+) %", HEADS
        )
        assert row, stack
        told = [float(each) / 100 for each in row.groups()]
        computed = [found["saturated"], found["unscaled"], found["unscaled_changes"]]
        assert told == pytest.approx(computed, abs=0.0006), stack


def test_what_the_word_lists_hold() -> None:
    words, turns, nouns = (
        tomllib.loads((ROOT / "core/text/data" / f"{name}.toml").read_text("utf-8"))
        for name in ("synonyms", "paraphrases", "gazetteer")
    )
    others = sum(len(each.partition("=")[2].split()) for rows in words.values() for each in rows)
    longer = sum(each.count(",") + 1 for rows in turns.values() for each in rows)
    beyond = len(nouns["noun"]) + len(nouns["name"])
    for told, found in (
        ("{:,} nouns and names outside", round(beyond, -3)),
        ("{:,} words are read as a word inside", round(others, -2)),
        ("{:,} turns of phrase are read", round(longer, -2)),
    ):
        assert told.format(found).removesuffix(" are read") in TRANSLATOR, (told, found)


def test_counts_of_the_house() -> None:
    words = ("no", "one", "two", "three", "four", "five", "six", "seven")
    assert f"{words[len(bundled_lectures())]} lectures" in HOUSE
    pages = [each for each in (ROOT / "app" / "pages").iterdir() if (each / "page.py").is_file()]
    assert len(pages) == 10 and "**Lectures** is the tenth page" in HALL
    compared = [each for each in pages if (each / "compare.py").is_file()]
    assert f"{words[len(compared)]} pages have one" in (ROOT / "docs/a-page.md").read_text("utf-8")
    run = (ROOT / "docs/a-run.md").read_text("utf-8")
    assert f"{OURS // 2**20} MiB" in run and f"{OTHERS // 10**6} MB" in run
    assert len(re.findall(r"^\d+\. ", (ROOT / "docs/a-click.md").read_text("utf-8"), re.M)) == 8


def test_the_figures_of_the_small_gpt() -> None:
    told, heads = metrics("small-gpt"), metrics("small-gpt")["heads"]
    assert f"a decoder alone of {told['parameters']:,} weights" in APP
    layers = heads["words"]["induction"]
    score, layer, head = max(
        (score, layer, head)
        for layer, row in enumerate(layers, 1)
        for head, score in enumerate(row, 1)
    )
    assert f"layer={layer}&head={head}` shows the head that looks back" in APP
    history, pieces = load_history("small-gpt"), max(map(max, heads["pieces"]["induction"]))
    at = {each.step: each.metrics["induction"] for each in history.snapshots}
    early, later, end = (f"{100 * share:.0f} %" for share in (at[400], at[1500], score))
    said = f"{early} of its weight after 400 steps, {later} after 1,500 and {end} at the end"
    small = re.sub(r"\s+", " ", (ROOT / "docs/small-gpt.md").read_text("utf-8"))
    assert f"{said} ({history.steps[-1]:,})" in small
    assert f"it is {100 * pieces:.0f} % at the end" in small
