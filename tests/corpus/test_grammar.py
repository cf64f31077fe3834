"""The grammar as data: what it makes is grammatical, aligned and has one translation."""

import random
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from glassformer.core.corpus import Direction, Pair, draw_pair, load_grammar
from glassformer.core.corpus.draw import ClashError, Draw, pair_of
from glassformer.core.corpus.grammar import Rule, _rule
from glassformer.core.corpus.lexicon import DATA
from glassformer.core.errors import GlassformerError

SAMPLE = 8_000


@pytest.fixture(scope="module")
def pairs() -> list[Pair]:
    grammar, rng = load_grammar(), random.Random(5)
    return [draw_pair(grammar, rng) for _ in range(SAMPLE)]


def draw(**rule: object) -> Pair:
    """The pair of one rule of its own."""
    drawing = Draw(load_grammar(), random.Random(3))
    return pair_of(drawing._expand(_rule("test", rule), None), drawing)


def test_the_same_seed_draws_the_same_sentences() -> None:
    grammar = load_grammar()
    first, second = ([draw_pair(grammar, random.Random(2)) for _ in range(5)] for _ in "ab")
    assert first == second


def test_sizes(pairs: list[Pair]) -> None:
    english = {word for pair in pairs for word in pair.english}
    chinese = {word for pair in pairs for word in pair.chinese}
    assert len(english) > 2000 and len(chinese) > 1500
    assert len({pair.template for pair in pairs}) >= 40
    assert max(max(len(p.english), len(p.chinese)) for p in pairs) < 40


def test_nothing_is_left_unfilled(pairs: list[Pair]) -> None:
    for pair in pairs:
        for word in (*pair.english, *pair.chinese):
            assert word and not set(word) & set("{}~@|/= "), pair


def test_alignment_and_antecedents_point_at_words(pairs: list[Pair]) -> None:
    for pair in pairs:
        for english, chinese in pair.alignment:
            assert english < len(pair.english) and chinese < len(pair.chinese)
        for pronoun, noun in pair.antecedents:
            assert pair.english[pronoun] in ("it", "its") and noun < pronoun
        assert len(set(pair.alignment)) == len(pair.alignment)


def test_english_has_one_translation(pairs: list[Pair]) -> None:
    assert_determined(pairs, "en-zh")


def test_chinese_has_one_canonical_english(pairs: list[Pair]) -> None:
    assert_determined(pairs, "zh-en")


def assert_determined(pairs: list[Pair], direction: Direction) -> None:
    """At most one source in a thousand has two translations."""
    found = defaultdict(set)
    for pair in pairs:
        if direction in pair.directions:
            source, target = pair.sides(direction)
            found[source].add(target)
    ambiguous = {s: t for s, t in found.items() if len(t) > 1}
    assert len(ambiguous) <= len(found) / 1000, ambiguous


def test_subject_and_verb_agree(pairs: list[Pair]) -> None:
    wrong = {
        ("i", "is"), ("i", "are"), ("i", "has"), ("i", "doesn't"),
        ("he", "am"), ("he", "are"), ("he", "have"), ("he", "don't"),
        ("she", "like"), ("we", "likes"), ("they", "is"), ("they", "was"), ("we", "has"),
    }  # fmt: skip
    for pair in pairs:
        joined_subjects = "and" in pair.english
        starts = set(zip(pair.english[:1], pair.english[1:2], strict=False))
        assert joined_subjects or not starts & wrong, pair


def test_every_template_can_be_drawn() -> None:
    grammar = load_grammar()
    for rule in grammar.templates.rules:
        assert any(drawable(rule, seed) for seed in range(200)), rule


def drawable(rule: Rule, seed: int) -> bool:
    drawing = Draw(load_grammar(), random.Random(seed))
    try:
        pair = pair_of(drawing._expand(rule, None), drawing)
    except ClashError:
        return False
    return bool(pair.english and pair.chinese and pair.directions)


def test_coreference_frames_come_in_two_readings() -> None:
    """Each frame twice, alike but for what "it" is and the adjective."""
    frames = defaultdict(list)
    for rule in load_grammar().templates.rules:
        if rule.name == "coreference":
            ((pronoun, named),) = [(part.word, part.refers) for part in rule.english if part.refers]
            assert pronoun == "it" and rule.hold == ("a", "w")
            english = tuple((part.word, part.slot) for part in rule.english)
            sources = tuple(source for slot, source in rule.slots.items() if slot != "q")
            frames[english, sources, rule.only].append(named)
    assert len(frames) >= 12
    assert all(sorted(named) == ["a", "w"] for named in frames.values())


def test_coreference_has_both_readings(pairs: list[Pair]) -> None:
    family = [pair for pair in pairs if pair.template == "coreference"]
    nouns: dict[bool, int] = defaultdict(int)
    for pair in family:
        ((pronoun, noun),) = pair.antecedents
        before = [k for k, word in enumerate(pair.english) if word.endswith("n't") or word == "ate"]
        nouns[noun < before[0]] += 1
        again = [c for e, c in pair.alignment if e == pronoun]
        said = [c for e, c in pair.alignment if e == noun]
        named = "en-zh" in pair.directions  # from Chinese a pronoun may stand there, too
        there = {pair.chinese[said[0]]} if named else {pair.chinese[said[0]], "它"}
        assert pair.chinese[again[-1]] in there, pair
    assert any(pair.chinese.count("它") for pair in family)
    assert min(nouns.values()) > len(family) / 4


def test_forms_agreement_and_marks() -> None:
    pair = draw(
        en="these~d {n.plural} {be:n} {a}",
        zh="这些~d {n} 很 {a}",
        n="noun.animal",
        a="adjective(n)",
        agreement="other",
    )
    assert pair.english[0] == "these" and pair.chinese[0] == "这些"
    assert (0, 0) in pair.alignment and (1, 1) in pair.alignment


@pytest.mark.parametrize(
    "rule",
    [
        {"en": "{x}", "zh": "{x}", "x": "no.such"},
        {"en": "{x:y}", "zh": "{x}", "x": "verb.eat"},
        {"en": "it@y {x}", "zh": "{x}", "x": "verb.eat"},
        {"en": "{x}", "zh": "{x}", "x": "adjective(y)"},
        {"en": "{x!}", "zh": "{x}", "x": "verb.eat"},
    ],
)
def test_mistakes_in_the_grammar_are_named(tmp_path: Path, rule: dict[str, str]) -> None:
    for name in ("nouns", "verbs", "adjectives", "others", "scenes"):
        text = '[verb.eat]\nwords = ["eat/ate/eaten = 吃"]\n' if name == "verbs" else ""
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    (tmp_path / "phrases.toml").write_text("")
    (tmp_path / "templates").mkdir()
    fields = ", ".join(f'{name} = "{value}"' for name, value in rule.items())
    (tmp_path / "templates" / "t.toml").write_text(f"broken = [{{ {fields} }}]")
    with pytest.raises(GlassformerError, match="broken"):
        load_grammar(tmp_path)


def test_an_unknown_setting_of_a_category(tmp_path: Path) -> None:
    (tmp_path / "nouns.toml").write_text('[noun.a]\nclasifier = "只"\nwords = ["cat = 猫"]\n')
    with pytest.raises(GlassformerError, match="clasifier"):
        load_grammar(tmp_path)


def test_a_category_holds_those_below_it() -> None:
    lexicon = load_grammar().lexicon
    for name in ("noun", "noun.animal", "verb", "noun.anim", "noun.", "no.such", ""):
        below = [each for each in lexicon.entries if f"{each.category}.".startswith(f"{name}.")]
        assert list(lexicon.category(name)) == below, name


def test_the_article_is_always_a() -> None:
    """“an” is made where a sentence is written out; in the data it would be a word of its own."""
    for path in DATA.rglob("*.toml"):
        strings = list(_strings(tomllib.loads(path.read_text(encoding="utf-8"))))
        assert [text for text in strings if "an" in text.split()] == [], path.name


def _strings(data: object) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict | list):
        for part in data.values() if isinstance(data, dict) else data:
            yield from _strings(part)


def test_a_word_line_without_translation(tmp_path: Path) -> None:
    (tmp_path / "nouns.toml").write_text('[noun.a]\nwords = ["cat"]\n')
    with pytest.raises(GlassformerError, match=r"nouns\.toml"):
        load_grammar(tmp_path)
