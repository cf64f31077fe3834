"""One mask applied six ways: the weights of each as a small table with what went wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np

from app.figures.lab_tables import matrix
from app.figures.labels import format_number
from app.figures.theme import Look
from core.lab.masks import WAYS, Applied, Masks

FORMULAS = {
    "large_negative": "M ? S : −10⁹",
    "minus_infinity": "M ? S : −∞",
    "additive": "S + (0 | −∞)",
    "add_large_negative": "S + (0 | −10⁹)",
    "multiply_before": "softmax(S · M)",
    "multiply_after": "softmax(S) · M",
}
NEAR = 1e-3  # a sum this far from 1 is named; half precision rounds by less


def ways_tables(
    found: Masks, texts: Mapping[str, str], separator: str, look: Look, tokens: Sequence[str] = ()
) -> str:
    """All ways as a grid of tables, HTML.

    texts: a name for each way, "total", "fine", "own", those of `verdict`, and "after": what
    stands between sentences. separator: what stands between the numbers of rows.
    """
    words = tokens or [str(at + 1) for at in range(found.scores.shape[1])]
    parts = [_way(found, each, texts, separator, look, words) for each in found.ways]
    hatch = look.colour("faint")
    back = look.colour("panel")
    style = f"--lab-hatch:{hatch};--lab-panel:{back};--lab-wrong:{look.colour('changed')}"
    return f'<div class="lab-masks" style="{style}">{"".join(parts)}</div>'


def verdict(
    each: Applied, empty: Sequence[int], texts: Mapping[str, str], separator: str, look: Look
) -> list[str]:
    """What is wrong with a way here, in sentences.

    texts: "nan", "spreads", "no_gradient", "leaks", "sums", "uniform" and "unmasked", each with
    {rows}.
    """

    def rows(flags: np.ndarray) -> str:
        return separator.join(str(at + 1) for at in np.flatnonzero(flags).tolist())

    said = []
    broken = each.not_numbers.numpy()
    if broken.any():
        said.append(texts["nan"].format(rows=rows(broken)))
        said.append(texts["spreads"].format(rows=rows(each.reached.numpy())))
    elif each.gradient_lost.any():
        said.append(texts["no_gradient"].format(rows=rows(each.gradient_lost.numpy())))
    leaked = np.nan_to_num(each.leaked.numpy().astype(np.float64))
    nothing = np.isin(np.arange(len(leaked)), empty)
    if (leaked > 0)[~nothing].any():
        most = format_number(float(leaked[~nothing].max()), look.precision)
        said.append(texts["leaks"].format(rows=rows((leaked > 0) & ~nothing), most=most))
    if (leaked > 0)[nothing].any():
        seen = (leaked > 0) & nothing
        weights = each.weights.numpy().astype(np.float64)
        alike = np.ptp(weights, axis=1) < NEAR
        for name, which in (("uniform", seen & alike), ("unmasked", seen & ~alike)):
            if which.any():
                said.append(texts[name].format(rows=rows(which)))
    totals = each.totals.numpy().astype(np.float64)
    short = (np.abs(totals - 1) > NEAR) & ~broken
    if short.any():
        said.append(texts["sums"].format(rows=rows(short)))
    return said


def _way(
    found: Masks, each: Applied, texts: Mapping[str, str], separator: str, look: Look,
    words: Sequence[str],
) -> str:  # fmt: skip
    weights = each.weights.numpy().astype(np.float64)
    forbidden = ~found.allowed.numpy()
    wrong = np.isnan(weights) | (forbidden & (weights > 0))
    totals = each.totals.numpy().astype(np.float64)[:, None]
    off = ~(np.abs(totals - 1) <= NEAR)
    table = matrix(weights, look, "weights", words, words, wrong=wrong, faint=forbidden, limit=1.0)
    sums = matrix(totals, look, "weights", (), (texts["total"],), wrong=off, tinted=False)
    said = verdict(each, found.empty_rows, texts, separator, look)
    mark = "✗" if said else "✓"
    text = texts["after"].join(said) if said else texts["fine"]
    own = f"<small>{escape(texts['own'])}</small>" if WAYS.index(each.key) < 3 else ""
    return (
        f'<section class="{"bad" if said else "good"}"><h5><b>{escape(texts[each.key])}</b>'
        f" <code>{escape(FORMULAS[each.key])}</code>{own}</h5>"
        f'<div class="lab-beside">{table}{sums}</div><p>{mark} {escape(text)}</p></section>'
    )
