"""Lectures are read without trust: each mistake is named with its line."""

import pytest

from glassformer.core.errors import GlassformerError
from glassformer.core.lectures.links import pack_query
from glassformer.core.lectures.read import MOST_BYTES, bundled_lectures, load_lecture, read_lecture
from glassformer.core.lectures.write import write_lecture
from tests.lectures.lectures import GOOD, TWICE, changed

TRUTH, AT = "[scene.question.truth]", "at = { position = 1 }"


def line_of(text: str, words: str) -> int:
    return text[: text.index(words)].count("\n") + 1


def test_a_lecture_is_read_and_written() -> None:
    lecture = read_lecture(GOOD)
    assert (lecture.name, lecture.languages, lecture.minutes) == ("small", ("en", "zh"), 2.5)
    one, two = lecture.scenes
    assert one.link("en") == ("attention", {"text": "I like you", "layer": "2", "head": "1"})
    assert two.link("en") == ("", {"text": "The cat sleeps."})
    assert two.link("zh") == ("", {"text": "猫睡觉。"})
    assert one.line == line_of(GOOD, '[[scene]]\nname = "one"')
    assert one.question is not None and one.question.line == line_of(GOOD, "[scene.question]")
    assert set(one.truths) == {"key", "truth", "share"}
    assert lecture.source(one, one.truths["truth"]) == two
    assert read_lecture(write_lecture(lecture)) == lecture
    assert read_lecture(GOOD.replace("\n", "\r\n").encode("utf-8-sig")) == lecture


STEPS = """
focus = "map"
[[scene.step]]
set = { layer = 2, text = { en = "You sleep.", zh = "你睡觉。" } }
[[scene.step]]
name = "back"
set = { text = "" }
text.en = "No text."
text.zh = "没有句子。"
focus = ["map", "candidates"]
minutes = 0.5
"""


def test_steps_are_scenes_that_change_the_one_before() -> None:
    whole = changed('title.zh = "二"\n', f'title.zh = "二"{STEPS}')
    lecture = read_lecture('gloss.zh = { "猫" = "cat" }\n' + whole)
    _, two, step, back = lecture.scenes
    assert [lecture.place(at) for at in range(4)] == [(1, 0), (2, 0), (2, 1), (2, 2)]
    assert [each.step for each in lecture.scenes] == [False, False, True, True]
    assert step.link("zh") == ("", {"text": "你睡觉。", "layer": "2"})
    assert step.link("en") == ("", {"text": "You sleep.", "layer": "2"})
    assert (step.name, step.title, step.minutes, step.focus) == ("two-1", two.title, 0, ("map",))
    assert back.link("en") == ("", {}), "each step changes the scene's link, not the last step's"
    assert (back.name, back.focus, lecture.minutes) == ("back", ("map", "candidates"), 3)
    assert lecture.gloss == {"zh": {"猫": "cat"}}
    assert read_lecture(write_lecture(lecture)) == lecture


def test_a_scene_may_be_left_out_of_the_short_path() -> None:
    steps = "\n[[scene.step]]\nset = { layer = 2 }\n[[scene.step]]\nshort = true\n"
    whole = changed('title.zh = "二"\n', f'title.zh = "二"\nshort = false{steps}')
    lecture = read_lecture(whole.replace("minutes = 1.5", "minutes = 1.5\nshort = false"))
    assert [scene.short for scene in lecture.scenes] == [False, False, False, True]
    assert read_lecture(write_lecture(lecture)) == lecture


def test_any_text_is_written_so_that_it_is_read_again() -> None:
    hostile = 'a "quoted" \\ back\tslash \x7f \x01 {} \u2028 </script> 😀\n\nlast """ line \\'
    lecture = read_lecture(changed('title.en = "Small"', "title.en = 'x'"))
    named = lecture.having(*lecture.scenes)
    object.__setattr__(named, "title", {"en": hostile, "zh": hostile[::-1].strip()})
    assert read_lecture(write_lecture(named)) == named


def test_a_packed_link_is_opened() -> None:
    query = {"text": "I like you", "pairs": "a\tb\n" * 900}
    link = f"training?z={pack_query(query)['z']}&size=150"
    assert read_lecture(changed("?text=猫睡觉。", link)).scenes[1].link("zh") == ("training", query)


# what is wrong: the change, the error, the words on the line that it names
WRONG = [
    ('name = "small"', "name = small", "toml", "name = small"),
    ('title.zh = "小"', 'title.zh = "小"\ntitle.zh = "大"', "toml", 'title.zh = "大"'),
    ('name = "small"', 'name = "Small!"', "name", "Small!"),
    ('name = "small"\n', "", "missing", "# a lecture"),
    ('title.zh = "二"', 'title.zh = "二"\ntext = "x"', "kind", 'text = "x"'),
    ('title.zh = "二"', 'subtitle = "x"', "unknown", "subtitle"),
    ('title.zh = "二"\n', "", "language", 'title.en = "Two"'),
    ('title.zh = "二"', 'title.zh = " "', "kind", 'title.zh = " "'),
    ('title.zh = "二"', 'title.zh = "二"\ntitle.fr = "Deux"', "unknown", "title.fr"),
    ('title.zh = "二"', f'title.zh = "{"二" * 201}"', "long", "二二"),
    ("minutes = 1.5", "minutes = nan", "kind", "minutes"),
    ("minutes = 1.5", "short = 0", "kind", "short"),
    ("minutes = 1.5", "minutes = -1", "kind", "minutes"),
    ("minutes = 1.5", "minutes = true", "kind", "minutes"),
    ('name = "two"', 'name = "one"', "twice", 'name = "one"\nlink.en'),
    ('scene = "two"', 'scene = "three"', "scene", '[[scene]]\nname = "one"'),
    ('"?text=猫睡觉。"', '"../../etc/pass%wd"', "link", "pass%wd"),
    ('"?text=猫睡觉。"', '"?z=abc"', "link", "z=abc"),
    ('"?text=猫睡觉。"', '"http://[?x=1"', "link", "http://["),
    ('"?text=猫睡觉。"', '"?text=%00"', "link", "%00"),
    ('link.en = "translate?text=The cat sleeps."\n', "", "language", "link.zh"),
    ('kind = "choice"', 'kind = "number"', "options", "[scene.question]"),
    ('kind = "choice"', 'kind = "essay"', "kind", "essay"),
    ('  { en = "Like", zh = "喜欢" },\n', "", "options", "[scene.question]"),
    ('  { en = "Like", zh = "喜欢" },\n', '  { en = "Like" },\n', "language", "options"),
    ('words = [["爱"], ["喜欢"]]', "bounds = [0.1, 0.5]", "truth", TRUTH),
    ('words = [["爱"], ["喜欢"]]', "bounds = [0.5, 0.1]", "kind", "bounds"),
    ('words = [["爱"], ["喜欢"]]', "words = [1]", "kind", "words = [1]"),
    ('axis = "vocabulary"\n', "", "axis", TRUTH),
    ('read = "argmax"', 'read = "magic"', "kind", "magic"),
    (AT, "at = { position = -1 }", "kind", "position = -1"),
    (AT, 'at = { position = { en = "I" } }', "language", 'position = { en = "I"'),
    ('form = "percent"', "digits = 3", "unknown", "digits"),
    ("{share}", "{shares}", "place", "notes.en"),
    ("facts.share", "facts.truth", "name", "[scene.facts.truth]"),
    ("minutes = 1.5", "focus = []", "kind", "focus"),
    ("minutes = 1.5", 'focus = ["a", "b", "c"]', "kind", "focus"),
    ("minutes = 1.5", 'focus = "x; } *"', "kind", "focus"),
    ("minutes = 1.5", "step = true", "kind", "step = true"),
    ('title.zh = "二"', 'title.zh = "二"\n[[scene.step]]\nset = { head = [1] }', "kind", "set"),
    ('title.zh = "二"', 'title.zh = "二"\n[[scene.step]]\nset = { size = 150 }', "kind", "set"),
    ('title.zh = "二"', 'title.zh = "二"\n[[scene.step]]\nset.text.en = "x"', "language", "set"),
    ('title.zh = "二"', 'title.zh = "二"\n[[scene.step]]\nname = "one"#', "twice", 'name = "one"#'),
    ('name = "small"', 'name = "small"\ngloss.fr = {}', "unknown", "gloss"),
    ('name = "small"', 'name = "small"\ngloss.en = { cat = 1 }', "kind", "gloss"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "key", "words"), WRONG)
def test_a_mistake_is_named_with_its_line(old: str, new: str, key: str, words: str) -> None:
    text = changed(old, new)
    with pytest.raises(GlassformerError) as caught:
        read_lecture(text)
    assert caught.value.key == f"lecture_{key}", caught.value
    assert caught.value.values["line"] == line_of(text, words), caught.value
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("data", "key"),
    [
        (b"", "missing"),
        (b"\xff\xfe", "encoding"),
        (GOOD.encode("gb18030"), "encoding"),
        ("\ud800", "encoding"),
        (b"#" * (MOST_BYTES + 1), "large"),
        ('name = "x"\ntitle.en = "x"', "missing"),
        ('name = "x"\ntitle.en = "x"\nscene = []', "kind"),
        ('name = "x"\ntitle.en = "x"\nscene = [1]', "kind"),
        ('name = "x"\ntitle.en = "x"\n' + "[[scene]]\n" * 101, "many"),
        ("[\n" * 4000, "toml"),
        ("a=" + "[\n" * 4000, "toml"),
        (".".join("a" * 100_000), "line"),
        ("a=" + "9" * 200_000, "line"),
        ('a="""' + "x" * 200_000, "toml"),
        ('a="' + '\\"' * 100_000, "toml"),
        ("a='''" + "''" * 100_000, "toml"),
        ("1=[]\n" * 40_000, "lines"),
        ("".join(f"[a{i}]\n" for i in range(4000)), "kind"),
        (f"scene = 1\ntitle = 1\nname.{'.'.join('a' * 190)} = 1\n", "name"),
    ],
)
def test_what_is_hostile_costs_little(data: str | bytes, key: str) -> None:
    with pytest.raises(GlassformerError) as caught:
        read_lecture(data)
    assert caught.value.key == f"lecture_{key}"


def test_another_name_is_no_bundled_lecture() -> None:
    for name in ("../secrets", "", "nothing"):
        with pytest.raises(LookupError):
            load_lecture(name)
    assert all(load_lecture(name).name == name for name in bundled_lectures())


def test_a_lecture_begins_and_ends_with_the_same_questions() -> None:
    lecture = read_lecture(TWICE)
    names = ["before-grows", "before-word", "one", "two", "after-grows", "after-word"]
    assert [scene.name for scene in lecture.scenes] == names
    assert [scene.asked for scene in lecture.scenes] == [*["before"] * 2, "", "", *["after"] * 2]
    assert lecture.scenes[0].link("zh") == lecture.scene("one").link("zh")
    assert lecture.scenes[-1].link("zh") == lecture.scene("two").link("zh")
    assert {scene.truths["truth"].scene for scene in lecture.scenes[1::4]} == {"one"}
    assert not lecture.scenes[0].truths  # nothing is read in a run
    assert lecture.minutes == 2.5 + 2 * (0.5 + 1)
    assert read_lecture(write_lecture(lecture)) == lecture
    assert len(read_lecture(GOOD).scenes) == 2  # a file without them is as before


@pytest.mark.parametrize(
    ("old", "new", "key", "words"),
    [
        ("right = 1", "right = 2", "kind", "right = 2"),
        ("right = 1", "right = -1", "kind", "right = -1"),
        ("right = 1\n", "", "missing", "[before_and_after.question]"),
        ("right = 1", 'right = 1\ntruth = { address = "memory" }', "unknown", "right = 1"),
        ('name = "word"', 'name = "grows"', "twice", 'name = "grows"\ntitle.en = "Which word'),
        ('title.en = "Which word?"', 'title.en = "{what}"', "place", "{what}"),
        (
            'words = [["爱"], ["喜欢"]]\n',
            'words = [["爱"], ["喜欢"]]\nscene = "no"\n',
            "scene",
            '[[before_and_after]]\nname = "word"',
        ),
    ],
)
def test_a_mistake_in_a_question_asked_twice_is_named_with_its_line(
    old: str, new: str, key: str, words: str
) -> None:
    place = TWICE.rindex(old)
    text = TWICE[:place] + new + TWICE[place + len(old) :]
    with pytest.raises(GlassformerError) as caught:
        read_lecture(text)
    assert caught.value.key == f"lecture_{key}", caught.value
    assert caught.value.values["line"] == line_of(text, words), caught.value
