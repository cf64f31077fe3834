"""How alike positions are."""

from collections.abc import Sequence

import numpy as np

from glassformer.app.plots import drawing as go
from glassformer.app.plots.heat import cell_gaps, heat_map
from glassformer.app.plots.marks import word_pairs
from glassformer.app.plots.theme import FigureStyle, base_layout, colour_bar, token_axis


def similarity_figure(
    cosines: np.ndarray, tokens: Sequence[str], look: FigureStyle, width: int, height: int
) -> go.Figure:
    """Cosines (S, S) between all pairs of positions, from −1 to 1; width and height in pixels."""
    cells = heat_map(
        cosines,
        (-1, 1),
        look,
        colorbar=colour_bar(look) | {"tickvals": [-1, 0, 1], "ticktext": ["−1", "0", "1"]},
        text=word_pairs(tokens, tokens, "·"),
        hovertemplate=f"%{{text}}<br><b>%{{z:.{look.precision}~g}}</b><extra></extra>",
        **cell_gaps(cosines.shape),
    )
    layout = base_layout(
        look,
        height,
        margin={"l": look.px(70), "r": 8, "t": look.px(52), "b": 6, "pad": 2},
        xaxis=token_axis(tokens, look, width - look.px(130), "top"),
        yaxis=token_axis(tokens, look, height - look.px(58), "left"),
    )
    return go.Figure(cells, layout)
