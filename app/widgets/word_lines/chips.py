"""The words of a trace as chips: what is written on them and how they are marked."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.figures.labels import visible
from core.reading.choices import UNSURE_BELOW, guarded, probabilities
from core.reading.signals import unseen_places
from core.text import vocabulary
from core.trace.trace import Trace

UNKNOWN = frozenset({vocabulary.UNKNOWN, *vocabulary.SLOTS})


@dataclass(frozen=True)
class Chip:
    """One word on screen."""

    text: str  # blanks shown, shortened; "" for the end, which is drawn as a flag
    slot: str = ""  # the vocabulary's name of an unknown word
    typed: str = ""  # an unknown word, in full
    guarded: str = ""  # of an output word, the better one that the repetition guard forbade
    listed: bool = False  # an unknown word whose translation is known from a list
    unseen: bool = False  # a source word at which no word of the translation looks
    sink: bool = False  # punctuation or the end: attention rests there without meaning
    probability: float | None = None  # of an output word, 0..1 or NaN

    @property
    def end(self) -> bool:
        """Whether this is the end of the sentence, not a word."""
        return not self.text

    @property
    def unsure(self) -> bool:
        """Whether the model took this word without being sure of it."""
        return self.probability is not None and not self.probability >= UNSURE_BELOW


def source_chips(trace: Trace) -> list[Chip]:
    """The words of the source, its end last."""
    unknown, unseen, listed = set(trace.source_unknown), unseen_places(trace), _listed(trace)
    return [
        replace(
            _chip(token, piece, place in unknown),
            listed=piece in listed,
            unseen=place in unseen,
        )
        for place, (token, piece) in enumerate(
            zip(trace.source_tokens, trace.source_pieces, strict=True)
        )
    ]


def output_chips(trace: Trace) -> list[Chip]:
    """The words that the decoder's rows chose, each with its probability."""
    listed = _listed(trace)
    rows = zip(trace.output_tokens, trace.output_pieces, probabilities(trace), strict=True)
    return [
        replace(
            _chip(token, piece, piece in UNKNOWN, chance),
            listed=piece in listed,
            guarded=visible(word) if (word := guarded(trace, row)) else "",
        )
        for row, (token, piece, chance) in enumerate(rows)
    ]


def _listed(trace: Trace) -> set[str]:
    """The slots whose word has a translation: it is not written as it was typed."""
    typed = zip(trace.source_pieces, trace.source_tokens, strict=True)
    return {piece for piece, token in typed if trace.surfaces.get(piece, token) != token}


def greyed(chips: Sequence[Chip]) -> list[int]:
    """The positions that are drawn in grey."""
    return [place for place, chip in enumerate(chips) if chip.sink]


def _chip(token: str, piece: str, unknown: bool, probability: float | None = None) -> Chip:
    end = piece == vocabulary.END  # a typed "<eos>" travels in a slot
    return Chip(
        text="" if end else visible(token),
        slot=piece if unknown else "",
        typed=token if unknown else "",
        sink=end or _is_punctuation(token),
        probability=probability,
    )


def _is_punctuation(token: str) -> bool:
    return bool(token) and all(unicodedata.category(sign)[0] == "P" for sign in token)
