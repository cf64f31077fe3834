"""Pair files: what is good in them is read, what is wrong is told with its line."""

import codecs
from pathlib import Path

import pytest

from glassformer.core.corpus import Pair
from glassformer.core.interruption import StoppedError, heard_by
from glassformer.core.text.words import WordTokenizer, load_tokenizer
from glassformer.core.text_models.checkpoints import load_model, save_model
from glassformer.core.training.loop import new_model
from glassformer.core.training.queue import pairs
from glassformer.core.training.queue.lessons import held_apart, own_lessons, own_tokenizer
from glassformer.core.training.queue.pairs import (
    FEWEST,
    LONGEST_SIDE,
    MOST,
    MOST_BYTES,
    MOST_LINES,
    PairFile,
    read_pairs,
)
from glassformer.core.training.queue.run_files import small_recipe

GOOD = [(f"I have {i} cats.", f"我有 {i} 只猫。") for i in range(30)]


def joined(separator: str, pairs: list[tuple[str, str]] = GOOD) -> str:
    return "\n".join(separator.join(pair) for pair in pairs)


def told(file: PairFile) -> list[tuple[str, int | None]]:
    return [(problem.key, problem.line) for problem in file.problems]


@pytest.mark.parametrize("separator", ["\t", " = ", ","])
@pytest.mark.parametrize("start", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_forms_of_a_file(separator: str, start: str, end: str) -> None:
    data = (start + joined(separator)).replace("\n", end).encode()
    file = read_pairs(data)
    assert list(file.pairs) == GOOD
    assert file.problems == file.notes == ()


def test_quotes_of_csv() -> None:
    text = joined(",") + '\n"Yes, I do.","是的，""我"" 知道"'
    assert read_pairs(text, "x.csv").pairs[-1] == ("Yes, I do.", '是的，"我" 知道')
    assert told(read_pairs(joined(",") + '\n"a"b,c', "x.csv")) == [("quotes", 31)]


def test_commas_and_equals_in_tabbed_text_part_nothing() -> None:
    pairs = [(f"No, {i} = {i}, yes.", f"不，{i} = {i}") for i in range(25)]
    assert list(read_pairs(joined("\t", pairs)).pairs) == pairs


@pytest.mark.parametrize(
    ("line", "key", "values"),
    [
        ("no separator here", "no_separator", {"text": "no separator here"}),
        ("\t没有", "side_empty", {"side": 1}),
        ("nothing\t  ", "side_empty", {"side": 2}),
        ("a\x07b\t铃", "control", {"side": 1, "code": "U+0007", "place": 2}),
        ("what\t？！", "no_words", {"side": 2, "text": "？！"}),
        (f"{'la ' * 64}\t啦", "too_long", {"side": 1, "given": 64, "limit": 63}),
    ],
)
def test_a_bad_line_is_named(line: str, key: str, values: dict[str, object]) -> None:
    lines = joined("\t").split("\n")
    lines[6:6] = ["", line]
    file = read_pairs("\n".join(lines))
    assert told(file) == [(key, 8)]
    assert file.problems[0].values == values
    assert list(file.pairs) == GOOD and file.is_trainable and len(file.bad_lines) == 1


def test_sixty_three_words_are_allowed_and_chinese_counts_by_words() -> None:
    pairs = [*GOOD, ("la " * 62 + "la", "我们喜欢学习" * 12)]
    assert read_pairs(joined("\t", pairs)).problems == ()


def test_bytes_that_are_no_utf8() -> None:
    lines = joined("\t").encode().split(b"\n")
    lines[3] = "hello\t你好".encode("gb18030")
    file = read_pairs(b"\n".join(lines))
    assert told(file) == [("not_utf8", 4)]
    assert len(file.pairs) == 29


def test_files_that_are_refused_as_a_whole() -> None:
    assert told(read_pairs(codecs.BOM_UTF16_LE + joined("\t").encode("utf-16-le"))) == [
        ("utf16", None)
    ]
    binary = read_pairs(b"one\ttwo\nPK\x03\x04\0\0")
    assert told(binary) == [("binary", None)] and binary.problems[0].values == {"at": 2}
    assert told(read_pairs(b"x" * (MOST_BYTES + 1))) == [("too_large", None)]
    assert told(read_pairs(" \n\n")) == [("empty", None)]
    few = read_pairs(joined("\t", GOOD[: FEWEST - 1]))
    assert told(few) == [("too_few", None)] and not few.is_trainable
    assert read_pairs(joined("\t", GOOD[:FEWEST])).is_trainable


def test_too_many_are_cut_with_a_note() -> None:
    lines = "\n".join(f"a{i}\tb{i}" for i in range(MOST + 7))
    file = read_pairs(lines)
    assert len(file.pairs) == MOST and file.problems == ()
    assert [(note.key, note.values["given"]) for note in file.notes] == [("cut", MOST + 7)]


def test_what_is_odd_is_noted() -> None:
    lines = ["English\tChinese\tfrom", *joined("\t").split("\n")]
    lines += ["I have 3 cats.\t我有三只猫。", "I have 4 cats.\t我有 4 只猫。", "new\t新\tmore"]
    file = read_pairs("\n".join(lines))
    assert {note.key: note.values.get("lines") for note in file.notes} == {
        "heading": None,
        "ambiguous": "32",
        "repeated": "33",
        "columns": "34",
    }
    assert len(file.pairs) == 32 and file.problems == ()


def test_chinese_in_front_is_exchanged() -> None:
    file = read_pairs(joined("\t", [(chinese, english) for english, chinese in GOOD]))
    assert list(file.pairs) == GOOD and [note.key for note in file.notes] == ["turned"]


def test_a_tenth_is_held_out_with_all_its_translations() -> None:
    pairs = [(f"s{i // 2}", f"t{i}") for i in range(100)]
    learned, kept = held_apart(pairs, 1)
    assert sorted(learned + kept) == sorted(pairs) and 10 <= len(kept) <= 11
    assert not {source for source, _ in learned} & {source for source, _ in kept}
    assert len(held_apart(GOOD[:20], 1)[1]) == 5
    assert held_apart(pairs, 2)[1] != kept
    one_source = [("s", f"t{i}") for i in range(20)]
    assert held_apart(one_source, 1) == (one_source, [])  # something is left to learn from


def test_the_words_are_those_of_the_pairs_that_are_learned() -> None:
    lessons = own_lessons(GOOD, 1)
    assert lessons.pairs == 25 and len(lessons.held_out) == 5
    drawn = next(lessons.stream("a"))
    assert isinstance(drawn, Pair) and drawn.english[:2] == ("i", "have")
    assert drawn.chinese[-2:] == ("猫", ".")
    sources = {pair.english for pair in lessons.held_out}
    stream = lessons.stream("b")
    assert not sources & {next(stream).english for _ in range(100)}


def test_other_languages_come_back_as_they_are_written(tmp_path: Path) -> None:
    pairs = [
        ("Ich sehe den Hund.", "Я вижу собаку."),
        ("Der Hund sieht mich!", "Собака видит меня!"),
    ]
    tokenizer = own_tokenizer(pairs * 10)
    model = new_model(small_recipe(100), len(tokenizer.vocabulary))
    save_model(tmp_path / "own", model, tokenizer)
    loaded = load_tokenizer(tmp_path / "own")
    assert isinstance(loaded, WordTokenizer) and loaded.capitals == ("en", "zh")
    encoded = loaded.encode("ich sehe den Wal.", "en")
    assert encoded.surfaces == ("ich", "sehe", "den", "Wal", ".", "<eos>")
    assert encoded.pieces[3] == "<unk>" and encoded.unknown == (3,)
    assert loaded.decode(("der", "hund", "sieht", "mich", "!"), {}, "en").text == pairs[1][0]
    assert (loaded.detect("вижу собаку"), loaded.detect("sehe Hund")) == ("zh", "en")
    translator, words = load_model(tmp_path / "own"), tokenizer.vocabulary
    assert translator.guard(()).marks == {words.id("."), words.id("!")}  # no "?" is not `<unk>`
    trace = translator.trace("<eos> sehe <b>x</b> den", direction="en-zh")
    assert trace.source_pieces == ("<unk>", "sehe", "<unk>", "den", "<eos>")


def test_chinese_is_written_without_spaces_and_with_its_own_marks() -> None:
    tokenizer = own_tokenizer([("I love you.", "我爱你。"), ("You love me.", "你爱我。")] * 10)
    assert tokenizer.decode(("我", "爱", "你", "."), {}, "zh").text == "我爱你。"
    assert tokenizer.decode(("i", "love", "you", "."), {}, "en").text == "I love you."
    assert tokenizer.encode("你爱我,我爱你", "zh").pieces == (
        "你", "爱", "我", "<unk>", "我", "爱", "你", "<eos>",
    )  # fmt: skip


def test_a_side_too_long_is_not_divided_into_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such a file took 150 seconds of processor time."""

    def never(*_: object) -> None:
        raise AssertionError("divided into words")

    monkeypatch.setattr(pairs, "split_words", never)
    lines = f"a b\t{'我' * 2000}\n" * 50 + f"{'我' * 100}\t{'la ' * 400}\n" * 50
    found = read_pairs(lines)
    assert {problem.key for problem in found.problems} == {"side_long", "too_few"}
    assert found.problems[1].values == {"side": 2, "given": 2000, "limit": LONGEST_SIDE}
    assert found.problems[-2].line == 100


def test_a_file_of_too_many_lines_is_not_read() -> None:
    found = read_pairs("\n" * (MOST_LINES + 1))
    assert told(found) == [("too_many_lines", None)]
    assert told(read_pairs("\n" * MOST_LINES)) == [("empty", None)]


def test_reading_can_be_ended_after_each_line() -> None:
    class Ear:
        steps = 0

        def step(self) -> None:
            self.steps += 1
            if self.steps == 10:
                raise StoppedError

        def progress(self, done: int, total: int) -> None:
            assert (done, total) == (self.steps, 30)
            self.step()

        def idle(self) -> None:
            raise AssertionError

    ear = Ear()
    with heard_by(ear), pytest.raises(StoppedError):
        read_pairs(joined("\t"))
    assert ear.steps == 10
