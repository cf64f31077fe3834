r"""A step's formula and the same formula in numbers, as LaTeX in the colours of the roles."""

import math
import re
from collections.abc import Callable

from glassformer.app.pages.walkthrough.figures.layout import plain_symbol
from glassformer.app.plots.latex import paint_latex
from glassformer.app.plots.theme import FigureStyle
from glassformer.core.explain.equations import Line, Symbol, SymbolRole, mark_symbols
from glassformer.core.explain.provenance.node import Node
from glassformer.core.explain.provenance.run import Run
from glassformer.core.explain.steps.latex import in_numbers, role_of
from glassformer.core.explain.steps.steps import Step
from glassformer.core.explain.steps.wires import Wire
from glassformer.core.trace.sites import site_at

# Terms that stand by themselves: fewer where a term is long or cannot be broken.
_SHOWN: dict[str, int] = {"std": 2, "softmax": 3, "mean": 3, "choose": 2}
_MADE = {
    ("attention", "output"): r"\mathrm{MHA}(x)",
    ("feed_forward", "output"): r"\mathrm{FFN}(x)",
    ("norm", "output"): r"\mathrm{LN}(x)",
}
_SHORT = {r"[A_1 V_1; \dots; A_H V_H]": r"\mathrm{Concat}(\dots)"}
_REST = re.compile(r"\\underbrace\{(.*?)\}_\{(\d+)\}")
_LEVELS = re.compile(r"([_^])(\{[^{}]*\}|[^{}])")


def equations(step: Step, look: FigureStyle) -> list[str]:
    """The equations of a step, every symbol in the colour of what it stands for.

    Of several, none breaks over the end of a line.
    """

    def paint(symbol: Symbol) -> str:
        return paint_latex(symbol.latex, symbol.role, look)

    found: list[str] = []
    for line in step.lines:
        left = left_side(line.output)
        role = site_at(line.output.address).role
        right = mark_symbols(line, paint).split(r",\ ")
        found += [f"{paint_latex(left, role, look)} = {right[0]}" if left else right[0], *right[1:]]
    return found if len(found) == 1 else [f"{{{each}}}" for each in found]


def left_side(output: Wire) -> str:
    """What is made, where the model's equation is but the right side; else ""."""
    site = site_at(output.address)
    return "" if output.form else _MADE.get((site.group, site.name), "")


def formula_in_numbers(run: Run, node: Node, line: Line, look: FigureStyle, more: str) -> str:
    r"""The formula in numbers: `symbol = numbers = result`; terms coloured like their symbols.

    more: LaTeX-safe words for the terms that are summed up, with a place for their `count`.
    """
    number, role = number_printer(look.precision), site_at(line.output.address).role

    def paint(role: SymbolRole, text: str) -> str:
        return paint_latex(text, role, look)

    formula, after = in_numbers(run, node, _SHOWN.get(node.operation, 4), number, paint), ""
    result = number(node.exact)
    if node.operation in ("look_up", "learned_position", "copy", "join"):
        formula = _origin(node, line, look)
    elif node.operation.startswith("mask_"):
        formula, after = _masked(node, line, look)
    elif formula == result:
        formula = ""
    made = _symbol(line, line.output)
    left = paint_latex(left_side(line.output) or _SHORT.get(made, made), role, look)
    last = paint_latex(rf"\mathbf{{{result}}}", role, look)
    whole = _broken(f"{left} = {formula}" if formula else left, more)
    return rf"{whole}\allowbreak {{\;=\;{last}}}{after}"


def _symbol(line: Line, wire: Wire) -> str:
    """How an equation writes a tensor."""
    known = (each.latex for each in line.symbols if each.wire == wire)
    return next(known, site_at(wire.address).symbol)


def number_printer(digits: int) -> Callable[[float], str]:
    """Prints a number as LaTeX with so many digits; whole numbers and powers of ten in full."""

    def number(value: float) -> str:
        if math.isnan(value):
            return r"\mathrm{NaN}"
        if math.isinf(value):
            return r"-\infty" if value < 0 else r"\infty"
        if value == round(value) and abs(value) < 1e6:
            return f"{value:.0f}"
        mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
        exponent = int(power)
        if -4 < exponent < 6:
            return f"{value:.{max(digits - 1 - exponent, 0)}f}"
        if float(mantissa) in (1.0, -1.0) and value == float(f"{mantissa}e{power}"):
            return rf"{'-' if value < 0 else ''}10^{{{exponent}}}"
        return rf"{mantissa} \cdot 10^{{{exponent}}}"

    return number


def symbol_levels(latex: str) -> list[tuple[str, int]]:
    """A symbol as runs of plain text at the level of the line (0), raised (1), lowered (−1)."""
    latex = plain_symbol(latex)
    found: list[tuple[str, int]] = []
    at = 0
    for part in _LEVELS.finditer(latex):
        found.append((latex[at : part.start()], 0))
        found.append((part[2].strip("{}"), 1 if part[1] == "^" else -1))
        at = part.end()
    return [(text, level) for text, level in (*found, (latex[at:], 0)) if text]


def symbols(step: Step, line: int) -> tuple[Symbol, ...]:
    """What a step makes, then the other symbols of one of its equations, each thing once."""
    found: dict[object, Symbol] = {}
    for each in step.lines:
        left = left_side(each.output)
        made = [symbol for symbol in each.symbols if symbol.wire == each.output]
        if left:
            made = [Symbol(left, site_at(each.output.address).role, wire=each.output)]
        found |= {symbol.wire: symbol for symbol in made}
    for symbol in step.lines[line].symbols:
        found.setdefault(symbol.wire or symbol.parameter or symbol.latex, symbol)
    return tuple(found.values())


def _origin(node: Node, line: Line, look: FigureStyle) -> str:
    """Where a number that is only copied stood: `E[303, 13]`, places counted from 1, ids as are."""
    column = node.groups[0].columns[0]
    lane = column.parameter
    if lane is not None:
        symbol = next(each.latex for each in line.symbols if each.parameter == lane.name)
        row, feature = lane.index
        places = [str(row + (node.operation != "look_up")), str(feature + 1)]
    else:
        lane = column.sources[0]
        symbol, places = _symbol(line, Wire.of(lane.name)), [str(at + 1) for at in lane.index[1:]]
        if symbol.startswith("head_"):
            symbol = rf"head_{{{places.pop(0)}}}"
    return rf"{paint_latex(symbol, role_of(node, column), look)}[{', '.join(places)}]"


def _masked(node: Node, line: Line, look: FigureStyle) -> tuple[str, str]:
    """What a score becomes and why: itself where the mask is 1."""
    allowed = "forbidden" not in node.notes
    scaled, mask = (Wire(node.cell.beside(name)) for name in ("scaled", "mask"))
    kept = paint_latex(_symbol(line, scaled), "weights", look) if allowed else ""
    reason = paint_latex(rf"{_symbol(line, mask)} = {allowed:d}", "weights", look)
    return kept, rf"\quad {{({reason})}}"


def _broken(latex: str, more: str) -> str:
    """Lines may break after a plus or an equals sign, never within a product."""
    latex = _REST.sub(
        lambda found: rf"\underbrace{{{found[1]}}}_{{\text{{{more.format(count=int(found[2]))}}}}}",
        latex,
    )
    latex = latex.replace(r"\frac", r"\dfrac")  # in a line of text else too small to read
    return latex.replace(r"\cdot ", r"\cdot\nobreak ").replace(r", \dots", r",\allowbreak \dots")
