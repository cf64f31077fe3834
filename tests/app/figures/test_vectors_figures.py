"""The colours of cells and the lines of lengths on the Vectors page."""

import numpy as np
import pytest

from app.figures.cell_colours import rank_shares, shares_colours, signed_colours
from app.figures.stream_norms import norms_figure
from app.figures.theme import Look
from core.reading.residual_stream import depth
from tests.seeded_runs import seeded_run

LOOK = Look()


def test_signed_colours_run_from_blue_to_orange() -> None:
    found = signed_colours(np.array([[-1.0, 0.0, 1.0, np.nan, 5.0]]), 1.0, LOOK)[0]
    panel = LOOK.colour("panel")
    assert found == [LOOK.colour("query"), panel, LOOK.colour("key"), panel, LOOK.colour("key")]


def test_ranks_are_shares_of_a_log_axis() -> None:
    shares = rank_shares(np.array([1, 10, 100, 0]), 100)
    assert shares[:3] == pytest.approx([1, 0.5, 0])
    assert np.isnan(shares[3])
    first, *_, last = shares_colours(shares[None], "weights", LOOK)[0]
    assert (first, last) == (LOOK.colour("weights"), LOOK.colour("panel"))


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_every_length_is_a_point_of_its_word(stack: str) -> None:
    trace, _ = seeded_run()
    found = depth(trace, stack)  # type: ignore[arg-type]
    ticks = ["s"] * len(found.states)
    figure = norms_figure(found, found.tokens, 1, ticks, "<b>", LOOK, 200)
    points = {}
    for line in figure.data:
        for x, y, word in zip(line.x, line.y, line.customdata, strict=True):
            if np.isfinite(x):
                points[int(x), int(word)] = float(y)
    assert len(points) == found.lengths.size
    for (n, word), length in points.items():
        assert length == pytest.approx(found.lengths[n, word], rel=1e-6)
    assert figure.layout.annotations[0].text == "&lt;b&gt;"
