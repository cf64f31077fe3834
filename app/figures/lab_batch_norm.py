"""Layer norm and batch norm of the same batch: frames show who is averaged with whom."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

import numpy as np

from app.figures.lab_tables import exact, largest, shade, writer
from app.figures.labels import format_number
from app.figures.theme import Look
from core.lab.batch_norm import Norms, Side

LEVELS = 24  # of `shade`


def norm_tables(found: Norms, texts: Mapping[str, str], look: Look) -> str:
    """x, layer norm and batch norm side by side with their mean and deviation, as HTML.

    texts: "x", "layer", "batch", "layer_groups", "batch_groups".
    """
    x = found.x.numpy()
    limit = largest(found.layer.normalized.numpy(), found.batch.normalized.numpy())
    style = f"--lab-group:{look.colour('norm')};--lab-panel:{look.colour('panel')}"
    style += f";--lab-hatch:{look.colour('faint')}"
    parts = [
        _table(found, x, None, largest(x), texts["x"], texts["padding"], look),
        _table(found, found.layer.normalized.numpy(), found.layer, limit, texts["layer"],
               texts["layer_groups"], look, "across"),
        _table(found, found.batch.normalized.numpy(), found.batch, limit, texts["batch"],
               texts["batch_groups"], look, "down"),
    ]  # fmt: skip
    return f'<div class="lab-norms" style="{style}">{"".join(parts)}</div>'


def moved_table(found: Norms, texts: Mapping[str, str], look: Look) -> str:
    """How far the results depend on other sentences and on padding, as HTML.

    texts: "layer", "batch", "neighbours", "padded", "still".
    """
    rows = [
        (texts["neighbours"], found.layer.moved_by_neighbours, found.batch.moved_by_neighbours),
        (texts["padded"], found.layer.moved_by_padding, found.batch.moved_by_padding),
    ]
    head = f"<th></th><th>{escape(texts['layer'])}</th><th>{escape(texts['batch'])}</th>"
    lines = "".join(
        f"<tr><th>{escape(name)}</th>{_moved(layer, look)}{_moved(batch, look)}</tr>"
        for name, layer, batch in rows
    )
    return f'<table class="lab-keeps"><tr>{head}</tr>{lines}</table>'


def _moved(by: float, look: Look) -> str:
    colour = look.colour("changed" if by > 1e-9 else "value")
    return f'<td style="color:{colour}"><b>{format_number(by, look.precision)}</b></td>'


def _table(
    found: Norms, cells: np.ndarray, side: Side | None, limit: float, title: str, about: str,
    look: Look, way: str = "",
) -> str:  # fmt: skip
    batch, words, width = cells.shape
    write = writer(cells, look.precision)
    real = found.real.numpy()
    head = "".join(f"<th>{at + 1}</th>" for at in range(width))
    lines = []
    for b in range(batch):
        for t in range(words):
            row = cells[b, t].tolist()
            inside = "".join(_cell(v, write(v), limit, bool(real[b, t]), look) for v in row)
            tail = _of_word(side, b, t, look) if side and way == "across" else ""
            last = ' class="last"' if (b, t) == (batch - 1, words - 1) else ""
            lines.append(f"<tr{last}><th>{b + 1}·{t + 1}</th>{inside}{tail}</tr>")
    if side and way == "across":
        head += "<th>μ</th><th>σ</th>"
    feet = _of_features(side, look) if side and way == "down" else ""
    return (
        f"<figure><figcaption><b>{escape(title)}</b><span>{escape(about)}</span></figcaption>"
        f'<table class="lab-matrix {way}"><tr><th></th>{head}</tr>{"".join(lines)}{feet}</table>'
        "</figure>"
    )


def _cell(value: float, text: str, limit: float, real: bool, look: Look) -> str:
    level = round(min(abs(value) / limit, 1.0) * LEVELS)
    back, ink = shade("data", value < 0, level, look.dark)
    kind = "real" if real else "padding"
    paint = f"--back:{back};color:{ink}"
    return f'<td class="{kind}" style="{paint}" title="{exact(value)}">{text}</td>'


def _of_word(side: Side, b: int, t: int, look: Look) -> str:
    found = (float(side.mean[b, t, 0]), float(side.std[b, t, 0]))
    return "".join(
        f'<td class="of" title="{exact(value)}">{format_number(value, look.precision)}</td>'
        for value in found
    )


def _of_features(side: Side, look: Look) -> str:
    return "".join(
        f"<tr><th>{name}</th>"
        + "".join(
            f'<td class="of" title="{exact(value)}">{format_number(value, look.precision)}</td>'
            for value in values.tolist()
        )
        + "</tr>"
        for name, values in (("μ", side.mean), ("σ", side.std))
    )
