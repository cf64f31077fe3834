"""How a mask is built and spread, and what the decoder sees at each step, as HTML."""

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np
from torch import Tensor

from glassformer.app.pages.lab.figures.tables import (
    EMPTY,
    matrix_html,
    name_html,
    rows_table,
    shapes,
)
from glassformer.app.plots.labels import MINUS, format_number
from glassformer.app.plots.theme import FigureStyle
from glassformer.core.lab.mask_building import Built, Line
from glassformer.core.lab.mask_steps import TargetSteps
from glassformer.core.trace.trace import Trace

HIDDEN = "[MASK]"
WAYS = ("masked", "alone", "unmasked")

Texts = Mapping[str, str]


def lines_tables(found: Built, texts: Texts, look: FigureStyle) -> str:
    """Each line of code above what it gives, and last the weights of equal scores.

    texts: "weights".
    """
    *before, mask = found.lines
    hidden = ~found.allowed.numpy()
    steps = [*(_line(each, look) for each in before), _line(mask, look, hidden)]
    weights, empty = found.weights.numpy(), found.empty.numpy()[:, None]
    wrong = np.broadcast_to(empty, weights.shape)
    last = matrix_html(weights, look, "weights", wrong=wrong, faint=hidden & ~empty, limit=1.0)
    steps.append(_under(escape(texts["weights"]), weights.shape, last))
    return f'<div class="lab-beside lab-built">{"".join(steps)}</div>'


def _line(each: Line, look: FigureStyle, hidden: np.ndarray | None = None) -> str:
    cells = each.made.reshape(each.made.shape[-2:])
    named = {"-inf": f"{MINUS}∞"} if cells.is_floating_point() else {"0": "False", "1": "True"}

    def write(value: float) -> str:
        return named.get(f"{value:g}", f"{value:g}")

    table = matrix_html(cells.double().numpy(), look, "weights", write=write, faint=hidden)
    return _under(f"<code>{escape(each.code)}</code>", each.made.shape, table)


def _under(caption: str, shape: Sequence[int], table: str) -> str:
    size = ", ".join(map(str, shape))
    return f"<figure><figcaption>{caption}<br>({size})</figcaption>{table}</figure>"


def fits_table(found: Built, texts: Texts, look: FigureStyle) -> str:
    """The masks' shapes under that of the scores, as torch aligns them.

    texts: "scores", "name_<mask>", "axes" (four names separated by |), "fits", "refused", "wrong".
    """
    size = tuple(found.spread.shape)
    rows: list[tuple[str, Sequence[int], str, str]] = [(texts["scores"], size, "", "faint")]
    for mask, (shape, taken) in found.fits.items():
        said = "fits" if taken else "refused"
        if taken and mask == "bare" and size[0] > 1:
            said = "wrong"
        role = "faint" if said == "fits" else "changed"
        rows.append((texts[f"name_{mask}"], shape, texts[said], role))
    return shapes(size, rows, texts["axes"].split("|"), look)


def boards_html(spread: Tensor, texts: Texts) -> str:
    """The mask of every sentence (a row) and head (a column); copies share the first's memory.

    texts: "sentence", "head".
    """
    heads = "".join(f"<th>{escape(texts['head'])} {at + 1}</th>" for at in range(spread.size(1)))
    rows = ""
    for b, each in enumerate(spread):
        boards = "".join(_board(board, bool(h)) for h, board in enumerate(each))
        rows += f"<tr><th>{escape(texts['sentence'])} {b + 1}</th>{boards}</tr>"
    return f'<table class="lab-boards"><tr>{EMPTY}{heads}</tr>{rows}</table>'


def _board(allowed: Tensor, copied: bool) -> str:
    cells = "".join(f'<i class="{"on" if cell else "off"}"></i>' for cell in allowed.flatten())
    kind = "copy" if copied else "own"
    return f'<td class="{kind}"><div style="--n:{allowed.size(1)}">{cells}</div></td>'


def steps_table(found: TargetSteps, trace: Trace, now: int, texts: Texts) -> str:
    """A row a step: what it sees of the target, and what the model writes next, three ways.

    trace: the model's run over the target. now: the step to look at. texts: "sees", "wanted" and
    those of `WAYS`.
    """
    read = trace.target_tokens
    rows = []
    for at, allowed in enumerate(found.allowed.tolist()):
        mark = " now" if at == now else ""
        seen = [
            (word, "seen") if yes else (HIDDEN, "hidden")
            for word, yes in zip(read, allowed, strict=True)
        ]
        cells = [(name_html(word), kind) for word, kind in seen]
        cells.append((f"<b>{name_html(trace.output_tokens[at])}</b>", "wanted"))
        for way in WAYS:
            row = getattr(found, way)[at]
            best, share = int(row.argmax()), format_number(float(row.max()))
            right = best == trace.output_ids[at]
            word = trace.output_tokens[at] if right else trace.vocabulary[best]
            text = f"{'✓' if right else '✗'} {name_html(word)} <small>{share}</small>"
            cells.append((text, "right" if right else "wrong"))
        tds = "".join(f'<td class="{kind}{mark}">{text}</td>' for text, kind in cells)
        rows.append((f'<th class="step{mark}">{"▸ " if mark else ""}{at + 1}</th>', tds))
    blank = [""] * (len(read) - 1)
    heads = [texts["sees"], *blank, *(texts[each] for each in ("wanted", *WAYS))]
    return rows_table("told lab-steps", heads, rows)
