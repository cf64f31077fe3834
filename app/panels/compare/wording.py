"""How the two runs, their numbers, words and differences are called."""

import math
import re
from collections.abc import Iterator
from html import escape

from glassformer.app.plots.labels import MINUS, format_number, format_percent, visible
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.session.memory import Pair
from glassformer.app.words import say
from glassformer.core.analysis.comparison import Beside, Edge, pair_words
from glassformer.core.interventions.translations import TranslatedWord, align_words
from glassformer.core.trace.sites import site_at
from glassformer.core.trace.trace import Trace

MOST_WORDS = 2  # of a sentence in its title
WRITTEN_READ = re.compile(r"(.+) \((.+)\)", re.DOTALL)  # a row of the decoder's attention
NOBODY = "–"
Chances = tuple[float | None, float | None]


def titles(pair: Pair) -> tuple[str, str]:
    """What the two runs are called; two sentences with the words that only one of them has."""
    if pair.names is not None:
        return pair.names
    if pair.kind == "experiment":
        return say("beside.before"), say("beside.after")
    found = []
    for run, trace, name in ((0, pair.first, "first"), (1, pair.second, "second")):
        title, words = say(f"beside.{name}"), _own_words(pair, run)
        named = "…" if len(words) > MOST_WORDS else ""
        shown = " ".join(visible(trace.source_tokens[at]) for at in words[:MOST_WORDS]) + named
        found.append(say("beside.named", title=title, words=shown) if words else title)
    return found[0], found[1]


def _own_words(pair: Pair, run: int) -> list[int]:
    """The places of the words that the other sentence does not have there."""
    first, second = pair.first.source_tokens, pair.second.source_tokens
    return [
        own
        for places in pair_words(first, second, by_place=False)
        if (own := places[run]) is not None
        and (None in places or first[places[0] or 0] != second[places[1] or 0])
    ]


def line_label(edge: Edge, run: int | None, at: int) -> str:
    """The word of a line; of the difference the second one behind the first where they differ."""
    if run is not None:
        word = edge.word(run, at)
        return NOBODY if word is None else visible(word)
    one, two = (line_label(edge, each, at) for each in (0, 1))
    if NOBODY in (one, two):
        return two if one == NOBODY else one
    return _both(one, two)


def _both(one: str, two: str) -> str:
    """Both words with what they share written once: "Beijing|Shanghai (to)"."""
    parts = WRITTEN_READ.fullmatch(one), WRITTEN_READ.fullmatch(two)
    if one == two or None in parts:
        return one if one == two else f"{one}|{two}"
    pairs = zip(*(each.groups() for each in parts if each), strict=True)
    return "{} ({})".format(*(a if a == b else f"{a}|{b}" for a, b in pairs))


def number_name(address: str) -> str:
    """What a cell of a tensor is called."""
    site = site_at(address)
    if site.group == "attention" and site.per_map and site.name != "kept":
        return say(f"attention.number_{site.name}")
    return say("beside.value")


def axis_word(name: str) -> str:
    """An axis in a word, "" for the one number of a row."""
    return say(f"axes.{name}").capitalize() if name not in ("", "one") else ""


def largest_in_words(found: Beside, digits: int) -> list[str]:
    """The largest difference: where it is, and both numbers; one line where nothing differs."""
    place = found.furthest
    if place is None:
        return [say("beside.same_finite" if found.broken else "beside.same")]
    name = say("beside.largest_rounding" if found.is_rounding else "beside.largest")
    return [name, cell_in_words(found, *place), change_in_words(found, *place, digits)]


def change_in_words(found: Beside, row: int, column: int, digits: int) -> str:
    """The numbers of a cell in both runs and how far it moved: "0.1 → 0.3 (+0.2)"."""
    one, two = (format_number(float(each[row, column]), digits) for each in found.values)
    step = format_difference(float(found.difference[row, column]), digits)
    return say("beside.change", one=one, two=two, step=step)


def cell_in_words(found: Beside, row: int, column: int) -> str:
    """A cell in words: "it → animal", "it, feature 12"."""
    rows, columns = found.rows, found.columns
    name = line_label(rows, None, row) if rows.is_worded else str(int(rows.places[0][row]) + 1)
    if columns.is_worded:
        return say("beside.pair", row=name, column=line_label(columns, None, column))
    if columns.name in ("", "one"):
        return name
    at = int(columns.places[0][column]) + 1
    return say("beside.place", row=name, axis=say(f"axes.{columns.name}"), column=at)


def format_difference(number: float, digits: int) -> str:
    """A difference with its sign."""
    written = format_number(number, digits)
    return written if written.startswith(MINUS) or number == 0 else f"+{written}"


def word_table(runs: tuple[Trace, Trace], titles: tuple[str, str], look: FigureStyle) -> str:
    """A row a word: its probability in either run and the step between; all text escaped."""
    heads = (say("beside.words_first"), *titles, say("beside.difference"), say("beside.words_kl"))
    head = "".join(f"<th scope='col'>{escape(each)}</th>" for each in heads)
    body = "".join(row for word in align_words(*runs) for row in _rows(word, look))
    return f"<table class='plain beside-words'><thead><tr>{head}</tr></thead>{body}</table>"


def _rows(word: TranslatedWord, look: FigureStyle) -> Iterator[str]:
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
        kl = "" if at or word.divergence is None else look.number(word.divergence)
        yield (
            f"<tr class='{' '.join(names)}'><td{colour}>{shown}</td>"
            f"<td>{_percent(chances[0])}</td><td>{_percent(chances[1])}</td>"
            f"<td class='step'>{_bar(chances, look)}</td><td>{kl}</td></tr>"
        )


def _percent(chance: float | None) -> str:
    if chance is None:
        return escape(say("beside.words_none"))
    return "NaN" if math.isnan(chance) else escape(format_percent(chance))


def _bar(chances: Chances, look: FigureStyle) -> str:
    """The step in percentage points; nothing where one run has no number."""
    one, two = (math.nan if chance is None else chance for chance in chances)
    step = 100 * (two - one)
    if not math.isfinite(step):
        return ""
    colour = look.colour("key" if step > 0 else "query")
    side = "left" if step > 0 else "right"
    written = f"{step:+.1f}".replace("-", MINUS)
    return (
        f"<span class='bar' title='{escape(written)}'><i style='{side}:50%;"
        f"width:{abs(step) / 2:.1f}%;background:{colour}'></i></span>"
    )
