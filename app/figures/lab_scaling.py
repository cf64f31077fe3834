"""What the division by √d_k does: spread, entropy and gradient against d_k, and to one row."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from app.figures import drawing as go
from app.figures.lab_curves import Line, Panel, curves_figure
from app.figures.lab_tables import beside, matrix
from app.figures.theme import Look
from core.lab.scaling import WIDTHS, Row, Scaling

MEASURES = ("spread", "entropy", "gradient")


def scaling_figure(found: Scaling, d_k: int, texts: Mapping[str, str], look: Look) -> go.Figure:
    """A panel for each measure, a curve with and one without √d_k, `d_k` marked.

    texts: "raw", "scaled", "alike", "axis" and the measures.
    """
    panels = [
        Panel(
            texts[measure],
            [
                Line(texts["raw"], _of(found.raw, measure), look.colour("changed"), "dash"),
                Line(texts["scaled"], _of(found.scaled, measure), look.colour("weights")),
            ],
            levels=[(found.most, texts["alike"])] if measure == "entropy" else [],
        )
        for measure in MEASURES
    ]
    return curves_figure(found.widths, panels, texts["axis"], look, d_k, WIDTHS)


def row_tables(row: Row, texts: Mapping[str, str], look: Look) -> str:
    """One row of scores and its weights, without and with the division, as HTML.

    texts: "raw", "scaled", "scores", "weights", "measured", "entropy_short", "gradient_short".
    """
    scores = np.stack([row.scores.numpy(), row.scaled.numpy()])
    weights = np.stack([row.raw_weights.numpy(), row.scaled_weights.numpy()])
    measured = np.array([
        [float(each.entropy), float(each.gradient)] for each in (row.raw, row.divided)
    ])  # fmt: skip
    names = (texts["raw"], texts["scaled"])
    counted = [str(at + 1) for at in range(scores.shape[1])]
    columns = (texts["entropy_short"], texts["gradient_short"])
    plain = partial(matrix, tinted=False, ours=True)
    return beside([
        (texts["scores"], plain(scores, look, rows=names, columns=counted)),
        (texts["weights"], matrix(weights, look, "weights", columns=counted, limit=1)),
        (texts["measured"], plain(measured, look, columns=columns)),
    ])  # fmt: skip


def _of(saturation: object, measure: str) -> list[float]:
    values: list[float] = getattr(saturation, measure).tolist()
    return values
