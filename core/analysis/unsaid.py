"""Nouns of a source of which a translation has nothing: 我爱苹果手机 → "I love apples".

That nothing looks at a word does not show it: 手机 is looked at, beside 苹果, for "apples". Two
things together do: no row looks at it most, and none of its translations in the word lists is
written. Of 590 typed sentences seven are found by each bundled model; most say the noun in other
words, so that it is a reason for doubt, not a proof.
"""

import json
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from glassformer.core.corpus.lexicon import ACTS, load_lexicon
from glassformer.core.text.vocabulary import END
from glassformer.core.trace.trace import Trace

NOT_ALSO = {*ACTS, "adjective"}  # kinds of words: of a noun that is also a verb nothing is known
NOUNS = Path(__file__).with_name("nouns.json")
Words = tuple[str, ...]


def unsaid_nouns(trace: Trace) -> tuple[str, ...]:
    """The nouns of a source of which its translation has nothing.

    Nouns of one letter or sign are left out, and those of which nothing is known: they are in no
    word list, or are verbs or adjectives as well.

    Args:
        trace: a run of an encoder–decoder, its first sentence.

    Returns:
        The nouns as typed, in the order of the source.

    Raises:
        GlassformerError: `unknown_address` for a model without cross-attention.
    """
    weights = trace[f"decoder/{trace.config.decoder_layers - 1}/cross_attention/weights"][0]
    rows = [at for at, piece in enumerate(trace.output_pieces) if piece != END]
    led = set(weights.mean(dim=0)[rows].argmax(dim=-1).tolist()) if rows else set()
    return tuple(
        trace.source_tokens[at]
        for at, piece in enumerate(trace.source_pieces)
        if at not in led and len(piece) > 1 and _is_missing(piece, trace)
    )


def _is_missing(piece: str, trace: Trace) -> bool:
    """Whether it is a noun of the word lists, and none of its translations is written."""
    translations = _nouns().get(piece, frozenset())
    written = [each.lower() for each in trace.output_pieces]
    if trace.direction == "en-zh":  # one word may be written as several
        return bool(translations) and not any(
            "".join(words) in "".join(written) for words in translations
        )
    return bool(translations) and not any(set(words) <= set(written) for words in translations)


@cache
def _nouns() -> Mapping[str, frozenset[Words]]:
    """What `find_nouns` gives, read: to build the lexicon takes half a second, and a page waits."""
    table: dict[str, list[str]] = json.loads(NOUNS.read_text(encoding="utf-8"))
    return {piece: frozenset(tuple(each.split()) for each in of) for piece, of in table.items()}


def find_nouns() -> dict[str, list[str]]:
    """The nouns of the word lists that are no verbs or adjectives, with all their translations.

    Returns:
        For each noun, lowercase English or Chinese, its translations in order, the words of one
        divided by blanks.
    """
    kinds, found = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for entry in load_lexicon().entries:
        for each in (entry, *entry.synonyms):
            for form in each.english.values():
                words = tuple(word.lower() for word in form)
                for one, other in ((words, each.chinese), (each.chinese, words)):
                    if len(one) == 1:
                        kinds[one[0]].add(entry.category.partition(".")[0])
                        found[one[0]].add(" ".join(other))
    return {
        piece: sorted(found[piece])
        for piece, of in sorted(kinds.items())
        if "noun" in of and not of & NOT_ALSO
    }


def write_nouns() -> None:
    """Writes what `find_nouns` gives, a line a noun, once the word lists have changed."""
    lines = ",\n".join(
        f"{json.dumps(noun, ensure_ascii=False)}: {json.dumps(of, ensure_ascii=False)}"
        for noun, of in find_nouns().items()
    )
    NOUNS.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
