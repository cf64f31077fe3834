"""The translation itself, how sure the model is of it, and what the reader can do."""

from __future__ import annotations

import math

from app import state
from app.figures.labels import format_percent, is_chinese, visible
from app.widgets.chart import current_look
from app.widgets.headline import headline
from app.widgets.translate.layout import is_large
from app.widgets.translate.map_panel import open_block
from app.words import say
from core.reading.choices import Confidence, confidence
from core.reading.repetition import Repetition
from core.text.vocabulary import END
from core.trace.trace import Trace

NAMED = 3  # unknown words that are written out
QUOTED = 5  # words of a repetition that are written out


def show(trace: Trace) -> None:
    """Draw the translation in large type with its cue."""
    look, trust = current_look(), confidence(trace)
    large = is_large(state.get_state())
    headline(
        trace.output_text or say("translate.nothing"),
        trace.direction.rpartition("-")[2],
        cue=" · ".join(cues(trace, trust)),
        cue_help=say("translate.cue_help"),
        level=trust.level,
        hint=_hint(trace, large),
        compact=large,
        colours={
            "grey": look.colour("faint"),
            "sure": look.colour("data"),
            "unsure": look.colour("key"),
        },
    )


def cues(trace: Trace, trust: Confidence) -> list[str]:
    """What to know about the translation, the gravest first, as plain text."""
    parts = []
    if not trust.ended:
        parts.append(say("translate.cue_cut", count=len(trace.output_tokens)))
    if trust.repeated:
        parts.append(_repeated(trust.repeated))
    if trust.unknown:
        parts.append(_unknown(trust.unknown))
    values = {"token": _shown(trace, trust.weakest), "percent": _percent(trust.probability)}
    if trust.unsure:
        counts = {"count": len(trust.unsure), "total": len(trace.output_tokens)}
        parts.append(say("translate.cue_unsure", **values, **counts))
    elif not parts:
        parts.append(say(f"translate.cue_{trust.level}", **values))
    return parts


def _hint(trace: Trace, large: bool) -> str:
    """What can be clicked; large type has no room for it."""
    if large:
        return ""
    return say("translate.hint_block" if open_block(trace) else "translate.hint_words")


def _repeated(found: Repetition) -> str:
    named = [visible(word) for word in found.words[:QUOTED]]
    words = ("" if any(map(is_chinese, named)) else " ").join(named)
    if len(found.words) > QUOTED:
        words += " …"
    return say("translate.cue_repeated", words=words, times=found.times)


def _unknown(words: tuple[str, ...]) -> str:
    named = say("translate.and").join(f"“{visible(word)}”" for word in words[:NAMED])
    if len(words) > NAMED:
        return say("translate.cue_unknown_more", words=named, count=len(words))
    return say("translate.cue_unknown", words=named)


def _percent(probability: float) -> str:
    return "NaN" if math.isnan(probability) else format_percent(probability)


def _shown(trace: Trace, row: int) -> str:
    if trace.output_pieces[row] == END:
        return say("translate.cue_end")
    return f"“{visible(trace.output_tokens[row])}”"
