"""Token axes and hatching."""

import numpy as np
import plotly.graph_objects as go
import pytest

from app.figures.theme import Look, base_layout, hatching, is_numbered, token_axis

LATIN = ["the", "extraordinarily", "long", "sentence"]
CHINESE = ["动物", "没有", "穿过", "马路"]


def test_tokens_are_labels_of_positions() -> None:
    axis = token_axis(["3", "3", "<s>", " "], Look(), 600)
    assert axis["type"] == "linear"
    assert axis["tickvals"] == [0, 1, 2, 3]
    assert axis["ticktext"] == ["3", "3", "&lt;s&gt;", "␣"]
    assert axis["range"] == [-0.5, 3.5]


def test_rows_begin_on_top() -> None:
    axis = token_axis(LATIN, Look(), 300, "left")
    assert axis["range"] == [3.5, -0.5]
    assert axis["tickangle"] == 0


@pytest.mark.parametrize(
    "tokens, pixels, angle, numbered",
    [
        (LATIN, 900, 0, False),
        (LATIN, 200, -45, False),
        (LATIN, 50, 0, True),
        (CHINESE, 600, 0, False),
        (CHINESE, 80, 0, True),
        ([*LATIN, "动物"], 250, 0, True),
    ],
)
def test_chinese_is_never_turned_and_latin_at_most_45_degrees(
    tokens: list[str], pixels: float, angle: int, numbered: bool
) -> None:
    axis = token_axis(tokens, Look(), pixels, "top")
    assert axis["tickangle"] == angle
    assert is_numbered(axis, tokens) is numbered


def test_numbers_do_not_collide() -> None:
    axis = token_axis(["word"] * 200, Look(), 600)
    assert axis["ticktext"][0] == "1"
    assert len(axis["ticktext"]) * Look().px(13) * 1.5 <= 600


def test_hatching_covers_exactly_the_forbidden_cells() -> None:
    allowed = np.tril(np.ones((4, 4), dtype=bool))
    allowed[3, 1] = False
    overlay = hatching(allowed, Look())
    covered = ~allowed
    boxes = (
        np.array(overlay["x"], dtype=float).reshape(-1, 6),
        np.array(overlay["y"], dtype=float).reshape(-1, 6),
    )
    drawn = np.zeros((4, 4), dtype=bool)
    for xs, ys in zip(*boxes, strict=True):
        row, start, stop = round(ys[0] + 0.5), round(xs[0] + 0.5), round(xs[1] + 0.5)
        drawn[row, start:stop] = True
    assert (drawn == covered).all()
    assert overlay["hoverinfo"] == "skip"


def test_nothing_forbidden_is_nothing_drawn() -> None:
    assert len(hatching(np.ones((3, 3), dtype=bool), Look())["x"] or ()) == 0


def test_base_layout_is_valid_and_can_be_overridden() -> None:
    figure = go.Figure()
    figure.update_layout(**base_layout(Look(dark=True, size=150), 300, showlegend=True))
    assert figure.layout.height == 300
    assert figure.layout.showlegend
    assert figure.layout.font.size == 21
