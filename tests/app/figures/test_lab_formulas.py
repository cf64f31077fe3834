"""Every result of every worked example has a formula in the colours of the roles."""

import re

import pytest

from app.figures.colours import DARK, LIGHT
from app.figures.lab_formulas import formula, role
from app.figures.theme import Look
from core.lab.worked_examples import examples, work


@pytest.mark.parametrize("key", examples())
@pytest.mark.parametrize("dark", [False, True])
def test_every_quantity_has_a_formula(key: str, dark: bool) -> None:
    shades = set((DARK if dark else LIGHT).values())
    for quantity in work(key).quantities:
        tex = formula(key, quantity.key, Look(dark=dark))
        assert "@" not in tex
        assert tex.count("{") == tex.count("}")
        assert set(re.findall(r"\\textcolor\{(#\w+)\}", tex)) <= shades
        assert role(key, quantity.key) in LIGHT


def test_roles() -> None:
    assert r"\textcolor{#2563EB}{Q}" in formula("self-attention-3x4", "scores", Look())
    assert role("pe-same-word", "pe_17") == "data"
    assert formula("pe-same-word", "pe_17", Look()) == formula("pe-same-word", "pe_2", Look())
