"""Entries made of clauses stand for plain patterns."""

import re
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from glassformer.core.corpus import grammar, load_grammar
from glassformer.core.corpus.clauses import Clauses
from glassformer.core.corpus.lexicon import DATA, Lexicon, load_lexicon
from glassformer.core.errors import GlassformerError

CLAUSES = Clauses(
    {
        "some": "did rains*0.5",
        "clause": {
            "did": {"en": "{s} {v.past}", "zh": "{s} {v.le}", "v": "deed"},
            "likes": {
                "en": "{s} {v:s} {o}",
                "zh": "{s} {v} {o}",
                "v": "verb.attitude",
                "o": "kind(v)",
            },
            "busy": {"en": "{s} {have:s} no~n time", "zh": "{s} 没有~n 时间", "share": 0.5},
            "rains": {"en": "it rains~x {t}", "zh": "{t} 下雨~x", "t": "time.future"},
        },
        "belief": {
            "think": {"en": "think~k", "zh": "觉得~k"},
            "guess": {"en": "guess~k", "zh": "觉得~k", "only": "en-zh"},
        },
    }
)
SO = {"en": "[A] , so~b [B]", "zh": "[A] , 所以~b [B]", "weight": 0.1}


def expand(**entry: object) -> list[dict[str, object]]:
    return CLAUSES.expand("test", entry)


def test_an_entry_without_places_stays_as_it_is() -> None:
    plain = {"en": "{s} {v.past}", "zh": "{s} {v.le}", "s": "person", "v": "deed"}
    assert CLAUSES.expand("test", plain) == [plain]


def test_two_clauses_of_the_same_subject() -> None:
    (pattern,) = expand(**SO, same="did+likes")
    assert pattern == {
        "en": "{s} {v1.past} , so~b {s}~s {v2:s} {o2}",
        "zh": "{s} {v1.le} , 所以~b {s}~s {v2} {o2}",
        "s": "pronoun",
        "v1": "deed",
        "v2": "verb.attitude",
        "o2": "kind(v2)",
        "weight": 0.1,
        "hold": ["v1", "v2"],
    }
    slots = [key for key in pattern if key not in SO and key != "hold"]
    assert slots == ["s", "v1", "v2", "o2"]


def test_two_clauses_of_two_subjects() -> None:
    first, second = expand(**SO, r="person", other="likes+busy rains+did")
    assert first["en"] == "{s} {v1:s} {o1} , so~b {r} {have:r} no~n2 time"
    assert (first["s"], first["r"]) == ("somebody", "person")
    assert first["hold"] == ["v1", "r"]
    assert second["zh"] == "{t1} 下雨~x1 , 所以~b {r} {v2.le}" and "s" not in second


def test_a_dropped_subject() -> None:
    (pattern,) = expand(en="[A] so~b [B]", zh="[A-] 所以~b [B-]", same="busy+did")
    assert pattern["zh"] == "没有~n1 时间 所以~b {v2.le}"
    assert pattern["en"] == "{s} {have:s} no~n1 time so~b {s}~s {v2.past}"


def test_all_of_a_table_by_their_shares() -> None:
    entry = {"en": "{m} hope [clause]", "zh": "{m} 希望 [clause]", "m": "person", "weight": 0.3}
    assert [pattern["weight"] for pattern in expand(**entry)] == [0.3, 0.3, 0.15, 0.3]
    assert [pattern["weight"] for pattern in expand(**entry, even=True)] == [0.3] * 4
    assert [pattern["weight"] for pattern in expand(**entry, clause="some busy")] == [
        0.3,
        0.15,
        0.15,
    ]
    assert expand(**entry, clause="busy*0.15", digits=2)[0]["weight"] == 0.02


def test_what_is_held_out() -> None:
    entry = {"en": "{m} hope [clause]", "zh": "{m} 希望 [clause]", "m": "person", "clause": "likes"}
    assert expand(**entry)[0]["hold"] == ["v1"]
    assert expand(**entry, hold=["m", "clause"])[0]["hold"] == ["m", "v1"]
    assert expand(**entry, hold="ends")[0]["hold"] == ["m", "o1"]
    assert expand(**entry, hold="last")[0]["hold"] == ["o1"]


def test_slots_stand_where_the_clauses_are_listed() -> None:
    (pattern,) = expand(en="[clause] {w}", zh="[clause] {w}", clause="did", w="errand")
    assert [key for key in pattern if key in ("s", "v1", "w")] == ["s", "v1", "w"]


def test_two_tables_give_all_combinations() -> None:
    entry = {"en": "{m} [belief] [clause]", "zh": "{m} [belief] [clause]", "m": "person"}
    patterns = expand(**entry, clause="did busy")
    assert [pattern.get("only", "") for pattern in patterns] == ["", "", "en-zh", "en-zh"]
    assert patterns[0]["en"] == "{m} think~k {s} {v1.past}"
    assert len(expand(**entry, clause="did", only="en-zh")) == 1, "rare words are not doubled"


@pytest.mark.parametrize(
    "entry",
    [
        {**SO, "same": "did+flies"},
        {**SO, "same": "did"},
        {**SO, "same": "did+likes*x"},
        SO,
        {"en": "[clause]", "zh": "[clause]", "clause": "flies"},
        {"en": "[nothing]", "zh": "[nothing]"},
    ],
)
def test_mistakes_are_named(entry: dict[str, object]) -> None:
    with pytest.raises(GlassformerError, match="broken") as raised:
        CLAUSES.expand("broken", entry)
    assert raised.value.key == "grammar"


def test_every_kind_is_used() -> None:
    """What no entry names would be dead weight in the table."""
    texts = [file.read_text("utf-8") for file in (DATA / "templates").glob("*.toml")]
    clauses = Clauses.load(DATA)
    used = set(re.findall(r"\w+", " ".join([*texts, *clauses.lists.values()])))
    assert set(clauses.tables["clause"]) <= used
    assert all(f"[{table}]" in "".join(texts) for table in clauses.tables if table != "clause")


def test_a_grammar_with_clauses(tmp_path: Path) -> None:
    for name in ("nouns", "adjectives", "others", "scenes", "phrases"):
        (tmp_path / f"{name}.toml").write_text("")
    verb = '[verb.eat]\nwords = ["eat/ate/eaten = 吃"]\n'
    (tmp_path / "verbs.toml").write_text(verb, encoding="utf-8")
    kinds = 'did = { en = "we {v.past}", zh = "我们 {v.le}", v = "verb.eat" }\n'
    (tmp_path / "clauses.toml").write_text(f"[clause]\n{kinds}", encoding="utf-8")
    (tmp_path / "templates").mkdir()
    entry = '{ en = "yes , [clause]", zh = "是 , [clause]" }'
    (tmp_path / "templates" / "t.toml").write_text(f"yes = [{entry}]", encoding="utf-8")
    (rule,) = load_grammar(tmp_path).templates.rules
    assert rule.name == "yes" and rule.english[-1].slot == "v1" and rule.hold == ("v1",)


def test_threads_that_ask_at_once_read_it_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("nouns", "verbs", "adjectives", "others", "scenes", "phrases"):
        (tmp_path / f"{name}.toml").write_text("")
    (tmp_path / "templates").mkdir()
    read: list[Path] = []

    def slowly(folder: Path) -> Lexicon:
        read.append(folder)
        time.sleep(0.1)
        return load_lexicon(folder)

    monkeypatch.setattr(grammar, "load_lexicon", slowly)
    with ThreadPoolExecutor(5) as pool:
        found = list(pool.map(load_grammar, [tmp_path] * 5))
    assert read == [tmp_path] and len(set(map(id, found))) == 1
