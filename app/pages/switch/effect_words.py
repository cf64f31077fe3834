"""Both translations word by word: what was written, how probable it was, what else could come."""

import math
from typing import Any

from glassformer.app.plots.labels import format_number, format_percent, visible
from glassformer.app.session import store
from glassformer.app.session.memory import Pair
from glassformer.app.ui.chart import current_look
from glassformer.app.ui.component import component
from glassformer.app.words import say, say_each
from glassformer.core.interventions.effect import ChangedWord, Effect, effect, sees_ahead
from glassformer.core.interventions.translations import TranslatedWord
from glassformer.core.text.vocabulary import END, TAGS
from glassformer.core.trace.trace import Trace

CANDIDATES = 5
TEXTS = (
    "effect.empty effect.end effect.chance effect.divergence effect.lost effect.apart "
    "effect.help_before effect.help_after effect.help_divergence"
)
SIGNS = {"same": "=", "other": "≠", "gone": "−", "new": "+"}

_words = component(__file__, "effect_words")


def show(pair: Pair, forced: Trace, key: str = "effect_words") -> None:
    """Draw the two translations; `forced` is the second run on the first one's words."""
    look, found = current_look(), effect(pair.first, pair.second, forced)
    focus, rows = in_focus(found, pair.first), len(pair.first.output_tokens)

    def picked(value: dict[str, Any]) -> None:
        if 0 <= (row := int(value["row"])) < rows:
            store.update(word=row)

    data = words_data(pair, forced, found, focus, look.precision)
    _words(key, data, height="stretch", pick=picked)


def in_focus(found: Effect, first: Trace) -> int:
    """The decoder's row in focus: the one clicked, the pinned word's, or the most changed."""
    now, rows = store.get_state(), len(first.output_tokens)
    for row in (now.word, now.token[1] if now.token and now.token[0] == "target" else None):
        if row is not None and row < rows:
            return row
    return found.most_changed


def words_data(pair: Pair, forced: Trace, found: Effect, focus: int, digits: int) -> dict[str, Any]:
    """What is sent to the browser, as plain JSON."""
    total = "effect.total" if _translates(pair) else "effect.total_text"
    total = "effect.total_sentences" if pair.kind == "sentences" else total
    return {
        "texts": _texts(pair),
        "gap": " " if pair.first.language == "en" or pair.first.task == "fill_in" else "",
        "sentences": [_sentence(pair, found, 0), _sentence(pair, found, 1)],
        "note": _note(pair, forced, found),
        "rows": [_row(pair, each, digits) for each in found.lines],
        "focus": focus,
        "total": {
            "name": say(total),
            "help": say("effect.total_help" if _translates(pair) else "effect.total_help_text"),
            "numbers": [format_number(each, digits) for each in found.log_probabilities],
        },
        "next": _next(pair.first, forced, focus),
    }


def _texts(pair: Pair) -> dict[str, str]:
    named = {name: say(f"effect.{name}_{pair.kind}") for name in ("before", "after")}
    chance = say("effect.help_chance" if _translates(pair) else "effect.help_chance_text")
    return named | say_each(TEXTS) | {"help_chance": chance}


def _translates(pair: Pair) -> bool:
    return pair.first.task == "translate"


def _sentence(pair: Pair, found: Effect, side: int) -> list[dict[str, str]]:
    """The words of one translation, without its end, each with what became of it."""
    both = ((each.word.kind, _labels(pair, each.word)[side]) for each in found.lines)
    return [{"text": text, "kind": kind} for kind, text in both if text]


def _row(pair: Pair, line: ChangedWord, digits: int) -> dict[str, Any]:
    word = line.word
    before, after = _labels(pair, word)
    mark, numbers = say(f"effect.mark_{word.kind}"), line.probabilities
    sent: dict[str, Any] = {
        "row": word.before_row,
        "kind": word.kind,
        "sign": SIGNS[word.kind],
        "before": before,
        "after": after,
        "apart": word.after is not None and not word.same_prefix,
        "mark": mark,
    }
    if numbers is None or line.divergence is None:
        key = "effect.hover_new" if _translates(pair) else "effect.hover_new_text"
        title = say(key, word=after or say("effect.end"), mark=mark)
        told: dict[str, Any] = {"shares": None, "percents": None, "kl": ""}
    else:
        exact = (format_number(each, 7) for each in (*numbers, line.divergence))
        values = dict(zip(("before", "after", "kl"), exact, strict=True))
        title = say("effect.hover", word=before or say("effect.end"), mark=mark, **values)
        told = {
            "shares": [0.0 if math.isnan(each) else round(each, 4) for each in numbers],
            "percents": list(map(format_percent, numbers)),
            "kl": _nats(line.divergence, digits),
        }
    return sent | told | {"title": title + _own(after, word)}


def _note(pair: Pair, forced: Trace, found: Effect) -> str:
    """What must be known to read the numbers."""
    if sees_ahead(forced) or sees_ahead(pair.first):
        return say("effect.ahead")
    apart = (each.word.after is not None and not each.word.same_prefix for each in found.lines)
    return f"~ {say('effect.apart')}" if any(apart) else ""


def _own(text: str | None, word: TranslatedWord) -> str:
    """With what probability the second run wrote its own word, as one line more."""
    chance = word.new_word[1]
    if text is None or chance is None:
        return ""
    own = say("effect.hover_own", word=text or say("effect.end"), chance=format_percent(chance))
    return f"\n{own}"


def _labels(pair: Pair, word: TranslatedWord) -> tuple[str | None, str | None]:
    """The words of both sides as written; "" is the end of the sentence, None no word."""
    sides = ((pair.first, word.before_row), (pair.second, word.after_row))
    before, after = (None if row is None else _label(trace, row) for trace, row in sides)
    return before, after


def _label(trace: Trace, row: int) -> str:
    return "" if trace.output_pieces[row] == END else visible(trace.output_tokens[row])


def _nats(number: float, digits: int) -> str:
    """Short: what is below a hundredth of a nat is seen in the bars by nobody."""
    return "<0.01" if 0 < number < 0.01 else format_number(number, digits)


def _next(first: Trace, forced: Trace, row: int) -> dict[str, Any]:
    """The best words of one row in both runs, after the same words."""
    if row:
        word = visible(first.output_tokens[row - 1])
        title = say("effect.next", step=row + 1, word=word)
    else:
        title = say("effect.next_first")
    return {"title": title, "sides": [_candidates(each, row) for each in (first, forced)]}


def _candidates(trace: Trace, row: int) -> list[dict[str, Any]]:
    """The best words of a row; empty where it has no numbers."""
    best = trace.candidates(row, CANDIDATES)
    if any(math.isnan(each.probability) for each in best):
        return []
    return [
        {
            "text": "" if each.piece == END else visible(each.token),
            "sign": each.piece in TAGS,
            "share": round(each.probability, 4),
            "percent": format_percent(each.probability),
        }
        for each in best
    ]
