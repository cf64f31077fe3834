"""Colours: readable, told apart, even steps."""

from itertools import combinations

import pytest

from app.figures import colours
from app.figures.colours import colour, contrast, diverging, head_colour, mix, sequential

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
    both = diverging(dark)
    assert [both[0][1], both[8][1], both[-1][1]] == [
        colour("query", dark),
        colour("panel", dark),
        colour("key", dark),
    ]
    assert [place for place, _ in both] == sorted(place for place, _ in both)


def test_mixing_and_contrast() -> None:
    assert mix("#000000", "#FFFFFF", 0) == "#000000"
    assert mix("#000000", "#FFFFFF", 1) == "#FFFFFF"
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert colours.readable_on("#FFFFFF") == colour("text")
    assert colours.faded("#FF0000", 0.5) == "rgba(255,0,0,0.5)"
