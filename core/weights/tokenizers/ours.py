"""The words of a translator of ours as a tokenizer.json: what the app makes of a text, nearly.

Its vocabulary is of whole words: Chinese is cut into the longest of them, short forms are spelled
out, and an English word gives way to the known one of its meaning. What depends on the words around
it is left out, and so is what travels in a copy slot: an unknown name or number is `<unk>`.
"""

import re
from collections.abc import Iterator, Sequence

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

from glassformer.core.errors import GlassformerError
from glassformer.core.text.english import CLITICS, MARKS
from glassformer.core.text.normalize import HAN, LOOKALIKES, has_han
from glassformer.core.text.tokenizer import Tokenizer as Ours
from glassformer.core.text.vocabulary import END, PADDING, TAGS, UNKNOWN

IS = "he she it that there here what who where how".split()  # before "'s", which else stays


def as_json(ours: Ours) -> Tokenizer:
    """The tokenizer that other programs read, of a translator's own words.

    Args:
        ours: the translator's tokenizer.

    Returns:
        One of the `tokenizers` package, which reads nearly as the app does.
    """
    vocabulary = ours.vocabulary
    words = {piece: place for place, piece in enumerate(vocabulary.pieces)}
    made = Tokenizer(models.WordLevel(words, unk_token=UNKNOWN))
    made.normalizer = normalizers.Sequence([*_normalizers(ours)])
    apart = [each for each in words if "'" in each[1:]]  # "don't", but "mother" and "'s"
    cut = f"(?<![a-z])(?:{_any(apart)})(?![a-z])|'s\\b|[.,?!]"
    made.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.WhitespaceSplit(),
        pre_tokenizers.Split(Regex(cut), "isolated"),
        pre_tokenizers.Split(Regex(f"{_any(_chinese(ours))}|[{HAN}]"), "isolated"),
    ])  # fmt: skip
    ends = [(END, vocabulary.id(END))]
    made.post_processor = processors.TemplateProcessing(single=f"$A {END}", special_tokens=ends)
    made.add_special_tokens([PADDING, END, *(f"<{each}>" for each in TAGS)])
    return made


def read_otherwise(ours: Ours, made: Tokenizer, texts: Sequence[str]) -> dict[str, tuple[int, int]]:
    """How many texts the written tokenizer reads otherwise than the app.

    What the app refuses does not count.

    Args:
        ours: the translator's tokenizer.
        made: what `as_json` made of it.
        texts: to be read by both.

    Returns:
        By language ("en", "zh"), how many are read otherwise, and of how many.
    """
    found = dict.fromkeys(TAGS, (0, 0))
    for text in texts:
        try:
            language = ours.detect(text)
            ids = ours.encode(text, language).ids
        except GlassformerError:
            continue
        wrong, every = found[language]
        found[language] = wrong + (tuple(made.encode(text).ids) != ids), every + 1
    return found


def _normalizers(ours: Ours) -> Iterator[normalizers.Normalizer]:
    """One way of writing for each character, then for what is said in several ways."""
    for code, meant in LOOKALIKES.items():
        yield normalizers.Replace(chr(code), str(meant))
    yield from (normalizers.NFKC(), normalizers.Lowercase())
    for typed, meant in MARKS.items():
        if typed not in (meant, "-"):
            yield normalizers.Replace(typed, meant)
    yield normalizers.Replace(Regex(rf"(?<=\b(?:{_any(IS)}))'s\b"), " is")
    for typed, meant in CLITICS.items():
        yield normalizers.Replace(Regex(rf"(?<=[a-z]){typed}\b"), f" {meant}")
    yield normalizers.Replace(Regex("(?<=[a-z])-(?=[a-z])"), " ")
    verbs = [each[:-3] for each in ours.vocabulary.pieces if each.endswith("n't")]
    yield normalizers.Replace(Regex(rf"(?<=\b(?:{_any(verbs)})) not\b(?! only)"), "n't")
    yield normalizers.Replace(Regex(r"\ban\b"), "a")
    for typed, meant in ours.vocabulary.meant.items():
        if not has_han(typed):  # a part of a Chinese word is often another word
            yield normalizers.Replace(Regex(rf"\b{re.escape(typed)}\b"), meant)


def _chinese(ours: Ours) -> Iterator[str]:
    """The words that Chinese is cut into: those that the app leaves whole, the longest first."""
    for word in filter(has_han, ours.vocabulary.pieces):
        try:
            if len(ours.encode(word, "zh").ids) == 2:  # itself and the end
                yield word
        except GlassformerError:  # no word
            continue


def _any(words: Iterator[str] | Sequence[str]) -> str:
    """A pattern of some words, the longest first; of none one that nothing fits."""
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True))) or r"\x00"
