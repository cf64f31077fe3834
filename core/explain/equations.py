"""The equations of a model, as its config makes them true, and what each symbol in them stands for.

`sites.py` prints the paper's conventions; a model that scales nothing, has another activation or
another norm formula computes something else, and the screen must print that. A symbol leads to a
tensor of the run, to a parameter of the model or to a number of the config. `mark_symbols` goes
through an equation's LaTeX and hands out its symbols one by one, so that a screen can colour them
by role and make them clickable without knowing the equations.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from glassformer.core.config import ModelConfig
from glassformer.core.explain.steps.wires import Wire
from glassformer.core.model.activation import ACTIVATIONS
from glassformer.core.model.layer_norm import NORM_DIVISORS
from glassformer.core.trace.address import Address
from glassformer.core.trace.sites import Role, site_at

_POSITIONS = {
    "notes": r"PE_{(t, 2i)} = \sin(t / 10000^{2i/D}),\ "
    r"PE_{(t, 2i+1)} = \cos(t / 10000^{(2i+1)/D})",
    "halves": r"PE_{(t, i)} = \sin(t / 10000^{2i/D}),\ "
    r"PE_{(t, D/2+i)} = \cos(t / 10000^{2i/D})",
    "spread": r"PE_{(t, i)} = \sin(t / 10000^{2i/(D - 2)}),\ "
    r"PE_{(t, D/2+i)} = \cos(t / 10000^{2i/(D - 2)})",
    "learned": r"PE_t = P[t]",
    "none": r"PE = 0",
    "rotary": r"PE = 0",
    "relative": r"PE = 0",
}
_FILLS = {"large_negative": "-10^9", "minus_infinity": r"-\infty", "additive": r"-\infty"}


def equation(config: ModelConfig, address: str) -> str:
    """The LaTeX of what is computed at an address in a model of this config.

    Args:
        config: of the model.
        address: of a tensor, such as `encoder/0/self_attention/weights`.

    Returns:
        The equation; the paper's unless the config computes something else.

    Raises:
        KeyError: for an address no run can have.
    """
    site = site_at(address)
    across = Address.of(address).is_cross and site.group == "attention"
    found = _other_than_printed(config, across).get((site.group, site.name), site.equation)
    if across and site.name in ("k", "v"):
        return found.replace("= x W", "= Z W")  # keys and values are made of the memory (§3.2.3)
    return found


@cache
def _other_than_printed(config: ModelConfig, across: bool) -> dict[tuple[str, str], str]:
    """The equations of a config, by group and name, where they may differ from the paper's.

    across: of cross-attention, which knows no positions.
    """
    word = r"\sqrt{D}\,E_w" if config.embedding_scale else "E_w"
    masked = site_at("encoder/0/self_attention/masked").equation
    weight = r"E^\top" if config.tie_generator else "W"
    norm, activation = NORM_DIVISORS[config.norm_formula], ACTIVATIONS[config.activation]
    below = norm.of(norm.deviation, r"\varepsilon")
    std = rf"{norm.deviation} = \sqrt{{\frac{{1}}{{{norm.count}}} \sum_i (x_i - \mu)^2}}"
    placed = " + PE" if config.adds_positions else ""
    found = {
        ("embedding", "input"): f"x = {word}{placed}" + (" + T_s" if config.token_types else ""),
        ("attention", "masked"): masked.replace("-10^9", _FILLS[config.mask_fill]),
        ("output", "logits"): rf"z = x {weight}" + (" + b" if config.generator_bias else ""),
        ("feed_forward", "activation"): f"a = {activation.of('x W_1 + b_1')}",
        ("output", "activation"): f"a = {activation.of('x W + b')}",
        ("norm", "std"): std,
        ("norm", "normalized"): rf"\hat{{x}} = \frac{{x - \mu}}{{{below}}}",
    }
    if not config.embedding_scale:
        found["embedding", "scaled"] = "E_w"
    if config.positions in _POSITIONS:
        found["embedding", "positions"] = _POSITIONS[config.positions]
    if not config.attention_bias:
        found |= {("attention", name): f"{name.upper()} = x W^{name.upper()}" for name in "qkv"}
    if not (config.attention_bias and config.attention_output_bias):
        found["attention", "output"] = r"\mathrm{Concat}(head_1, \dots, head_H)\, W^O"
    return found | _of_other_families(config, across)


def _of_other_families(config: ModelConfig, across: bool) -> dict[tuple[str, str], str]:
    """What no model of the paper's conventions computes."""
    found: dict[tuple[str, str], str] = {}
    if config.norm_kind == "rms":
        found["norm", "normalized"] = r"\hat{x} = \frac{x}{\sqrt{m + \varepsilon}}"
        found["norm", "output"] = r"\gamma \odot \hat{x}"
    if not config.score_scale:
        found["attention", "scaled"] = "S' = S"
    if config.positions == "relative" and not across:
        masked = site_at("encoder/0/self_attention/masked").equation
        masked = masked.replace("S'_{ts} & M", "S'_{ts} + B_{ts} & M")
        found["attention", "masked"] = masked.replace("-10^9", _FILLS[config.mask_fill])
    turned = ("Q", "K")
    if config.qk_norm and not across:
        turned = (r"\hat{Q}", r"\hat{K}")
        for name in ("q", "k"):
            plain = site_at(f"encoder/0/self_attention/{name}_rotated").equation
            letter = name.upper()
            found["attention", f"{name}_rotated"] = (
                rf"(R {letter})"
                + plain.partition(")")[1]
                + (plain.partition(")")[2].replace(f"{letter}_", rf"\hat{{{letter}}}_"))
            )
    if config.positions == "rotary" and not across:
        turned = (r"(R Q)", r"(R K)")
    if turned != ("Q", "K"):
        found["attention", "scores"] = rf"S = {turned[0]} {turned[1]}^\top"
    if not config.feed_forward_bias:
        activation = ACTIVATIONS[config.activation]
        found["feed_forward", "pre_activation"] = "x W_1"
        found["feed_forward", "activation"] = f"a = {activation.of('x W_1')}"
        found["feed_forward", "output"] = "a W_2"
    if config.gated:
        found["feed_forward", "up"] = "u = x W_3" + (" + b_3" if config.feed_forward_bias else "")
        bias = " + b_2" if config.feed_forward_bias else ""
        found["feed_forward", "output"] = rf"(a \odot u) W_2{bias}"
    return found


SymbolRole = Role | Literal["constant"]

_DROPPED = {
    "attention": r"\frac{m \odot A}{1 - p}",
    "feed_forward": r"\frac{m \odot a}{1 - p}",
    "residual": r"\frac{m \odot \mathrm{Sublayer}(x)}{1 - p}",
}


@dataclass(frozen=True)
class Symbol:
    """A symbol of an equation: exactly one of `wire`, `parameter` and `size` says what it is.

    `parameter` is a name of the model's `named_parameters`, `size` a number of the config.
    """

    latex: str
    role: SymbolRole
    wire: Wire | None = None
    parameter: str = ""
    size: float | None = None


@dataclass(frozen=True)
class Line:
    """One equation of a step: the LaTeX that this model's config makes true, and its symbols."""

    output: Wire
    latex: str
    symbols: tuple[Symbol, ...]  # in the order in which they are read; each once


def mark_symbols(line: Line, mark: Callable[[Symbol], str]) -> str:
    """The equation's LaTeX with every symbol, wherever it stands, replaced by what `mark` gives.

    Args:
        line: the equation and its symbols.
        mark: gives the LaTeX to put in a symbol's place.

    Returns:
        The LaTeX; unchanged where the line has no symbols.
    """
    by_latex = {symbol.latex: symbol for symbol in line.symbols}
    if not by_latex:
        return line.latex
    return _pattern(tuple(by_latex)).sub(lambda found: mark(by_latex[found[0]]), line.latex)


def line_of(config: ModelConfig, kind: str, inputs: Sequence[Wire], output: Wire) -> Line:
    """The equation of one output of a step of that kind, with its symbols.

    Args:
        config: of the model.
        kind: of the step, such as `split` or `choice`.
        inputs: what goes into the step; symbols refer to them by their place, from 0.
        output: the wire that the equation makes.

    Returns:
        The LaTeX, and each of its symbols once, in the order in which they are read.

    Raises:
        KeyError: for an output at an address no run can have.
    """
    latex, meanings = _written(config, kind, output)
    found = _pattern(tuple(meanings)).findall(latex) if meanings else []
    symbols = [
        _symbol(config, each, meanings[each], inputs, output) for each in dict.fromkeys(found)
    ]
    return Line(output, latex, tuple(symbols))


def _written(config: ModelConfig, kind: str, output: Wire) -> tuple[str, dict[str, str]]:
    """The LaTeX of what comes out, and what its symbols stand for."""
    at, site = Address.of(output.address), site_at(output.address)
    if kind == "split":
        letter, which = at.name.upper(), "qkv".index(at.name)
        latex = rf"{letter}^{{(h)}}_{{t,\,i}} = {letter}_{{t,\;h d_k + i}}"
        return latex, {f"{letter}^{{(h)}}": "=", letter: f"<{which}", "d_k": "#K"}
    if kind == "choice":
        latex = r"\hat{w}_t = \arg\max_{w \in \mathcal{A}_t} p_{t,\,w}"
        return latex, {r"\hat{w}": "=", "p": "<0"}
    if kind == "given":
        return r"\hat{w}_t = w_{t+1}", {r"\hat{w}": "="}
    latex = equation(config, output.address)
    meanings = dict(site.symbols)
    if at.name == "mask":
        latex = r"M_{ts} = [w_s \neq \mathrm{pad}]" + (r" \cdot [s \le t]" if at.is_causal else "")
    elif output.form == "dropped":
        latex, meanings = _DROPPED[site.group], {**meanings, "m": "kept"}
    elif output.form == "added" or kind == "embedding_dropout":
        meanings = dict(site_at(at.sibling("input")).symbols)
        summed = equation(config, at.sibling("input")).removeprefix("x = ")
        if output.form == "added":
            latex = summed
        elif at.name == "input":
            latex = rf"x = \frac{{m \odot ({summed})}}{{1 - p}}"
        else:
            meanings = {**meanings, "m": "="}
    return latex, meanings


def _symbol(
    config: ModelConfig, latex: str, meaning: str, inputs: Sequence[Wire], output: Wire
) -> Symbol:
    own: Role = site_at(output.address).role
    kind, name = meaning[0], meaning[1:]
    if kind == "#":
        return Symbol(latex, "constant", size=_size(config.of(output.address), name))
    if kind == "~":
        return Symbol(latex, own, parameter=f"{Address.of(output.address).module}.{name}")
    if kind == "=":
        wire = output
    elif kind == "<":
        wire = inputs[int(name)]
    else:
        wire = Wire(Address.of(output.address).sibling(meaning))
    return Symbol(latex, site_at(wire.address).role, wire=wire)


def _size(config: ModelConfig, name: str) -> float:
    sizes = {
        "D": config.d_model, "K": config.d_k, "√D": config.d_model**0.5, "p": config.dropout,
        "ε": config.norm_epsilon,
    }  # fmt: skip
    return float(sizes[name])


def _pattern(symbols: tuple[str, ...]) -> re.Pattern[str]:
    """Finds symbols, the longest first; letters of a longer word are none."""
    parts = []
    for symbol in sorted(symbols, key=len, reverse=True):
        before = "" if symbol.startswith("\\") else r"(?<![A-Za-z\\])"
        after = r"(?![A-Za-z'])" if symbol[-1].isalpha() else ""
        parts.append(before + re.escape(symbol) + after)
    return re.compile("|".join(parts))
