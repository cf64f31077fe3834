"""A small lecture as text, good and with one thing wrong."""

GOOD = '''# a lecture
name = "small"
title.en = "Small"
title.zh = "小"
about.en = """
Two lines,
of which one could be read as [[scene]]
name = "nothing" """
about.zh = "两行"

[[scene]]
name = "one"
link = "http://127.0.0.1:8501/attention?text=I+like+you&layer=2&head=1&theme=dark&language=zh"
title.en = "One {key}"
title.zh = "一 {key}"
notes.en = "Braces like {this one} and {} are no places; {share} is."
notes.zh = "{share}"
minutes = 1.5
key = { address = "source/input", at = { position = 1, feature = 0 } }
[scene.facts.share]
address = "decoder/1/cross_attention/weights"
at = { head = 0, query = 0, key = { en = "likes", zh = 1 } }
form = "percent"

[scene.question]
kind = "choice"
prompt.en = "Which?"
prompt.zh = "哪个？"
options = [
  { en = "Love", zh = "爱" },
  { en = "Like", zh = "喜欢" },
]
[scene.question.truth]
address = "output/probabilities"
at = { position = 1 }
read = "argmax"
axis = "vocabulary"
words = [["爱"], ["喜欢"]]
scene = "two"

[[scene]]
name = "two"
link.en = "translate?text=The cat sleeps."
link.zh = "?text=猫睡觉。"
title.en = "Two"
title.zh = "二"
'''


def changed(old: str, new: str) -> str:
    """The good lecture with one thing other than it was."""
    assert GOOD.count(old) >= 1, old
    return GOOD.replace(old, new, 1)


TWICE = (
    GOOD
    + """
[[before_and_after]]
name = "grows"
title.en = "What grows?"
title.zh = "什么会变大？"
minutes = 0.5
[before_and_after.question]
kind = "choice"
prompt.en = "Which of the two grows?"
prompt.zh = "两者中哪个会变大？"
options = [
  { en = "The first", zh = "前者" },
  { en = "The second", zh = "后者" },
]
right = 1

[[before_and_after]]
name = "word"
title.en = "Which word?"
title.zh = "哪个词？"
[before_and_after.question]
kind = "choice"
prompt.en = "Which?"
prompt.zh = "哪个？"
options = [
  { en = "Love", zh = "爱" },
  { en = "Like", zh = "喜欢" },
]
[before_and_after.question.truth]
address = "output/probabilities"
at = { position = 1 }
read = "argmax"
axis = "vocabulary"
words = [["爱"], ["喜欢"]]
"""
)
