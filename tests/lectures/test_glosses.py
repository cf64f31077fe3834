"""What stands under the words of a sentence: the lecture's glosses, else where the run looked."""

from dataclasses import replace

from glassformer.app.hall.answers import prepare_answers
from glassformer.app.runs.traces import get_trace
from glassformer.core.lectures.glosses import gloss_words
from glassformer.core.lectures.lecture import Scene
from glassformer.core.lectures.read import load_lecture, read_lecture
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


def test_a_switched_or_untrained_run_does_not_say_what_words_mean() -> None:
    """In *An average is a blur* the model writes “was” and “myself” where it no longer looks."""
    lecture = replace(load_lecture("average"), gloss={})
    found = dict(prepare_answers(lecture, lecture.scene("blurred"), "en")["glossed"])
    assert (found["买"], found["书"], found["北京"]) == ("bought", "book", "Beijing")
    query = {"text": "我昨天在北京买了一本书", "step": "0"}
    untrained = Scene("early", "translate", query, {"en": "Untrained", "zh": "未训练"})
    again = dict(prepare_answers(lecture, untrained, "en")["glossed"])
    assert again["书"] == "book"


def test_a_sign_is_no_gloss_of_itself() -> None:
    run = get_trace("我真羡慕你有这么好的朋友。")
    words = dict(gloss_words(replace(read_lecture(GOOD), gloss={}), run))
    assert words["."] == ""
