"""Words that the vocabulary has, but that the model was hardly taught."""

import pytest

from glassformer import load_model
from glassformer.core.text.vocabulary import Vocabulary


@pytest.mark.parametrize("name", ["translator", "translator-plain"])
@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("学生没有看见老师。", "The student didn't see the teacher."),
        ("学生 没有 看见 老师 。", "The student didn't see the teacher."),
        ("我看见了一只猫。", "I saw a cat."),
        ("她没有听见我。", "She didn't hear me."),
        ("我的车坏了。", "My car is broken."),
    ],
)
def test_a_word_that_is_hardly_taught_is_read_as_the_common_one(
    name: str, text: str, written: str
) -> None:
    model = load_model(name)
    assert model.translate(text, "zh-en") == written
    typed = model.tokenizer.encode(model.tokenizer.sentences(text)[0], "zh").surfaces
    for word in ("看见", "听见", "车"):
        assert (word in text) == (word in typed)  # shown as it was typed


def test_once_it_is_taught_it_is_read_as_itself() -> None:
    seldom = Vocabulary(["看见", "看到"], {}, {"看见": 11, "看到": 2205})
    often = Vocabulary(["看见", "看到"], {}, {"看见": 1100, "看到": 2205})
    alone = Vocabulary(["看见"], {}, {"看见": 11})
    assert [each.piece("看见") for each in (seldom, often, alone)] == ["看到", "看见", "看见"]


def test_spaced_and_unspaced_chinese_is_cut_alike() -> None:
    tokenizer = load_model().tokenizer
    for text in ("学生没有看见老师。", "我的车坏了。", "我喜欢咖啡，不过今天我想喝茶。"):
        found = tokenizer.encode(text, "zh")
        assert tokenizer.encode(" ".join(found.surfaces[:-1]), "zh").pieces == found.pieces
