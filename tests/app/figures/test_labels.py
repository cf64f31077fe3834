"""Tokens and numbers as figures write them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as some

from app.figures.labels import (
    escape,
    format_number,
    format_percent,
    is_chinese,
    text_width,
    visible,
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
    ],
)
def test_what_cannot_be_seen_is_made_visible(token: str, shown: str) -> None:
    assert visible(token) == shown


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
