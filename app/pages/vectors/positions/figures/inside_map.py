"""What positions are inside attention: a table whose rows and columns are named by whoever asks."""

from collections.abc import Sequence

import numpy as np

from glassformer.app.pages.vectors.positions.figures.position_map import colour_limit
from glassformer.app.plots import drawing as go
from glassformer.app.plots.heat import cell_gaps, heat_map
from glassformer.app.plots.labels import escape
from glassformer.app.plots.marks import axis_title, frame_cells
from glassformer.app.plots.theme import (
    FigureStyle,
    base_layout,
    colour_bar,
    named_ticks,
    token_axis,
)

HEIGHT = 560  # pixels, about; they decide how words are written
TICKS = 12  # names of columns, about


def inside_figure(
    table: np.ndarray, rows: Sequence[str], columns: Sequence[str], cell: tuple[int, int],
    across: str, look: FigureStyle,
) -> go.Figure:  # fmt: skip
    """A table (R, C) on the diverging scale; the row and the column of `cell` are framed.

    columns: a name each, of which some are written. across: what they are.
    """
    (down, wide), (row, column) = table.shape, cell
    names = np.broadcast_to([escape(each) for each in columns], table.shape)
    cells = heat_map(
        table.astype(np.float32),
        (-colour_limit(table), colour_limit(table)),
        look,
        colorbar=colour_bar(look),
        text=names,
        hovertemplate=f"%{{y}} · {escape(across)} %{{text}}<br><b>%{{z:.7~g}}</b><extra></extra>",
        **cell_gaps(table.shape),
    )
    places = list(range(0, wide, max(1, round(wide / TICKS))))
    axis = base_layout(look)["xaxis"] | named_ticks([escape(columns[at]) for at in places], places)
    layout = base_layout(
        look,
        HEIGHT,
        margin={"l": look.px(84), "r": 8, "t": 8, "b": look.px(44), "pad": 2},
        xaxis=axis | {"title": axis_title(across, look), "range": [-0.5, wide - 0.5]},
        yaxis=token_axis(rows, look, HEIGHT - 60, "left") | {"automargin": False},
        shapes=[
            frame_cells((row, row), (0, wide - 1), look, 1.5),
            frame_cells((0, down - 1), (column, column), look, 1.5),
        ],
    )
    return go.Figure(cells, layout)
