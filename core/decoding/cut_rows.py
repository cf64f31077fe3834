"""A cut as a short table: the best words, the one that was taken, and the others together."""

from __future__ import annotations

from dataclasses import dataclass

from core.decoding.sampling import Cut


@dataclass(frozen=True)
class CutRow:
    """One word, or several together; probabilities 0..1.

    id: None for several. count: how many; None for all that remain. probability: the model's own,
    None for several. tempered: after temperature. start, end: its stretch of the running sum of
    `tempered`. kept: whether it could be drawn. chosen: whether it was written.
    """

    id: int | None
    count: int | None
    probability: float | None
    tempered: float
    start: float
    end: float
    kept: bool
    chosen: bool = False


def cut_rows(cut: Cut, chosen: int, shown: int = 10) -> tuple[CutRow, ...]:
    """The first `shown` words and the chosen one, one a row; what lies between them in one row.

    The last row is all that was cut away and is not shown, where that is anything. The chosen word
    is missing where it could not be drawn at all and was given.
    """
    place = _place(cut, chosen)
    alone = [*range(min(shown, len(cut.words)))]
    alone += [place] if place is not None and place >= shown else []
    rows, upto = list[CutRow](), 0
    for at in alone:
        rows += _together(cut, upto, at)
        word = cut.words[at]
        start = cut.words[at - 1].cumulative if at else 0.0
        rows.append(
            CutRow(word.id, 1, word.probability, word.tempered, start, word.cumulative,
                   at < cut.kept, at == place)
        )  # fmt: skip
        upto = at + 1
    rows += _together(cut, upto, max(upto, cut.kept))
    reached = rows[-1].end
    if 1 - reached > 1e-12:
        rows.append(CutRow(None, None, None, 1 - reached, reached, 1.0, False))
    return tuple(rows)


def lot(cut: Cut) -> float:
    """Where the lot falls on the running sum of `tempered`: its share of what stays."""
    return cut.draw * cut.mass


def _place(cut: Cut, chosen: int) -> int | None:
    ids = cut.words.ids
    return ids.index(chosen) if chosen in ids else None


def _together(cut: Cut, start: int, stop: int) -> list[CutRow]:
    """The words between two that are shown, split where the cut goes through them."""
    edge = min(max(cut.kept, start), stop)
    parts = [(start, edge, True), (edge, stop, False)]
    found = list[CutRow]()
    for first, after, kept in parts:
        if first < after:
            low = cut.words[first - 1].cumulative if first else 0.0
            high = cut.words[after - 1].cumulative
            found.append(CutRow(None, after - first, None, high - low, low, high, kept))
    return found
