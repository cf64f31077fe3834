"""Every text of the screens exists in every language, and every one is used."""

import ast
import re
import string
from dataclasses import fields
from typing import get_args

import pytest

from glassformer.app.frame.guide import glossary_terms, tour_stops
from glassformer.app.frame.sentence import example_sentences as sentences
from glassformer.app.pages.switch.examples.panel import example_experiments as experiments
from glassformer.app.pages.walkthrough.text import key_of
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.session.state import State
from glassformer.app.words import FOLDER, say, texts_of_language
from glassformer.core.analysis.training_views import word_groups
from glassformer.core.config import Activation, ModelConfig, NormFormula
from glassformer.core.errors import MESSAGES
from glassformer.core.explain.steps.steps import step_by_id, steps_of
from glassformer.core.lab.code_errata import code_errata
from glassformer.core.lab.errata import errata
from glassformer.core.lab.worked_examples import compute_example, example_keys, notes_inputs
from glassformer.core.lectures.links import PACKED
from glassformer.core.text.vocabulary import RESERVED
from glassformer.core.trace.sites import SITES
from tests.architecture.sources import parse, python_files

# What a Chinese text may consist of without a Chinese character: terms, words of the examples.
TERMS = set(
    "dropout gelu relu silu sigmoid softmax logit logits machine deep post norm safetensors tired"
    " wide tanh keepdim transformers model xavier".split()
)
SEVERAL = re.compile(r"\w+(\.\w+)+( \w+(\.\w+)+)*")  # keys, as say_each takes them
# Of the texts that are said, the share whose key is put together: a search does not find it.
# It may only fall.
BUILT = 0.217
NAMES_AND_CODE = re.compile(r"\{[^}]*\}|:[a-z/_]+:|`[^`]*`")
SUBLAYERS = ("self_attention", "cross_attention", "feed_forward")
# What the model and the Walkthrough put together: "self_attention_norm", "decoder_feed_forward".
AROUND = {f"{sublayer}_{part}" for sublayer in SUBLAYERS for part in ("residual", "norm")}
AROUND |= {f"{stack}_{sublayer}" for stack in ("encoder", "decoder") for sublayer in SUBLAYERS}


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def patterns_and_literals() -> tuple[set[str], set[str], set[str]]:
    """Patterns of the keys built in say(f"…"), keys in say("…"), every string of the source.

    say_each("a.b a.c") says several; draw_choice(widget, key, …) of app/ui/pick.py says its key
    and f"{key}_{option}".
    """
    built: set[str] = set()
    said: set[str] = set()
    strings: set[str] = set()
    for path in python_files("app", "app.py"):
        for node in ast.walk(parse(path)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                strings.add(node.value)
                strings.update(node.value.split() if SEVERAL.fullmatch(node.value) else ())
            if not isinstance(node, ast.Call):
                continue
            called = {getattr(node.func, "id", ""), getattr(node.func, "attr", "")}
            if "say" in called:
                key = node.args[0]
                if isinstance(key, ast.Constant):
                    said.add(key.value)
                elif isinstance(key, ast.JoinedStr) and path.name != "pick.py":
                    built.add(_pattern(key))
            elif "say_each" in called and isinstance(node.args[0], ast.Constant):
                said.update(node.args[0].value.split())
            elif "draw_choice" in called and len(node.args) == 5:
                key = node.args[1]
                assert isinstance(key, ast.Constant), f"{path}: the key is not written out"
                said.add(key.value)
                built.add(re.escape(key.value) + "_(.+)")
    return built, said, strings


def _pattern(key: ast.JoinedStr) -> str:
    parts = (
        re.escape(part.value) if isinstance(part, ast.Constant) else "(.+)" for part in key.values
    )
    return "".join(parts)


def insertable() -> set[str]:
    """What say(f"…") may put into a key: any string of the source, and names that are data."""
    found = {
        node.value
        for path in python_files("app", "app.py", "core")
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    reasons = {each.reason for each in errata()} | {each.key for each in code_errata()}
    remarks = {remark for key in example_keys() for remark in compute_example(key).remarks}
    inputs = {name for key in example_keys() for name in notes_inputs(key)}
    found |= {each.id for each in (*sentences(), *experiments())}
    found |= glossary_terms().keys() | {stop["name"] for stop in tour_stops()}
    found |= {term["topic"] for term in glossary_terms().values()}
    found |= {f"norm_{each}" for each in get_args(NormFormula)}  # rows of the Switch page
    found |= reasons | remarks | inputs | {each.name for each in fields(State)} | {PACKED}
    return found | {*word_groups()} | {piece.strip("<>") for piece in RESERVED} | AROUND


def is_built(key: str, patterns: set[str], known: set[str]) -> bool:
    """Whether a pattern gives the key with something in its gaps that the source knows."""
    fitting = "|".join(re.escape(each) for each in known if each and each in key)
    gap = rf"((?:{fitting})(?:\.(?:{fitting}))*)"  # where gaps meet, the words say which is which
    found = (pattern for pattern in patterns if re.fullmatch(pattern, key))
    return any(re.fullmatch(pattern.replace("(.+)", gap), key) for pattern in found)


def test_every_folder_is_a_language() -> None:
    folders = {each.name for each in FOLDER.iterdir() if [*each.glob("*.toml")]}
    assert folders == set(LANGUAGES)
    names = [say("language.name", language) for language in LANGUAGES]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("language", LANGUAGES)
def test_same_keys_and_places_in_every_language(language: str) -> None:
    english, other = texts_of_language("en"), texts_of_language(language)
    missing, unknown = sorted(english.keys() - other.keys()), sorted(other.keys() - english.keys())
    assert not missing, f"{language} lacks: {missing}"
    assert not unknown, f"{language} has what en has not: {unknown}"
    for key, text in english.items():
        assert places(text) == places(other[key]), f"{language}: {key}"


def test_no_text_is_missing_or_unused() -> None:
    built, said, strings = patterns_and_literals()
    keys = texts_of_language("en").keys()
    assert said <= keys, f"missing: {sorted(said - keys)}"
    for pattern in built:
        assert any(re.fullmatch(pattern, key) for key in keys), f"no text fits {pattern}"
    known = insertable()
    strings |= {site.text_key for site in SITES}
    unused = {key for key in keys - strings if not is_built(key, built, known)}
    assert not unused, f"unused: {sorted(unused)}"


def test_keys_are_written_out() -> None:
    calls = [
        node
        for path in python_files("app", "app.py")
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Call)
        if {getattr(node.func, "id", ""), getattr(node.func, "attr", "")} & {"say", "say_each"}
    ]
    built = [each for each in calls if isinstance(each.args[0], ast.JoinedStr)]
    assert len(built) / len(calls) <= BUILT, f"{len(built)} of {len(calls)} keys are put together"


def test_all_is_said_of_every_activation_and_norm_formula() -> None:
    keys = texts_of_language("en").keys()
    for name in get_args(Activation):
        said = f"edits.activation_{name}", f"switch_concepts.name.{name}", f"trail.operation_{name}"
        assert keys >= set(said)
        config = ModelConfig(vocabulary_size=9, activation=name)
        step = step_by_id(steps_of(config), "encoder.0.feed_forward.activation")
        assert step is not None
        assert (key_of(config, step) == "activation") == (name == "relu"), name
    for name in get_args(NormFormula):
        pages = (f"switch_concepts.{part}_norm_{name}" for part in ("name", "about"))
        assert keys >= {f"edits.norm_formula_{name}", *pages}


def test_errors_are_those_of_core() -> None:
    for language in LANGUAGES:
        said = {
            key.removeprefix("errors."): places(text)
            for key, text in texts_of_language(language).items()
            if key.startswith("errors.")
        }
        assert said == {key: places(text) for key, text in MESSAGES.items()}


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_are_not_empty_and_chinese_is_chinese(language: str) -> None:
    for key, text in texts_of_language(language).items():
        assert text.strip() or key == "language.gap", key
        if key != "language.tag" and language == "zh" and not re.search(r"[\u4e00-\u9fff]", text):
            words = re.findall(r"[a-z]{4,}", NAMES_AND_CODE.sub("", text.lower()))
            assert TERMS.issuperset(words), f"{key} is not translated: {text}"


def test_say_fills_places_and_names_what_is_missing() -> None:
    assert say("frame.layer", layer=3) == "Layer 3"
    assert say("frame.layer", "zh", layer=3) == "第 3 层"
    with pytest.raises(KeyError):
        say("frame.nothing_here")
