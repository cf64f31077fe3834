"""Tokens, numbers and colours as figures write them, token axes and hatching."""

import math
from itertools import combinations
from unicodedata import bidirectional

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as some

from glassformer.app.plots import colours
from glassformer.app.plots.colours import (
    colour,
    contrast,
    diverging_scale,
    head_colour,
    mix_colours,
    sequential,
)
from glassformer.app.plots.labels import (
    escape,
    fit_to_width,
    format_number,
    format_percent,
    is_chinese,
    text_width,
    visible,
)
from glassformer.app.plots.theme import (
    FigureStyle,
    base_layout,
    hatch_cells,
    is_numbered,
    token_axis,
)


@pytest.mark.parametrize(
    "token, shown",
    [
        ("<b>x</b>", "&lt;b&gt;x&lt;/b&gt;"),
        ("</s>", "&lt;/s&gt;"),
        ("&lt;", "&amp;lt;"),
        ("a&b", "a&amp;b"),
    ],
)
def test_labels_are_literal(token: str, shown: str) -> None:
    assert escape(token) == shown


@pytest.mark.parametrize(
    "token, shown",
    [
        ("", "∅"),
        (" a\t", "␣a␣"),
        ("a\u200bb", "a�b"),
        ("\u202eabc", "�abc"),
        ("\x07", "�"),
        ("x" * 40, "x" * 23 + "…"),
        ("动物", "动物"),
        ("\u2068a", "�a"),
        ("\u0639 (\u0644)|b", "\u2068\u0639\u2069 (\u2068\u0644\u2069)|b"),
    ],
)
def test_what_cannot_be_seen_is_made_visible(token: str, shown: str) -> None:
    assert visible(token) == shown


WORDS = some.text("ab1 ()|\u0639\u0644\u05d0\u0661\u2068\u2069→-.,", max_size=12)


@given(some.lists(WORDS, min_size=1, max_size=5), some.integers(3, 24))
def test_what_runs_from_right_to_left_turns_nothing_beside_it(words: list[str], most: int) -> None:
    """By Unicode's rules a line runs left to right whose right-to-left letters are all isolated."""
    shown = [visible(word, most) for word in words]
    shown += [visible(each, most) for each in shown]
    shown += [fit_to_width(each, 13, 40) for each in shown]
    line = " · ".join(f"{at} {each}" for at, each in enumerate(shown, 1))
    depth = 0
    for character in line:
        depth += {"FSI": 1, "PDI": -1}.get(bidirectional(character), 0)
        assert depth in (0, 1)
        assert depth or bidirectional(character) not in ("R", "AL", "AN"), line
    assert depth == 0


@pytest.mark.parametrize(
    "value, shown",
    [
        (0.5, "0.500"),
        (0.0, "0"),
        (12.34, "12.3"),
        (9.999, "10.0"),
        (1234.5, "1234"),
        (-0.25, "−0.250"),
        (0.00012, "0.000120"),
        (1e-7, "1.00×10⁻⁷"),
        (-1e9, "−1.00×10⁹"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (math.nan, "NaN"),
        (3, "3"),
        (-7, "−7"),
    ],
)
def test_numbers(value: float, shown: str) -> None:
    assert format_number(value) == shown


@given(some.floats(allow_nan=False, allow_infinity=False), some.integers(2, 7))
def test_numbers_are_near_and_have_no_hyphen(value: float, digits: int) -> None:
    shown = format_number(value, digits)
    assert "-" not in shown
    if "×" not in shown and value:
        near = float(shown.replace("−", "-"))
        assert near == pytest.approx(value, rel=0.51 * 10 ** (1 - digits))


@pytest.mark.parametrize(
    "share, shown",
    [
        (0.971, "97.1%"),
        (1.0, "100%"),
        (0.99999, ">99.9%"),
        (0.0001, "<0.1%"),
        (0.0, "0.0%"),
        (float("nan"), "NaN"),
    ],
)
def test_percentages(share: float, shown: str) -> None:
    assert format_percent(share) == shown


def test_chinese_is_wide() -> None:
    assert is_chinese("动物")
    assert not is_chinese("animal")
    assert text_width("动物", 10) == 20
    assert text_width("ab", 10) == pytest.approx(11.2)


ROLES = ("query", "key", "value", "weights", "data", "feed_forward", "norm", "changed")


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("role", ROLES)
def test_roles_read_as_text(role: str, dark: bool) -> None:
    for ground in ("page", "panel"):
        assert contrast(colour(role, dark), colour(ground, dark)) >= 4.5


@pytest.mark.parametrize("dark", [False, True])
def test_heads_stand_out_and_differ(dark: bool) -> None:
    heads = [head_colour(head, dark) for head in range(16)]
    assert len(set(heads)) == 16
    assert all(contrast(hue, colour("page", dark)) >= 3 for hue in heads[:8])
    for first, second in combinations(heads[:8], 2):
        apart = sum((a - b) ** 2 for a, b in zip(_lab(first), _lab(second), strict=True)) ** 0.5
        assert apart > 0.1


def _lab(value: str) -> tuple[float, ...]:
    return colours._to_oklab(value)


@pytest.mark.parametrize("dark", [False, True])
def test_scales_begin_and_end_where_they_should(dark: bool) -> None:
    scale = sequential("weights", dark)
    assert scale[0] == [0.0, colour("panel", dark)]
    assert scale[-1] == [1.0, colour("weights", dark)]
    both = diverging_scale(dark)
    assert [both[0][1], both[8][1], both[-1][1]] == [
        colour("query", dark),
        colour("panel", dark),
        colour("key", dark),
    ]
    assert [place for place, _ in both] == sorted(place for place, _ in both)


def test_mixing_and_contrast() -> None:
    assert mix_colours("#000000", "#FFFFFF", 0) == "#000000"
    assert mix_colours("#000000", "#FFFFFF", 1) == "#FFFFFF"
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert colours.readable_on("#FFFFFF") == colour("text")
    assert colours.fade_colour("#FF0000", 0.5) == "rgba(255,0,0,0.5)"


LATIN = ["the", "extraordinarily", "long", "sentence"]
CHINESE = ["动物", "没有", "穿过", "马路"]


def test_tokens_are_labels_of_positions() -> None:
    axis = token_axis(["3", "3", "<s>", " "], FigureStyle(), 600)
    assert axis["type"] == "linear"
    assert axis["tickvals"] == [0, 1, 2, 3]
    assert axis["ticktext"] == ["3", "3", "&lt;s&gt;", "␣"]
    assert axis["range"] == [-0.5, 3.5]


def test_rows_begin_on_top() -> None:
    axis = token_axis(LATIN, FigureStyle(), 300, "left")
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
    axis = token_axis(tokens, FigureStyle(), pixels, "top")
    assert axis["tickangle"] == angle
    assert is_numbered(axis, tokens) is numbered


def test_numbers_do_not_collide() -> None:
    axis = token_axis(["word"] * 200, FigureStyle(), 600)
    assert axis["ticktext"][0] == "1"
    assert len(axis["ticktext"]) * FigureStyle().px(13) * 1.5 <= 600


def test_hatching_covers_exactly_the_forbidden_cells() -> None:
    allowed = np.tril(np.ones((4, 4), dtype=bool))
    allowed[3, 1] = False
    overlay = hatch_cells(allowed, FigureStyle())
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
    assert len(hatch_cells(np.ones((3, 3), dtype=bool), FigureStyle())["x"] or ()) == 0


def test_base_layout_is_valid_and_can_be_overridden() -> None:
    figure = go.Figure()
    figure.update_layout(**base_layout(FigureStyle(dark=True, size=150), 300, showlegend=True))
    assert figure.layout.height == 300
    assert figure.layout.showlegend
    assert figure.layout.font.size == 21
