"""One word for one thing: the words given up come back on no screen.

The words chosen stand in docs/recipes/words.md; what is left of the pairs is looked for here.
"""

import re

import pytest

from glassformer.app.words import texts_of_language

# What is given up, as a pattern: what the screens say instead.
GIVEN_UP = {
    "en": {
        r"\bspread (1|σ|of|and)\b|^spread( σ)?$|\b(and|the) spread\b": "std. deviation",
        r"\b(start|end|begin) (flag|sign|mark)\b": "begin token, end token",
        r"\bmarks that\b|^marks$": "control tokens, signs",
        r"\b[Tt]he lots?\b|\bby lot\b|\bother lots\b": "random number, at random",
        r"\bthe race\b": "masked out",
        r"^Memory$|^memory$|[’']s memory\b|the memory\b(?!.*(GB|MB))": "encoder output",
        r"translation so far": "target",
        r"start, end,": "begin, end",
        r"√d_k": "√dₖ",
    },
    "zh": {
        r"随机失活": "dropout",
        r"√d_k": "√dₖ",
        r"[前后]置(层)?归一化": "pre-norm, post-norm",
        r"(?<!内存)记忆": "编码器输出",
        r"开始符": "起始符",
        r"结束标记": "结束符",
        r"签(?!名)(?<!标签)": "随机数",
        r"往前三个词": "前面第三个词",
        r"\bnats?\b": "奈特",
        r"源端|目标端": "源句、目标句",
        r"末尾的?(加|无)?层?归一化|(?<!标)最终归一化": "最终层归一化",
        r"标准化": "归一化",
        r"抽样": "采样",
        r"堆栈": "堆叠",
        r"[前后]归一化": "pre-norm, post-norm",
        r"(?<![个每多各单加一])头 (\d|\{head\})": "第 1 头",
        r"(?<!残)差流|数据流": "残差流",
        r"大厅": "讲堂",
        r"(?<![屏字])幕": "场景",
        r"对数几率": "logit",
        r"未训练(：|句)": "留出句",
    },
}


@pytest.mark.parametrize("language", GIVEN_UP)
def test_no_screen_says_a_word_that_was_given_up(language: str) -> None:
    found = [
        (key, match[0], instead)
        for pattern, instead in GIVEN_UP[language].items()
        for key, text in texts_of_language(language).items()
        if (match := re.search(pattern, text))
    ]
    assert not found
