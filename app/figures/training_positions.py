"""How alike the vectors of a sentence's positions are: cosines, as a matrix."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.figures import drawing as go
from app.figures.colours import diverging
from app.figures.labels import escape, visible
from app.figures.theme import Look, base_layout, colour_bar, token_axis


def similarity_figure(
    cosines: np.ndarray, tokens: Sequence[str], look: Look, width: int, height: int
) -> go.Figure:
    """Cosines (S, S) between all pairs of positions, from −1 to 1; width and height in pixels."""
    names = [escape(visible(token)) for token in tokens]
    pairs = [[f"{row} · {column}" for column in names] for row in names]
    cells = go.Heatmap(
        z=np.asarray(cosines, dtype=np.float32),
        zmin=-1,
        zmax=1,
        colorscale=diverging(look.dark),
        colorbar=colour_bar(look) | {"tickvals": [-1, 0, 1], "ticktext": ["−1", "0", "1"]},
        xgap=1 if len(tokens) <= 40 else 0,
        ygap=1 if len(tokens) <= 40 else 0,
        text=pairs,
        hovertemplate=f"%{{text}}<br><b>%{{z:.{look.precision}~g}}</b><extra></extra>",
    )
    layout = base_layout(
        look,
        height,
        margin={"l": look.px(70), "r": 8, "t": look.px(52), "b": 6, "pad": 2},
        xaxis=token_axis(tokens, look, width - look.px(130), "top"),
        yaxis=token_axis(tokens, look, height - look.px(58), "left"),
    )
    return go.Figure(cells, layout)
