"""A small vocabulary, so that these tests need no trained model."""

import pytest

from glassformer.core.text.tokenizer import Tokenizer
from glassformer.core.text.vocabulary import Vocabulary

ENGLISH = """i you he she it the a this these my his 's am is are was love like likes have has
cat cats animal street cross didn't don't can't isn't because too tired wide . , ? ! two many three
apple book friend to in live beijing welcome machine learning not o'clock interesting happy
of with will only at rose
she quite beautiful food drinking water mother law short video
""".split()
CHINESE = """我 你 他 爱 喜欢 有 一 只 个 本 的 了 猫 书 苹果 动物 马路 没有 穿过 因为
太 累 宽 机器 学习 欢迎 来 到 北京 上海 和 同学 一起 听 买 它 味道 很 在 图书馆 昨天
看 三 两 小 小明 们 我们 你们""".split()


@pytest.fixture(scope="session")
def tokenizer() -> Tokenizer:
    counts = {word: 1000 // (rank + 1) + 1 for rank, word in enumerate(CHINESE)}
    spelling = {"i": "I", "beijing": "Beijing"}
    return Tokenizer(Vocabulary(dict.fromkeys([*ENGLISH, *CHINESE]), spelling, counts))
