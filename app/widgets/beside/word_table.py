"""The words of two translations with their probabilities in both runs, as an HTML table."""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape

from app.figures.labels import MINUS, format_number, format_percent, visible
from app.figures.theme import Look
from app.words import say
from core.edits.translations import Word, words
from core.trace.trace import Trace

Chances = tuple[float | None, float | None]


def word_table(runs: tuple[Trace, Trace], titles: tuple[str, str], look: Look) -> str:
    """A row a word: its probability in either run and the step between; all text escaped."""
    heads = (say("beside.words_first"), *titles, say("beside.difference"), say("beside.words_kl"))
    head = "".join(f"<th scope='col'>{escape(each)}</th>" for each in heads)
    body = "".join(row for word in words(*runs) for row in _rows(word, look))
    return f"<table class='beside-words'><thead><tr>{head}</tr></thead>{body}</table>"


def _rows(word: Word, look: Look) -> Iterator[str]:
    """The word of the first run, and that of the second where it is another one."""
    lines = [(word.before, word.old_word), (word.after, word.new_word)]
    lines = [each for each in lines if each[0] is not None]
    if word.kind == "same":
        lines = lines[:1]
    for at, (text, chances) in enumerate(lines):
        names = ["more"] if at else []
        names += [] if word.same_prefix else ["apart"]
        changed = word.kind != "same" and text == word.after and at == len(lines) - 1
        shown = escape(visible(text or ""))
        colour = f" style='color:{look.colour('changed')}'" if changed else ""
        kl = "" if at else _nats(word.divergence, look.precision)
        yield (
            f"<tr class='{' '.join(names)}'><td{colour}>{shown}</td>"
            f"<td>{_percent(chances[0])}</td><td>{_percent(chances[1])}</td>"
            f"<td class='step'>{_bar(chances, look)}</td><td>{kl}</td></tr>"
        )


def _percent(chance: float | None) -> str:
    if chance is None:
        return escape(say("beside.words_none"))
    return "NaN" if math.isnan(chance) else escape(format_percent(chance))


def _nats(divergence: float | None, digits: int) -> str:
    return "" if divergence is None else escape(format_number(divergence, digits))


def points(chances: Chances) -> float | None:
    """The step in percentage points; None where one run has no number."""
    one, two = chances
    if one is None or two is None or not math.isfinite(one) or not math.isfinite(two):
        return None
    return 100 * (two - one)


def _bar(chances: Chances, look: Look) -> str:
    step = points(chances)
    if step is None:
        return ""
    colour = look.colour("key" if step > 0 else "query")
    side = "left" if step > 0 else "right"
    written = f"{step:+.1f}".replace("-", MINUS)
    return (
        f"<span class='bar' title='{escape(written)}'><i style='{side}:50%;"
        f"width:{abs(step) / 2:.1f}%;background:{colour}'></i></span>"
    )
