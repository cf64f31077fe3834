"""LaTeX in the colours of the roles, with numbers to the reader's digits."""

from glassformer.app.plots.labels import MINUS, format_number
from glassformer.app.plots.theme import FigureStyle


def paint_latex(latex: str, role: str, look: FigureStyle) -> str:
    """LaTeX in the colour of a role; a number of the config ("constant") in that of the text."""
    if role == "constant":
        return latex
    return rf"\textcolor{{{look.colour(role)}}}{{{latex}}}"


def latex_number(value: float, look: FigureStyle) -> str:
    """A number to the reader's digits, as LaTeX."""
    text = format_number(value, look.precision).replace(MINUS, "-")
    mantissa, ten, _ = text.partition("×10")
    if ten:
        power = int(f"{value:.{look.precision - 1}e}".partition("e")[2])
        return rf"{mantissa} \cdot 10^{{{power}}}"
    return text.replace("∞", r"\infty").replace("NaN", r"\mathrm{NaN}")
