"""How the two runs, their numbers and the difference are called."""

from __future__ import annotations

from app.figures.labels import MINUS, format_number, visible
from app.figures.triple_layout import label
from app.service import Pair
from app.widgets.tensors.written import branch_name
from app.words import say
from core.reading.alignment import paired
from core.reading.beside import Beside
from core.trace.sites import site_at

MOST_WORDS = 2  # of a sentence in its title


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
        for places in paired(first, second, by_place=False)
        if (own := places[run]) is not None
        and (None in places or first[places[0] or 0] != second[places[1] or 0])
    ]


def number_name(address: str) -> str:
    """What a cell of a tensor is called."""
    site = site_at(address)
    if site.group == "attention" and site.per_map and site.name != "kept":
        return say(f"attention.number_{site.name}")
    return say("beside.value")


def axis_word(name: str) -> str:
    """An axis in a word, "" for the one number of a row."""
    return say(f"axes.{name}").capitalize() if name not in ("", "one") else ""


def largest(found: Beside, digits: int) -> list[str]:
    """The largest difference: where it is, and both numbers; one line where nothing differs."""
    place = found.furthest
    if place is None:
        return [say("beside.same_finite" if found.broken else "beside.same")]
    name = say("beside.largest_rounding" if found.is_rounding else "beside.largest")
    return [name, where(found, *place), change(found, *place, digits)]


def change(found: Beside, row: int, column: int, digits: int) -> str:
    """The numbers of a cell in both runs and how far it moved: "0.1 → 0.3 (+0.2)"."""
    one, two = (format_number(float(each[row, column]), digits) for each in found.values)
    step = signed(float(found.difference[row, column]), digits)
    return say("beside.change", one=one, two=two, step=step)


def where(found: Beside, row: int, column: int) -> str:
    """A cell in words: "it → animal", "it, feature 12"."""
    rows, columns = found.rows, found.columns
    name = label(rows, None, row) if rows.is_worded else str(int(rows.places[0][row]) + 1)
    if columns.is_worded:
        return say("beside.pair", row=name, column=label(columns, None, column))
    if columns.name in ("", "one"):
        return name
    at = int(columns.places[0][column]) + 1
    return say("beside.place", row=name, axis=say(f"axes.{columns.name}"), column=at)


def signed(number: float, digits: int) -> str:
    """A difference with its sign."""
    written = format_number(number, digits)
    return written if written.startswith(MINUS) or number == 0 else f"+{written}"


def place_words(address: str) -> str:
    """Where a tensor is recorded: "Encoder › Layer 1 › Self-attention"."""
    parts = address.split("/")
    return " › ".join(branch_name("/".join(parts[:count])) for count in range(1, len(parts)))
