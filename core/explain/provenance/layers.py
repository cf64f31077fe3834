"""Provenance outside of the attention maps: embeddings, norms, sums and linear maps."""

import math
from dataclasses import replace

from glassformer.core.analysis.positions import wave_of
from glassformer.core.explain import formula
from glassformer.core.explain.provenance.node import (
    ALL,
    Cell,
    Column,
    Fact,
    Group,
    Lane,
    Node,
    Outer,
    Role,
)
from glassformer.core.explain.provenance.run import Run, constant_column, dropout_notes, single_term
from glassformer.core.model.activation import ACTIVATIONS
from glassformer.core.model.layer_norm import NORM_DIVISORS


def token(run: Run, cell: Cell) -> Node:
    """An id; in the decoder, from its second row on, what the row before chose.

    Args:
        run: the trace, and the model whose weights made it.
        cell: of ids: batch, position.

    Returns:
        The node: the recorded number, its terms, its formula as LaTeX. It is noted `given`
        where the model did not choose the word, and has no terms where the trace has no word
        for it: in sentences after the first, and for a piece outside of the vocabulary.
    """
    target = cell.at.stack == "target"
    pieces = run.trace.target_pieces if target else run.trace.source_pieces
    batch, position = cell.index
    piece = pieces[position]
    if batch > 0 or piece not in run.trace.vocabulary:
        return run.node(cell, "token", r"w_t", notes=("given",))  # the trace has no word for it
    index = run.trace.vocabulary.index(piece)
    chosen = target and position > 0 and bool(run.trace.steps)
    source = (Lane("output/probabilities", (batch, position - 1, index)),) if chosen else ()
    written = r"w_t = \arg\max_v p_{t-1,v}" if chosen else r"w_t"
    term = single_term(constant_column("id", r"w_t", float(index), source))
    return run.node(cell, "token", written, term, notes=() if chosen else ("given",))


def embedding_number(run: Run, cell: Cell) -> Node:
    """One number of the table's row: where the trail of every vector ends.

    Args:
        run: the trace, and the model whose weights made it.
        cell: of `embedding`: batch, position, feature.

    Returns:
        The node: the recorded number, its terms, its formula as LaTeX. Its source is the id,
        which says the row.
    """
    batch, position, feature = cell.index
    ids = cell.beside("ids")
    row = int(run.number(ids, (batch, position)))
    name = f"{cell.at.module}.table.weight"
    found = run.parameter("table", r"E_{w_t,i}", name, (row, feature))
    chosen = replace(found, sources=(Lane(ids, (batch, position)),))  # the id says which row
    return run.node(cell, "look_up", r"E_{w_t,i} = E[w_t]_i", single_term(chosen))


def embedding_scaled(run: Run, cell: Cell) -> Node:
    """The embedding × √D (§3.4), or as it is in a model that does not scale.

    Args:
        run: the trace, and the model whose weights made it.
        cell: of `scaled`: batch, position, feature.

    Returns:
        The node: the recorded number, its terms, its formula as LaTeX.
    """
    address = cell.beside("embedding")
    if not run.config.embedding_scale:
        only = run.recorded("copied", r"E_{w_t,i}", address, cell.index)
        return run.node(cell, "copy", r"E_{w_t,i}", single_term(only))
    word = run.recorded("embedding", r"E_{w_t,i}", address, cell.index)
    root = constant_column("root", r"\sqrt{D}", math.sqrt(run.config.d_model))
    return run.node(cell, "scale", r"\sqrt{D} \cdot E_{w_t,i}", single_term(root, word))


def position_encoding(run: Run, cell: Cell) -> Node:
    """The encoding of a position: a sine or cosine of its angle (§3.5), or a learned row.

    Args:
        run: the trace, and the model whose weights made it.
        cell: of `positions`: position, feature; there is no batch.

    Returns:
        The node: the recorded number, its terms, its formula as LaTeX. Angle and wavelength are
        facts of a wave; the number is 0 in a model that adds no positions.
    """
    variant, (position, feature) = run.config.positions, cell.index
    position += run.config.position_offset
    if not run.config.adds_positions:
        return run.node(
            cell, "no_position", r"PE_{t,i} = 0", single_term(constant_column("position", "0", 0.0))
        )
    if variant == "learned":
        name = f"{cell.at.module}.position_table.weight"
        found = run.parameter("table", r"P_{t,i}", name, (position, feature))
        return run.node(cell, "learned_position", r"PE_{t,i} = P[t]_i", single_term(found))
    wave, exponent = wave_of(run.config.d_model, feature, variant)
    width = "(D - 2)" if variant == "spread" else "D"
    frequency = formula.position_frequency(run.config, exponent)
    turns = rf"10000^{{-{exponent}/{width}}}"
    outer: Outer = "sin" if wave == "sine" else "cos"
    angle = (
        constant_column("time", "t", float(position)),
        constant_column("frequency", turns, frequency),
    )
    facts = (
        Fact("angle", r"\omega t", position * frequency),
        Fact("wavelength", r"2\pi / \omega", 2 * math.pi / frequency),
    )
    made = rf"PE_{{t,i}} = \{outer}(t \cdot {turns})"
    return run.node(cell, "position", made, single_term(*angle), outer=outer, facts=facts)


def token_type(run: Run, cell: Cell) -> Node:
    """One number of what marks the segment of a text that a position belongs to.

    Args:
        run: the trace, and the model whose weights made it.
        cell: of `token_type`: position, feature.

    Returns:
        The node: the recorded number, its terms, its formula as LaTeX. Without segments in the
        trace the segment is 0.
    """
    name, segment = f"{cell.at.module}.type_table.weight", _segment(run, cell.index[0])
    symbol = rf"T_{{{segment},i}}"
    found = run.parameter("token_type", symbol, name, (segment, cell.index[-1]))
    return run.node(cell, "token_type", symbol, single_term(found))


def _segment(run: Run, position: int) -> int:
    return run.trace.segments[position] if run.trace.segments else 0


def stream_input(run: Run, cell: Cell) -> Node:
    """What enters the stack: word + position (+ segment), and dropout in a training run.

    Args:
        run: the trace, and the model whose weights made it.
        cell: of `input`: batch, position, feature.

    Returns:
        The node: the recorded number, its terms, its formula as LaTeX. A term for each summand
        that the model adds.
    """
    _, position, feature = cell.index
    symbol = r"\sqrt{D}\,E_{w_t,i}" if run.config.embedding_scale else r"E_{w_t,i}"
    word = run.recorded("embedding", symbol, cell.beside("scaled"), cell.index)
    summed, columns = word.symbol, [word]
    if run.config.adds_positions:
        place = cell.beside("positions")
        columns.append(run.recorded("position", r"PE_{t,i}", place, (position, feature)))
        summed += r" + PE_{t,i}"
    if run.config.token_types:
        place = cell.beside("token_type")
        symbol = rf"T_{{{_segment(run, position)},i}}"
        columns.append(run.recorded("token_type", symbol, place, (position, feature)))
        summed += f" + {symbol}"
    kept = run.dropout(cell.address, cell.index, "t,i")
    groups = tuple(single_term(column, *kept) for column in columns)
    written = rf"x_{{t,i}} = {kept[0].symbol}({summed})" if kept else rf"x_{{t,i}} = {summed}"
    return run.node(cell, "input", written, *groups, notes=dropout_notes(kept))


def mean(run: Run, cell: Cell) -> Node:
    """μ: every feature of the row adds its D-th part.

    Args:
        run: the trace, and the model whose weights made it.
        cell: of `mean`: batch, position, 0.

    Returns:
        The node: the recorded number, its terms, its formula as LaTeX.
    """
    x = _features(run, cell)
    share = constant_column("fraction", r"\frac{1}{D}", 1 / len(x.values))
    made = r"\mu_t = \frac{1}{D} \sum_i x_{t,i}"
    return run.node(cell, "mean", made, Group("feature", (x, share)))


def std(run: Run, cell: Cell) -> Node:
    """σ (or s, which divides by D − 1): the root of the mean square distance from μ.

    Args:
        run: the trace, and the model whose weights made it.
        cell: of `std`: batch, position, 0.

    Returns:
        The node: the recorded number, its terms, its formula as LaTeX. It is the root of the
        sum of its terms; μ and the variance are facts.
    """
    x, where = _features(run, cell), cell.beside("mean")
    mu = run.number(where, cell.index)
    lanes = (*x.sources, Lane(where, cell.index))
    centred = Column("centred", r"(x_{t,i} - \mu_t)", x.values - mu, lanes)
    norm = NORM_DIVISORS[run.config.norm_formula]
    share = constant_column(
        "fraction", rf"\frac{{1}}{{{norm.count}}}", 1 / (len(x.values) - norm.less)
    )
    group = Group("feature", (centred, centred, share))
    variance = Fact("variance", f"{norm.deviation}_t^2", float(group.contributions.sum()))
    facts = (Fact("mean", r"\mu_t", mu), variance)
    made = rf"{norm.deviation}_t = \sqrt{{{share.symbol} \sum_i (x_{{t,i}} - \mu_t)^2}}"
    return run.node(cell, "std", made, group, outer="sqrt", facts=facts)


def mean_square(run: Run, cell: Cell) -> Node:
    """The mean of the squares of a position's features.

    Args:
        run: the trace, and the model whose weights made it.
        cell: of `mean_square`: batch, position, 0.

    Returns:
        The node: the recorded number, its terms, its formula as LaTeX.
    """
    x = _features(run, cell)
    share = constant_column("fraction", r"\frac{1}{D}", 1 / len(x.values))
    made = r"m_t = \frac{1}{D} \sum_i x_{t,i}^2"
    return run.node(cell, "mean_square", made, Group("feature", (x, x, share)))


def _over_root(run: Run, cell: Cell) -> Node:
    """The number over the root mean square of its position's (RMS norm)."""
    batch, position, _ = cell.index
    address, row = cell.beside("mean_square"), (batch, position, 0)
    square, epsilon = run.number(address, row), run.config.norm_epsilon
    spread, written = math.sqrt(square + epsilon), r"\sqrt{m_t + \varepsilon}"
    inverse = formula.quotient(1, spread)
    divided = constant_column(
        "inverse_spread", rf"\frac{{1}}{{{written}}}", inverse, (Lane(address, row),)
    )
    x = run.recorded("state", r"x_{t,i}", run.inputs(cell)[0], cell.index)
    facts = (
        Fact("mean_square", r"m_t", square),
        Fact("epsilon", r"\varepsilon", epsilon),
        Fact("spread", written, spread),
    )
    made = rf"\hat{{x}}_{{t,i}} = \frac{{x_{{t,i}}}}{{{written}}}"
    return run.node(cell, "normalize_rms", made, single_term(x, divided), facts=facts)


def normalized_number(run: Run, cell: Cell) -> Node:
    """(x − μ) over the spread, in the formula of the config; over the root mean square in RMS norm.

    Args:
        run: the trace, and the model whose weights made it.
        cell: of `normalized`: batch, position, feature.

    Returns:
        The node: the recorded number, its terms, its formula as LaTeX. The numbers that the
        spread is made of are facts.
    """
    if run.config.norm_kind == "rms":
        return _over_root(run, cell)
    batch, position, _ = cell.index
    row = (batch, position, 0)
    sigma, mu = (run.number(cell.beside(name), row) for name in ("std", "mean"))
    norm = NORM_DIVISORS[run.config.norm_formula]
    written = norm.of(f"{norm.deviation}_t", r"\varepsilon")
    spread = norm.spread(sigma, run.config.norm_epsilon)
    inverse, lane = formula.quotient(1, spread), (Lane(cell.beside("std"), row),)
    divided = constant_column("inverse_spread", rf"\frac{{1}}{{{written}}}", inverse, lane)
    x = run.recorded("state", r"x_{t,i}", run.inputs(cell)[0], cell.index)
    centre = constant_column("mean", r"-\mu_t", -mu, (Lane(cell.beside("mean"), row),))
    made = rf"\hat{{x}}_{{t,i}} = \frac{{x_{{t,i}} - \mu_t}}{{{written}}}"
    facts = (
        Fact("mean", r"\mu_t", mu),
        Fact("std", f"{norm.deviation}_t", sigma),
        Fact("epsilon", r"\varepsilon", run.config.norm_epsilon),
        Fact("spread", written, spread),
    )
    terms = single_term(x, divided), single_term(centre, divided)
    return run.node(cell, "normalize", made, *terms, facts=facts)


def norm_output(run: Run, cell: Cell) -> Node:
    """γ times the normalised number, plus β; an RMS norm has no β.

    Args:
        run: the trace, and the model whose weights made it.
        cell: of a norm's `output`: batch, position, feature.

    Returns:
        The node: the recorded number, its terms, its formula as LaTeX.
    """
    module, feature = cell.at.module, cell.index[-1]
    gain = run.parameter("gain", r"\gamma_i", f"{module}.gamma", (feature,))
    address = cell.beside("normalized")
    found = run.recorded("normalized", r"\hat{x}_{t,i}", address, cell.index)
    made = r"y_{t,i} = \gamma_i \hat{x}_{t,i}"
    if run.config.norm_kind == "rms":
        return run.node(cell, "gain", made, single_term(gain, found))
    shift = run.parameter("shift", r"\beta_i", f"{module}.beta", (feature,))
    made += r" + \beta_i"
    return run.node(cell, "gain", made, single_term(gain, found), single_term(shift))


def copied_stream(run: Run, cell: Cell) -> Node:
    """A view: the stream that enters a sub-layer and its branch, the memory.

    Args:
        run: the trace, and the model whose weights made it.
        cell: batch, position, feature.

    Returns:
        The node: the recorded number, its terms, its formula as LaTeX.
    """
    symbol = r"Z_{s,i}" if cell.at.name == "memory" else r"x_{t,i}"
    (address,) = run.inputs(cell)
    return run.node(
        cell, "copy", symbol, single_term(run.recorded("copied", symbol, address, cell.index))
    )


def residual_sum(run: Run, cell: Cell) -> Node:
    """The residual connection (§3.1): the stream, plus what the sub-layer adds to it.

    Args:
        run: the trace, and the model whose weights made it.
        cell: of a residual sum: batch, position, feature.

    Returns:
        The node: the recorded number, its terms, its formula as LaTeX. It is noted `dropped`
        where dropout zeroed the sub-layer's number.
    """
    around, sublayer = run.inputs(cell)
    stream = run.recorded("stream", r"x_{t,i}", around, cell.index)
    branch = run.recorded("branch", r"f(x)_{t,i}", sublayer, cell.index)
    kept = run.dropout(cell.address, cell.index, "t,i")
    factor = rf"{kept[0].symbol}\," if kept else ""
    made = rf"x_{{t,i}} + {factor}f(x)_{{t,i}}"
    groups = single_term(stream), single_term(branch, *kept)
    return run.node(cell, "residual", made, *groups, notes=dropout_notes(kept))


def _features(run: Run, cell: Cell) -> Column:
    """The row that a statistic is taken of: (D,)."""
    batch, position, _ = cell.index
    return run.recorded("state", r"x_{t,i}", run.inputs(cell)[0], (batch, position, ALL))


# What a linear map makes, as LaTeX of one cell; the role and the symbol of what enters, the matrix,
# the bias, the name of both below the module.
_LINEAR_MAPS: dict[tuple[str, str], tuple[str, Role, str, str, str, str]] = {
    ("attention", "q"): ("Q_{t,i}", "state", "x_{t,j}", "W^Q_{j,i}", "b^Q_i", ".w_q"),
    ("attention", "k"): ("K_{s,i}", "state", "x_{s,j}", "W^K_{j,i}", "b^K_i", ".w_k"),
    ("attention", "v"): ("V_{s,i}", "state", "x_{s,j}", "W^V_{j,i}", "b^V_i", ".w_v"),
    ("attention", "output"): (
        r"\mathrm{MHA}(x)_{t,i}", "value", "C_{t,j}", "W^O_{j,i}", "b^O_i", ".w_o"
    ),
    ("feed_forward", "pre_activation"): (
        "u_{t,i}", "state", "x_{t,j}", "(W_1)_{j,i}", "(b_1)_i", ".w_1"
    ),
    ("feed_forward", "up"): (
        "u_{t,i}", "state", "x_{t,j}", "(W_3)_{j,i}", "(b_3)_i", ".w_3"
    ),
    ("output", "dense"): (
        "u_{t,i}", "state", "x_{t,j}", "W_{j,i}", "b_i", ".transform.dense"
    ),
    ("feed_forward", "output"): (
        r"\mathrm{FFN}(x)_{t,i}", "activation", "a_{t,j}", "(W_2)_{j,i}", "(b_2)_i", ".w_2"
    ),
    ("output", "logits"): ("z_{t,v}", "state", "x_{t,j}", "E_{v,j}", "b_v", ""),
}  # fmt: skip


def linear(run: Run, cell: Cell) -> Node:
    """A row of what enters times a column of a matrix, plus its bias where the model has one.

    Q, K and V (§3.2.2): head h has the columns h·K … h·K + K − 1 of the matrix. W^O reads all
    heads in a row, W₁ and W₂ are equation 2's (§3.3), the generator has a row a word (§3.4).

    Args:
        run: the trace, and the model whose weights made it.
        cell: of what a linear map makes: batch, (head,) position, feature or word.

    Returns:
        The node: the recorded number, its terms, its formula as LaTeX. A term for each feature
        that enters, one more for the bias.
    """
    at, batch, position, column = cell.at, cell.index[0], cell.index[-2], cell.index[-1]
    width = run.config.of(cell.address).d_k
    made, role, enters, matrix, bias, name = _LINEAR_MAPS[at.group, at.name]
    module, row = f"{at.module}{name}", (batch, position, ALL)
    if at.name in ("q", "k", "v"):
        column += cell.index[1] * width
    if at.is_cross and at.name in ("k", "v"):
        enters = enters.replace("x", "Z")  # of the memory (§3.2.3)
    if at.name == "logits" and not run.config.tie_generator:
        matrix = matrix.replace("E", "W")
    x = run.recorded(role, enters, run.inputs(cell)[0], row)
    kept = run.dropout(cell.address, row, "t,j") if role == "activation" else ()
    learned = run.parameter("matrix", matrix, f"{module}.weight", (column, ALL))
    product = Group(
        "hidden" if role == "activation" else "feature",
        (x, *kept, learned),
        head_width=width if at.name == "output" and at.is_attention else None,
    )
    groups = [product]
    written = rf"{made} = \sum_j {''.join(each.symbol for each in (*kept, x))} {matrix}"
    if run.has_parameter(f"{module}.bias"):
        groups.append(single_term(run.parameter("bias", bias, f"{module}.bias", (column,))))
        written += f" + {bias}"
    return run.node(cell, "project", written, *groups)


def activation(run: Run, cell: Cell) -> Node:
    """The unit times its gate: 0 or 1 for the ReLU, a share between for the others.

    Args:
        run: the trace, and the model whose weights made it.
        cell: of `activation`: batch, position, hidden unit (or feature before the generator).

    Returns:
        The node: the recorded number, its terms, its formula as LaTeX. It is noted `inactive`
        where the ReLU lets nothing through.
    """
    kind, function = run.config.activation, ACTIVATIONS[run.config.activation]
    x = run.recorded("pre_activation", r"u_{t,i}", run.inputs(cell)[0], cell.index)
    unit = float(x.values[0])
    gate = constant_column("gate", function.share, function.gate(unit), x.sources)
    made = f"a_{{t,i}} = {function.unfolded or function.of(x.symbol)}"
    shut = kind == "relu" and unit <= 0
    return run.node(cell, kind, made, single_term(x, gate), notes=("inactive",) if shut else ())


def gated_unit(run: Run, cell: Cell) -> Node:
    """The activation times what the other linear map gives: how far it opens the unit.

    Args:
        run: the trace, and the model whose weights made it.
        cell: of the gated hidden layer: batch, position, hidden unit.

    Returns:
        The node: the recorded number, its terms, its formula as LaTeX.
    """
    open, up = run.inputs(cell)
    a = run.recorded("activation", r"a_{t,i}", open, cell.index)
    u = run.recorded("up", r"u_{t,i}", up, cell.index)
    return run.node(cell, "open_gate", r"a_{t,i}\,u_{t,i}", single_term(a, u))


def scaled_down(run: Run, cell: Cell) -> Node:
    """What is held against the words, over √D.

    Args:
        run: the trace, and the model whose weights made it.
        cell: of what enters the generator: batch, position, feature.

    Returns:
        The node: the recorded number, its terms, its formula as LaTeX.
    """
    x = run.recorded("state", r"x_{t,i}", run.inputs(cell)[0], cell.index)
    root = constant_column("inverse_root", r"\frac{1}{\sqrt{D}}", run.config.d_model**-0.5)
    return run.node(cell, "scale_down", r"\frac{x_{t,i}}{\sqrt{D}}", single_term(x, root))
