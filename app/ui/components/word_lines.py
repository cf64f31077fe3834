"""Words of source and output as chips, and attention as lines between them."""

import math
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassformer.app.plots.labels import format_percent, visible
from glassformer.app.ui.component import CHIP_COLUMNS, component, go_to_place
from glassformer.core.analysis.attention_views import marks_of
from glassformer.core.analysis.choices import UNSURE_BELOW, guard_stop, probabilities, rows_by_model
from glassformer.core.analysis.confidence import unseen_places
from glassformer.core.text import vocabulary
from glassformer.core.trace.trace import Trace

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
    sink: bool = False  # grey: a sign, where attention rests without meaning, or a given word
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
    """The words of the source, its end last; of a decoder alone those that its rows have read."""
    if not trace.config.encoder_layers:
        read = zip(trace.target_tokens, trace.target_pieces, strict=True)
        return [_chip(token, piece, False, piece in marks_of(trace)) for token, piece in read]
    unknown, unseen, listed = set(trace.source_unknown), _unseen(trace), _listed(trace)
    marks = marks_of(trace)
    words = zip(trace.source_tokens, trace.source_pieces, strict=True)
    return [
        _chip(
            token,
            piece,
            place in unknown,
            piece in marks,
            listed=piece in listed,
            unseen=place in unseen,
        )
        for place, (token, piece) in enumerate(words)
    ]


def output_chips(trace: Trace) -> list[Chip]:
    """The words that the rows chose, each with its probability; grey those that were given."""
    listed, chosen, marks = _listed(trace), set(rows_by_model(trace)), marks_of(trace)
    chances = (
        probabilities(trace) if trace.config.has_generator else [None] * len(trace.output_tokens)
    )
    rows = zip(trace.output_tokens, trace.output_pieces, chances, strict=True)
    return [
        _chip(
            token,
            piece,
            piece in UNKNOWN,
            row not in chosen or piece in marks,
            probability=chance,
            listed=piece in listed,
            guarded=visible(word) if (word := guard_stop(trace, row)) else "",
        )
        for row, (token, piece, chance) in enumerate(rows)
    ]


def _unseen(trace: Trace) -> set[int]:
    return unseen_places(trace) if trace.config.has_both else set()


def _listed(trace: Trace) -> set[str]:
    """The slots whose word has a translation: it is not written as it was typed."""
    typed = zip(trace.source_pieces, trace.source_tokens, strict=True)
    return {piece for piece, token in typed if trace.surfaces.get(piece, token) != token}


def grey_positions(chips: Sequence[Chip]) -> list[int]:
    """The positions that are drawn in grey."""
    return [place for place, chip in enumerate(chips) if chip.sink]


def _chip(token: str, piece: str, unknown: bool, no_word: bool, **more: Any) -> Chip:
    end = piece == vocabulary.END  # a typed "<eos>" travels in a slot
    return Chip(
        text="" if end else visible(token),
        slot=piece if unknown else "",
        typed=token if unknown else "",
        sink=no_word or _is_punctuation(token),
        **more,
    )


def _is_punctuation(token: str) -> bool:
    return bool(token) and all(unicodedata.category(sign)[0] == "P" for sign in token)


FAINTEST = 0.005  # weaker lines would not be seen
NO_STEP = -1  # no output word is marked

_lines = component(__file__, "word_lines", scripts=(CHIP_COLUMNS,))


@dataclass(frozen=True)
class Pin:
    """The word that stays in focus: "source" or "target", and its place."""

    side: str
    place: int


def word_lines(
    key: str, data: Mapping[str, Any], on_pin: Callable[[Pin | None], None],
    on_hide: Callable[[int], None] | None = None,
) -> None:  # fmt: skip
    """Draw the words and lines of `lines_data` over the height of their container.

    `on_pin(pin)` is called when a word is clicked, `on_hide(place)` when a word of the source is
    hidden or shown again by the eye beside it; without it there is none.
    """
    sizes = len(data["sources"]), len(data["outputs"])
    heard: dict[str, Callable[[Any], None]] = {"pin": lambda it: on_pin(read_pin(it, *sizes))}
    if on_hide is not None:
        heard["hide"] = go_to_place(sizes[0], on_hide)
    _lines(key, data, height="stretch", **heard)


def lines_data(
    sources: Sequence[Chip],
    outputs: Sequence[Chip],
    weights: np.ndarray,
    pin: Pin | None,
    step: int,
    hue: str,
    texts: Mapping[str, str],
) -> dict[str, Any]:
    """What is sent to the browser, as plain JSON: only the lines that can be seen.

    A line is [output place, source place, weight]; a weight that is not a number is None.

    weights (T, S): of each output to each source word. step: the output word whose probability is
    marked, because its candidates stand elsewhere on the page, or NO_STEP. hue: of the
    lines. texts: "source", "output", "end", "slot" and "slot_listed"
    (with {slot} and {word}), "guarded" (with {word}), "unseen", "legend", and "mark_unknown",
    "mark_unsure", "mark_unseen", "mark_guarded" for the legend.
    """
    return {
        "sources": [_sent(chip) for chip in sources],
        "outputs": [_sent(chip) for chip in outputs],
        "lines": _visible_lines(weights),
        "pin": [pin.side, pin.place] if pin else None,
        "step": step,
        "colours": {"hue": hue},
        "texts": dict(texts),
    }


def read_pin(value: Mapping[str, Any], sources: int, outputs: int) -> Pin | None:
    """The pinned word in what the browser sent; None for "released" and for what is not there."""
    side, place = value.get("side"), value.get("place")
    sizes = {"source": sources, "target": outputs}
    if side not in sizes or not isinstance(place, int) or not 0 <= place < sizes[side]:
        return None
    return Pin(side, place)


def _sent(chip: Chip) -> dict[str, Any]:
    names = ("text", "slot", "typed", "guarded", "listed", "unseen", "sink")
    sent: dict[str, Any] = {name: getattr(chip, name) for name in names}
    if chip.probability is None:
        return sent
    number = not math.isnan(chip.probability)
    return sent | {
        "share": round(chip.probability, 4) if number else 0,
        "percent": format_percent(chip.probability) if number else "NaN",
        "unsure": chip.unsure,
    }


def _visible_lines(weights: np.ndarray) -> list[list[int | float | None]]:
    seen = ~(weights < FAINTEST)  # NaN compares false and is kept
    places, numbers = np.argwhere(seen).tolist(), weights[seen].astype(float).tolist()
    return [
        [*place, round(weight, 4) if math.isfinite(weight) else None]  # JSON has no NaN
        for place, weight in zip(places, numbers, strict=True)
    ]
