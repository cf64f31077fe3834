"""The formulas of the positions as LaTeX, whole and with the numbers of one cell (§3.5)."""

import numpy as np

from glassformer.app.plots.latex import latex_number, paint_latex
from glassformer.app.plots.theme import FigureStyle
from glassformer.core.analysis.positions import Column

_PE = "PE"
_SINE = {
    "paper": r"_{(t,\,2i)} &= \sin\bigl(t / 10000^{2i/D}\bigr)",
    "notes": r"_{(t,\,2i)} &= \sin\bigl(t / 10000^{2i/D}\bigr)",
    "halves": r"_{(t,\,@{i})} &= \sin\bigl(t / 10000^{2i/D}\bigr)",
}
_COSINE = {
    "paper": r"_{(t,\,2i+1)} &= \cos\bigl(t / 10000^{2i/D}\bigr)",
    "notes": r"_{(t,\,2i+1)} &= \cos\bigl(t / 10000^{@{(2i+1)}/D}\bigr)",
    "halves": r"_{(t,\,@{D/2+i})} &= \cos\bigl(t / 10000^{2i/D}\bigr)",
}


def encoding_formula(variant: str, look: FigureStyle) -> str:
    """Sine and cosine of a variant; what differs from the paper's in the colour of changes."""
    name = paint_latex(_PE, "data", look)
    lines = [f"{name}{each}" for each in (_SINE[variant], _COSINE[variant])]
    both = r"\begin{aligned}" + r"\\[3pt]".join(lines) + r"\end{aligned}"
    return both.replace("@", rf"\textcolor{{{look.colour('changed')}}}")


def column_formula(column: Column, place: int, value: float, look: FigureStyle) -> str:
    """One cell: the wave of its feature at its position."""
    wave = r"\sin" if column.wave == "sine" else r"\cos"
    left = paint_latex(rf"{_PE}_{{({place},\,{column.dimension})}}", "data", look)
    angle = rf"\frac{{{place}}}{{10000^{{{column.exponent}/{column.d_model}}}}}"
    number = paint_latex(latex_number(value, look), "data", look)
    turned = latex_number(place * column.frequency, look)
    return (
        rf"\begin{{aligned}}{left} &= {wave} {angle} \\[3pt]"
        rf" &= {wave}\,({turned}) = \boldsymbol{{{number}}}\end{{aligned}}"
    )


def wavelength_formula(column: Column, look: FigureStyle) -> str:
    """How many positions a wave takes for one turn, with the numbers of its feature."""
    power = rf"10000^{{{column.exponent}/{column.d_model}}}"
    return (
        rf"\lambda = 2 \pi \cdot {power} = \boldsymbol{{{latex_number(column.wavelength, look)}}}"
    )


def dot_formula(look: FigureStyle) -> str:
    """The dot product of two encodings where sine and cosine share their frequency."""
    first, second = (paint_latex(f"{_PE}_{each}", "data", look) for each in "ij")
    return (
        rf"{first} \cdot {second} = \textstyle\sum_m"
        rf" \cos\bigl(\omega_m\,\textcolor{{{look.colour('weights')}}}{{(i - j)}}\bigr)"
    )


def rotation_formula(
    block: np.ndarray, before: np.ndarray, carried: np.ndarray, look: FigureStyle
) -> str:
    """R_k of one pair with its numbers, (2, 2), and what it makes of (sine, cosine) at t."""
    matrix, column = _matrix(block, "weights", look), _matrix(before[:, None], "data", look)
    return f"{matrix} {column} = {_matrix(carried[:, None], 'changed', look)}"


def rotation_symbols(exact: bool, look: FigureStyle) -> str:
    """R_k of one pair in symbols; not exact: its angle α is the one that fits best."""
    angle = r"\omega k" if exact else r"\alpha"
    matrix = (
        rf"\begin{{pmatrix}} \cos {angle} & \sin {angle} \\"
        rf" -\sin {angle} & \cos {angle} \end{{pmatrix}}"
    )
    whole = rf"{paint_latex('R_k', 'weights', look)} = {paint_latex(matrix, 'weights', look)}"
    sign = "=" if exact else r"\approx"
    return rf"{whole},\quad R_k\,{paint_latex(_PE + '_t', 'data', look)} {sign} {_PE}_{{t+k}}"


def sum_formula(
    place: int, feature: int, parts: tuple[float, float, float], scaled: bool, look: FigureStyle
) -> str:
    """One number of a word's input: word + position = sum."""
    word, encoding, whole = (latex_number(each, look) for each in parts)
    root = r"\sqrt{D}\," if scaled else ""
    left = rf"x_{{{place},{feature}}}"
    return (
        rf"\begin{{aligned}}{left} &= {root}E + {paint_latex(_PE, 'data', look)} \\[2pt]"
        rf" &= {word} + ({paint_latex(encoding, 'data', look)})"
        rf" = \boldsymbol{{{whole}}}\end{{aligned}}"
    )


def _matrix(values: np.ndarray, role: str, look: FigureStyle) -> str:
    rows = (" & ".join(latex_number(float(each), look) for each in row) for row in values)
    inside = r" \\ ".join(rows)
    return paint_latex(rf"\begin{{pmatrix}} {inside} \end{{pmatrix}}", role, look)
