"""What stands under the words of a sentence: the lecture's glosses, else where the run looked."""

from dataclasses import replace

from glassformer.app.runs.traces import get_trace
from glassformer.core.lectures.glosses import gloss_words
from glassformer.core.lectures.read import read_lecture
from tests.lectures.lectures import GOOD


def test_words_have_the_lectures_gloss_or_the_runs() -> None:
    lecture = read_lecture(GOOD)
    run = get_trace("I have a cat")
    found = dict(gloss_words(lecture, run))
    assert found["cat"] == "猫"  # the head that was taught the alignment looks there
    told = replace(lecture, gloss={"en": {"cat": "小猫", "i": "我们"}, "zh": {"cat": "none"}})
    said = dict(gloss_words(told, run))
    assert (said["cat"], said["I"]) == ("小猫", "我们")
    assert {word: said[word] for word in ("have", "a")} == {w: found[w] for w in ("have", "a")}
    chinese = gloss_words(replace(lecture, gloss={}), get_trace("猫睡觉。"))
    assert dict(chinese)["猫"].lower() == "cat"
