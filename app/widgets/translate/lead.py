"""The translation itself, how sure one may be of it, and what the reader can do."""

from __future__ import annotations

import math

from app import state
from app.figures.labels import format_percent, is_chinese, visible
from app.widgets.chart import current_look
from app.widgets.headline import headline
from app.widgets.translate.layout import is_large
from app.widgets.translate.map_panel import open_block
from app.words import say
from core.reading.choices import UNSURE_BELOW
from core.reading.confidence import Confidence, Reason, confidence
from core.text.vocabulary import END
from core.trace.trace import Trace

NAMED = 3  # words that are written out
QUOTED = 5  # words of a repetition that are written out


def show(trace: Trace) -> None:
    """Draw the translation in large type with its badge and its cue."""
    look, trust = current_look(), confidence(trace)
    large = is_large(state.get_state())
    headline(
        trace.output_text or say("translate.nothing"),
        trace.direction.rpartition("-")[2],
        further=further(trace),
        badge=say("translate.badge") if trust.level == "unsure" else "",
        cue=" · ".join(cues(trace, trust)),
        cue_help=say("translate.cue_help", percent=format_percent(trust.score)),
        level=trust.level,
        hint=_hint(trace, large),
        compact=large,
        colours={
            "grey": look.colour("faint"),
            "sure": look.colour("data"),
            "unsure": look.colour("key"),
        },
    )


def further(trace: Trace) -> str:
    """The translations of the sentences that are not the one below, with the space before them."""
    return trace.full_text[len(trace.output_text) :]


def cues(trace: Trace, trust: Confidence) -> list[str]:
    """What to know about the translation, the gravest first, as plain text."""
    parts = [reason_in_words(reason, trace) for reason in trust.reasons]
    if trace.further:
        parts.insert(0, say("translate.cue_sentences", count=1 + len(trace.further)))
    if trust.level == "sure" or trust.probability < UNSURE_BELOW or not parts:
        values = {"token": _shown(trace, trust.weakest), "percent": _percent(trust.probability)}
        parts.append(say("translate.cue_least", **values))
    return parts


def reason_in_words(reason: Reason, trace: Trace) -> str:
    """One reason as a short clause."""
    if reason.key == "repeated":
        return say("translate.why_repeated", words=_quoted(reason.words), count=reason.count)
    return say(
        f"translate.why_{reason.key}",
        words=_named(reason.words),
        count=reason.count,
        total=len(trace.output_tokens),
    )


def _hint(trace: Trace, large: bool) -> str:
    """What can be clicked; large type has no room for it."""
    if large:
        return ""
    return say("translate.hint_block" if open_block(trace) else "translate.hint_words")


def _quoted(words: tuple[str, ...]) -> str:
    named = [visible(word) for word in words[:QUOTED]]
    joined = ("" if any(map(is_chinese, named)) else " ").join(named)
    return f"{joined} …" if len(words) > QUOTED else joined


def _named(words: tuple[str, ...]) -> str:
    """The words in quotes, each once, and a sign where there are more."""
    once = tuple(dict.fromkeys(words))
    named = say("translate.and").join(f"“{visible(word)}”" for word in once[:NAMED])
    return f"{named} …" if len(once) > NAMED else named


def _percent(probability: float) -> str:
    return "NaN" if math.isnan(probability) else format_percent(probability)


def _shown(trace: Trace, row: int) -> str:
    if trace.output_pieces[row] == END:
        return say("translate.cue_end")
    return f"“{visible(trace.output_tokens[row])}”"
