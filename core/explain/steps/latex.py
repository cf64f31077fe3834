r"""The formula of a step with its numbers put in, as LaTeX.

Long sums are printed short: the largest terms first, then the sum of all others above how many
they are, `\underbrace{0.031}_{124}`.
"""

from __future__ import annotations

from collections.abc import Callable

from core.explain.steps.worked import Form, Operand, Worked

Number = Callable[[float], str]
Mark = Callable[[Operand, str], str]  # what to print for a number, given the operand it is of


def in_numbers(worked: Worked, shown: int, number: Number, mark: Mark) -> str:
    """`symbol = formula in numbers = result`, as LaTeX.

    Args:
        worked: one cell, worked out.
        shown: how many terms of a sum stand by themselves.
        number: prints a number.
        mark: called for every number that is an operand's, so that it can be coloured or linked.
    """
    writer = _Writer(worked, shown, number, mark)
    formula = _TEMPLATES[worked.form](writer)
    result = number(worked.value)
    return " = ".join((worked.symbol, formula, *([result] if formula != result else [])))


class _Writer:
    """Prints operands and sums of one worked number."""

    def __init__(self, worked: Worked, shown: int, number: Number, mark: Mark) -> None:
        self.worked, self.shown, self.number, self.mark = worked, shown, number, mark

    def __call__(self, name: str, signed: bool = False) -> str:
        """A scalar; with `signed` in parentheses where it is negative."""
        operand = self.worked.scalars[name]
        return self.mark(operand, self.guarded(operand.value) if signed else self.of(operand.value))

    def of(self, value: float) -> str:
        return self.number(value)

    def guarded(self, value: float) -> str:
        return f"({self.number(value)})" if value < 0 else self.number(value)

    def sum_of(self, term: Callable[[int], str]) -> str:
        """The largest terms, each printed by `term`, and the rest in one."""
        short = self.worked.short(self.shown)
        parts = [term(place) for place in short.largest]
        if short.rest_count:
            parts.append(rf"\underbrace{{{self.guarded(short.rest)}}}_{{{short.rest_count}}}")
        return " + ".join(parts)

    def factors(self, place: int) -> str:
        """The operands of one term, as a product."""
        printed = (
            self.mark(operand, self.guarded(float(operand.values[place])))
            for operand in self.worked.factors
        )
        return r" \cdot ".join(printed)


def _wave(w: _Writer) -> str:
    exponent = rf"{w('dimension')}/{w('width')}"
    return rf"\{w.worked.detail}({w('position')} / 10000^{{{exponent}}})"


def _dropout(w: _Writer) -> str:
    return rf"\frac{{{w('kept')} \cdot {w('source', True)}}}{{1 - {w('rate')}}}"


def _mean(w: _Writer) -> str:
    return rf"\frac{{{w.sum_of(w.factors)}}}{{{w('count')}}}"


def _deviation(w: _Writer) -> str:
    x, mean = w.worked.factors[0], w("mean", True)

    def square(place: int) -> str:
        return rf"({w.mark(x, w.of(float(x.values[place])))} - {mean})^2"

    return rf"\sqrt{{\frac{{{w.sum_of(square)}}}{{{w('count')}}}}}"


def _normalize(w: _Writer) -> str:
    below = rf"{w('std')} + {w('epsilon')}"
    if w.worked.detail == "population":
        below = rf"\sqrt{{{w('std')}^2 + {w('epsilon')}}}"
    return rf"\frac{{{w('source')} - {w('mean', True)}}}{{{below}}}"


def _linear(w: _Writer) -> str:
    bias = f" + {w('bias', True)}" if "bias" in w.worked.scalars else ""
    return w.sum_of(w.factors) + bias


def _allow(w: _Writer) -> str:
    scalars = w.worked.scalars
    if scalars["id"].value == scalars["pad"].value and w.worked.value:  # the begin token
        word = rf"[{w('key')} \le 0]"
    else:
        word = rf"[{w('id')} \neq {w('pad')}]"
    causal = rf" \cdot [{w('key')} \le {w('query')}]"
    return word + (causal if w.worked.detail == "causal" else "")


def _softmax(w: _Writer) -> str:
    row, chosen = w.worked.factors[0], w.worked.chosen or 0

    def power(place: int) -> str:
        return rf"e^{{{w.mark(row, w.of(float(row.values[place])))}}}"

    return rf"\frac{{{power(chosen)}}}{{{w.sum_of(power)}}}"


def _activate(w: _Writer) -> str:
    names = {"gelu": r"\mathrm{GELU}(%s)", "gelu_tanh": r"\mathrm{GELU}_{\tanh}(%s)"}
    return names.get(w.worked.detail, r"\max(0, %s)") % w("source")


def _choice(w: _Writer) -> str:
    row, worked = w.worked.factors[0], w.worked
    printed = [
        w.mark(row, (r"\mathbf{%s}" if place == worked.chosen else "%s") % w.of(chance))
        for place in worked.short(w.shown).largest
        for chance in [float(worked.terms[place])]
    ]
    return rf"\arg\max({', '.join(printed)}, \dots)"


_TEMPLATES: dict[Form, Callable[[_Writer], str]] = {
    "copy": lambda w: w("source"),
    "product": lambda w: rf"{w('scale')} \cdot {w('source', True)}",
    "wave": _wave,
    "sum": lambda w: f"{w('left')} + {w('right', True)}",
    "draw": lambda w: w.of(w.worked.value),
    "dropout": _dropout,
    "mean": _mean,
    "deviation": _deviation,
    "normalize": _normalize,
    "affine": lambda w: rf"{w('gamma')} \cdot {w('source', True)} + {w('beta', True)}",
    "linear": _linear,
    "dot": _linear,
    "divide": lambda w: rf"\frac{{{w('source')}}}{{{w('divisor')}}}",
    "allow": _allow,
    "fill": lambda w: w("source") if w.worked.scalars["mask"].value else w("fill"),
    "softmax": _softmax,
    "activate": _activate,
    "choice": _choice,
    "given": lambda w: w.of(w.worked.value),
}
