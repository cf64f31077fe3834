"""The four stages of attention as LaTeX, in the colours of the roles (§3.2.1)."""

from __future__ import annotations

import math

from app.figures.labels import format_number
from app.figures.theme import Look
from core.reading.attention_terms import Terms

FILLS = {"large_negative": "-10^{9}", "minus_infinity": r"-\infty", "additive": r"-\infty"}


def stage_formula(stage: str, fill: str, width: int, look: Look) -> str:
    """What a stage computes for the whole matrix.

    fill: the config's `mask_fill`; width: d_k.
    """
    query, key, weights = (_coloured(look, role) for role in ("query", "key", "weights"))
    product = f"{query('Q')} {key('K')}^{{\\top}}"
    if stage == "scores":
        return f"S = {product}"
    if stage == "scaled":
        root = format_number(math.sqrt(width), 4)
        return rf"S' = \frac{{{product}}}{{\sqrt{{d_k}}}} = \frac{{S}}{{\sqrt{{{width}}}}}" + (
            rf" = \frac{{S}}{{{root}}}" if math.isqrt(width) ** 2 == width else ""
        )
    if stage == "masked":
        return (
            rf"\tilde S_{{ts}} = \begin{{cases}} S'_{{ts}} & M_{{ts}} = 1 \\"
            rf" {FILLS[fill]} & M_{{ts}} = 0 \end{{cases}}"
        )
    return (
        rf"{weights('A_{ts}')} = \frac{{e^{{\tilde S_{{ts}}}}}}"
        rf"{{\sum_{{j}} e^{{\tilde S_{{tj}}}}}}"
    )


def cell_formula(terms: Terms, stage: str, fill: str, look: Look) -> str:
    """The same four steps with one cell's numbers; the chosen stage's number is emphasised.

    The numbers are those recorded, rounded to the reader's precision.
    """
    query, key = (_coloured(look, role) for role in ("query", "key"))
    score, scaled, weight = (
        _number(value, look) for value in (terms.score, terms.scaled, terms.weight)
    )
    masked = scaled if terms.allowed else FILLS[fill]
    share = _share(terms, look)
    lines = {
        "scores": (rf"\textstyle\sum_i {query('q_i')} {key('k_i')}", "", score),
        "scaled": (rf"{score} / \sqrt{{{terms.q.size}}}", "", scaled),
        "masked": (rf"M = {int(terms.allowed)}", r"\Rightarrow ", masked),
        "weights": (r"\mathrm{softmax}", share, weight),
    }
    rows = []
    for name, (left, middle, result) in lines.items():
        if name == stage:
            result = rf"\boldsymbol{{{_coloured(look, 'weights')(result)}}}"
        equals = middle if name == "masked" else f"= {middle}"
        rows.append(f"{left} &{equals} {result}")
    return r"\begin{aligned}" + r" \\[2pt] ".join(rows) + r"\end{aligned}"


def _share(terms: Terms, look: Look) -> str:
    above, below = terms.numerator, terms.denominator
    if not (math.isfinite(above) and math.isfinite(below)) or below == 0:
        return ""  # e to a huge score, or a row that may look nowhere: nothing to divide
    return rf"\tfrac{{{_number(above, look)}}}{{{_number(below, look)}}} ="


def _number(value: float, look: Look) -> str:
    text = format_number(value, look.precision)
    if "×10" in text:
        mantissa, _, _ = text.partition("×10")
        power = int(f"{value:.{look.precision - 1}e}".partition("e")[2])
        return rf"{mantissa} \cdot 10^{{{power}}}"
    return text.replace("∞", r"\infty").replace("NaN", r"\mathrm{NaN}")


def _coloured(look: Look, role: str) -> _Painter:
    return _Painter(look.colour(role))


class _Painter:
    """Writes LaTeX in one colour."""

    def __init__(self, shade: str) -> None:
        self.shade = shade

    def __call__(self, text: str) -> str:
        return rf"\textcolor{{{self.shade}}}{{{text}}}"
