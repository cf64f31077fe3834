r"""The trail through §5.4's layer normalisation and the residual stream: mean, spread, γ and β."""

from __future__ import annotations

import math

import numpy as np

from core.trail.node import Fact, Node
from core.trail.places import (
    beside,
    memory_input,
    module_of,
    norm_input,
    place_of,
    stream_input,
)
from core.trail.run import ALL, Run, constant, dropped, part
from core.trail.terms import Cell, Column, Group, Lane


def mean(run: Run, cell: Cell) -> Node:
    """μ: every feature of the row adds its D-th part."""
    x = _features(run, cell)
    share = constant("fraction", r"\frac{1}{D}", 1 / len(x.values))
    formula = r"\mu_t = \frac{1}{D} \sum_i x_{t,i}"
    return run.node(cell, "mean", formula, Group("feature", (x, share)))


def std(run: Run, cell: Cell) -> Node:
    """σ (or s, which divides by D − 1): the root of the mean square distance from μ."""
    x, where = _features(run, cell), beside(cell.address, "mean")
    mu = run.number(where, cell.index)
    lanes = (*x.sources, Lane(where, cell.index))
    centred = Column("centred", r"(x_{t,i} - \mu_t)", x.values - mu, lanes)
    sample = run.config.norm_formula == "sample"
    below, sign = ("D - 1", "s") if sample else ("D", r"\sigma")
    share = constant("fraction", rf"\frac{{1}}{{{below}}}", 1 / (len(x.values) - sample))
    variance = float((centred.values**2 * share.values).sum())
    return run.node(
        cell,
        "std",
        rf"{sign}_t = \sqrt{{\frac{{1}}{{{below}}} \sum_i (x_{{t,i}} - \mu_t)^2}}",
        Group("feature", (centred, centred, share)),
        outer="sqrt",
        facts=(Fact("mean", r"\mu_t", mu), Fact("variance", rf"{sign}_t^2", variance)),
    )


def normalized(run: Run, cell: Cell) -> Node:
    """(x − μ) over the spread, in the formula of the config."""
    batch, position, _ = cell.index
    row, epsilon = (batch, position, 0), run.config.norm_epsilon
    sigma = run.number(beside(cell.address, "std"), row)
    if run.config.norm_formula == "sample":
        sign, spread, written = "s", sigma + epsilon, r"s_t + \varepsilon"
    else:
        spread = math.sqrt(sigma**2 + epsilon)
        sign, written = r"\sigma", r"\sqrt{\sigma_t^2 + \varepsilon}"
    with np.errstate(divide="ignore"):
        inverse = float(np.float64(1) / np.float64(spread))
    lane = (Lane(beside(cell.address, "std"), row),)
    divided = constant("inverse_spread", rf"\frac{{1}}{{{written}}}", inverse, lane)
    x = run.recorded(
        "state", r"x_{t,i}", norm_input(run.config, place_of(cell.address)), cell.index
    )
    mu = run.number(beside(cell.address, "mean"), row)
    centre = constant("mean", r"-\mu_t", -mu, (Lane(beside(cell.address, "mean"), row),))
    return run.node(
        cell,
        "normalize",
        rf"\hat{{x}}_{{t,i}} = \frac{{x_{{t,i}} - \mu_t}}{{{written}}}",
        part(x, divided),
        part(centre, divided),
        facts=(
            Fact("mean", r"\mu_t", mu),
            Fact("std", f"{sign}_t", sigma),
            Fact("epsilon", r"\varepsilon", epsilon),
            Fact("spread", written, spread),
        ),
    )


def gained(run: Run, cell: Cell) -> Node:
    """γ times the normalised number, plus β."""
    module, feature = module_of(place_of(cell.address)), cell.index[-1]
    gain = run.parameter("gain", r"\gamma_i", f"{module}.gamma", (feature,))
    shift = run.parameter("shift", r"\beta_i", f"{module}.beta", (feature,))
    address = beside(cell.address, "normalized")
    found = run.recorded("normalized", r"\hat{x}_{t,i}", address, cell.index)
    formula = r"y_{t,i} = \gamma_i \hat{x}_{t,i} + \beta_i"
    return run.node(cell, "gain", formula, part(gain, found), part(shift))


def copied(run: Run, cell: Cell) -> Node:
    """A view: the stream that enters a sub-layer and its branch, the memory."""
    if cell.address.rpartition("/")[2] == "memory":
        symbol, address = r"Z_{s,i}", memory_input(run.config, cell.address)
    else:
        symbol, address = r"x_{t,i}", stream_input(run.config, place_of(cell.address))
    return run.node(cell, "copy", symbol, part(run.recorded("copied", symbol, address, cell.index)))


def summed(run: Run, cell: Cell) -> Node:
    """The residual connection (§3.1): the stream, plus what the sub-layer adds to it."""
    stream = run.recorded("stream", r"x_{t,i}", beside(cell.address, "stream"), cell.index)
    sublayer = f"{place_of(cell.address).removesuffix('_residual')}/output"
    branch = run.recorded("branch", r"f(x)_{t,i}", sublayer, cell.index)
    kept = run.dropout(cell.address, cell.index, "t,i")
    factor = rf"{kept[0].symbol}\," if kept else ""
    formula = rf"x_{{t,i}} + {factor}f(x)_{{t,i}}"
    groups = part(stream), part(branch, *kept)
    return run.node(cell, "residual", formula, *groups, notes=dropped(kept))


def _features(run: Run, cell: Cell) -> Column:
    """The row that a statistic is taken of: (D,)."""
    batch, position, _ = cell.index
    address = norm_input(run.config, place_of(cell.address))
    return run.recorded("state", r"x_{t,i}", address, (batch, position, ALL), axis=2)
