r"""The trail through the linear maps: Q, K, V and W^O (§3.2.2), FFN (§3.3), generator (§3.4)."""

from __future__ import annotations

import math

from core.trail.node import Node, Note, Operation
from core.trail.places import (
    beside,
    generator_input,
    module_of,
    place_of,
    sublayer_input,
)
from core.trail.run import ALL, Run, constant, part
from core.trail.terms import Cell, Group


def projected(run: Run, cell: Cell) -> Node:
    """One feature of a query, a key or a value: a row of x (or of the memory) times a column of W.

    Head h has the columns h·K … h·K + K − 1 of the matrix.
    """
    where, _, name = cell.address.rpartition("/")
    batch, head, position, feature = cell.index
    letter, at = name.upper(), "t" if name == "q" else "s"
    if name != "q" and where.endswith("cross_attention"):
        enters, symbol = f"{where}/memory", rf"Z_{{{at},j}}"
    else:
        enters, symbol = sublayer_input(run.config, where), rf"x_{{{at},j}}"
    x = run.recorded("state", symbol, enters, (batch, position, ALL), axis=2)
    groups, made = _dense(
        run,
        Group("feature", (x,)),
        f"{module_of(where)}.w_{name}",
        head * run.config.d_k + feature,
        (rf"W^{letter}_{{j,i}}", rf"b^{letter}_i" if run.config.attention_bias else ""),
    )
    return run.node(cell, "project", rf"{letter}_{{{at},i}} = {made}", *groups)


def attention_output(run: Run, cell: Cell) -> Node:
    """All heads in a row, times W^O."""
    batch, position, feature = cell.index
    address = beside(cell.address, "concat")
    x = run.recorded("value", r"C_{t,j}", address, (batch, position, ALL), axis=2)
    groups, made = _dense(
        run,
        Group("feature", (x,), head_width=run.config.d_k),
        f"{module_of(place_of(cell.address))}.w_o",
        feature,
        (r"W^O_{j,i}", "b^O_i" if run.config.attention_bias else ""),
    )
    return run.node(cell, "project", rf"\mathrm{{MHA}}(x)_{{t,i}} = {made}", *groups)


def pre_activation(run: Run, cell: Cell) -> Node:
    """One hidden unit before its activation: x W₁ + b₁, equation 2."""
    where = place_of(cell.address)
    batch, position, unit = cell.index
    address = sublayer_input(run.config, where)
    x = run.recorded("state", r"x_{t,j}", address, (batch, position, ALL), axis=2)
    symbols = (r"(W_1)_{j,i}", r"(b_1)_i")
    groups, made = _dense(run, Group("feature", (x,)), f"{module_of(where)}.w_1", unit, symbols)
    return run.node(cell, "project", rf"u_{{t,i}} = {made}", *groups)


def activation(run: Run, cell: Cell) -> Node:
    """The unit times its gate: 0 or 1 for the ReLU, a share between for the GELUs."""
    kind: Operation = run.config.activation
    x = run.recorded(
        "pre_activation", r"u_{t,i}", beside(cell.address, "pre_activation"), cell.index
    )
    unit = float(x.values[0])
    gates = {"relu": _step, "gelu": _normal_share, "gelu_tanh": _tanh_share}
    written = {
        "relu": (r"[u_{t,i} > 0]", r"\max(0, u_{t,i})"),
        "gelu": (r"\Phi(u_{t,i})", r"u_{t,i}\,\Phi(u_{t,i})"),
        "gelu_tanh": (
            r"\frac{1}{2}(1 + \tanh z_{t,i})",
            r"\frac{u_{t,i}}{2} (1 + \tanh z_{t,i}),\ "
            r"z_{t,i} = \sqrt{2 / \pi}\,(u_{t,i} + 0.044715\,u_{t,i}^3)",
        ),
    }
    symbol, formula = written[kind]
    gate = constant("gate", symbol, gates[kind](unit), x.sources)
    notes: tuple[Note, ...] = ("inactive",) if kind == "relu" and unit <= 0 else ()
    return run.node(cell, kind, f"a_{{t,i}} = {formula}", part(x, gate), notes=notes)


def feed_forward_output(run: Run, cell: Cell) -> Node:
    """All hidden units, times W₂: what each of them writes into this feature."""
    batch, position, feature = cell.index
    row = (batch, position, ALL)
    a = run.recorded("activation", r"a_{t,j}", beside(cell.address, "activation"), row, axis=2)
    kept = run.dropout(cell.address, row, "t,j", axis=2)
    module = f"{module_of(place_of(cell.address))}.w_2"
    symbols = (r"(W_2)_{j,i}", r"(b_2)_i")
    groups, made = _dense(run, Group("hidden", (a, *kept)), module, feature, symbols)
    return run.node(cell, "project", rf"\mathrm{{FFN}}(x)_{{t,i}} = {made}", *groups)


def logits(run: Run, cell: Cell) -> Node:
    """The score of one word: the last state times the word's row of the generator's table."""
    batch, position, word = cell.index
    address = generator_input(run.config)
    x = run.recorded("state", r"x_{t,j}", address, (batch, position, ALL), axis=2)
    table = "E_{v,j}" if run.config.tie_generator else "W_{v,j}"
    matrix = run.parameter("matrix", table, "generator.weight", (word, ALL), axis=1)
    groups, formula = [Group("feature", (x, matrix))], rf"z_{{t,v}} = \sum_j x_{{t,j}} {table}"
    if run.config.generator_bias:
        groups.append(part(run.parameter("bias", "b_v", "generator.bias", (word,))))
        formula += " + b_v"
    return run.node(cell, "project", formula, *groups)


def _dense(
    run: Run, entering: Group, module: str, column: int, symbols: tuple[str, str]
) -> tuple[tuple[Group, ...], str]:
    """Entering numbers times one column of a matrix, plus its bias where it has a symbol."""
    matrix, bias = symbols
    learned = run.parameter("matrix", matrix, f"{module}.weight", (column, ALL), axis=1)
    product = Group(entering.kind, (*entering.columns, learned), head_width=entering.head_width)
    made = rf"\sum_j {''.join(each.symbol for each in reversed(entering.columns))} {matrix}"
    if not bias:
        return (product,), made
    return (
        product,
        part(run.parameter("bias", bias, f"{module}.bias", (column,))),
    ), f"{made} + {bias}"


def _step(unit: float) -> float:
    return unit if math.isnan(unit) else float(unit > 0)


def _normal_share(unit: float) -> float:
    return (1 + math.erf(unit / math.sqrt(2))) / 2


def _tanh_share(unit: float) -> float:
    return (1 + math.tanh(math.sqrt(2 / math.pi) * (unit + 0.044715 * unit**3))) / 2
