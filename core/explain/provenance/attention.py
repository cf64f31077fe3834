"""Provenance through §3.2 Attention and the softmax over words (§3.4), back to q · k."""

import math
from dataclasses import replace

import torch

from glassformer.core.explain import formula
from glassformer.core.explain.provenance.node import (
    ALL,
    Cell,
    Column,
    Fact,
    Group,
    Lane,
    Node,
    Note,
    Role,
)
from glassformer.core.explain.provenance.run import Run, constant_column, single_term
from glassformer.core.model.relative import buckets


def exponential_groups(scores: Column, at: str, empty: Group) -> tuple[Group, tuple[Fact, ...]]:
    """A row of scores as exp(score − maximum) each, which `empty` says how to label.

    Args:
        scores: (n,) scores of a softmax; their symbol stands bare, such as z.
        at: the indices of one score in LaTeX, such as t,v.
        empty: a group without columns: the kind and words of the terms, and which is the own one.

    Returns:
        The group with its column, and three facts: the maximum, the own exponential (the
        numerator) and the sum of all (the denominator).
    """
    symbol, own = f"{scores.symbol}_{{{at}}}", empty.own or 0
    largest = scores.values.max()
    raised = formula.shifted_exponentials(scores.values)
    written = rf"\exp({symbol} - \max {scores.symbol})"
    column = replace(scores, symbol=written, values=raised)
    facts = (
        Fact("maximum", rf"\max {scores.symbol}", float(largest)),
        Fact("numerator", written, float(raised[own])),
        Fact("denominator", rf"\sum {written}", float(raised.sum())),
    )
    return replace(empty, columns=(column,)), facts


def share_formula(symbol: str, own: str, each: str) -> str:
    """exp(own − max) / Σ exp(each − max) in LaTeX.

    Args:
        symbol: of the scores, as LaTeX.
        own: the indices of the own score, such as t,v.
        each: those of any score of the row, such as t,u; the last letter is what the sum runs
            over.

    Returns:
        The softmax as a fraction, in LaTeX.
    """
    largest = rf"\max_{{{each[-1]}}} {symbol}_{{{each}}}"
    above = rf"\exp({symbol}_{{{own}}} - {largest})"
    below = rf"\sum_{{{each[-1]}}} \exp({symbol}_{{{each}}} - {largest})"
    return rf"\frac{{{above}}}{{{below}}}"


def probability(run: Run, cell: Cell) -> Node:
    """One word's share of all words' exponentials: the softmax over the vocabulary (§3.4).

    Args:
        run: the trace, and the model whose weights made it.
        cell: of `output/probabilities`: batch, position, word.

    Returns:
        The node: the recorded number, its terms, its formula as LaTeX.
    """
    batch, position, word = cell.index
    row = (batch, position, ALL)
    scores = run.recorded("exponential", "z", "output/logits", row)
    group, facts = exponential_groups(scores, "t,u", Group("word", (), run.words, own=word))
    written = "p_{t,v} = " + share_formula("z", "t,v", "t,u")
    return run.node(cell, "softmax", written, group, outer="share", facts=facts)


def score(run: Run, cell: Cell) -> Node:
    """Q Kᵀ: how well a query and a key agree, dimension by dimension.

    Args:
        run: the trace, and the model whose weights made it.
        cell: of `scores`: batch, head, query, key.

    Returns:
        The node: the recorded number, its terms, its formula as LaTeX.
    """
    batch, head, query, key = cell.index
    queries, keys = run.inputs(cell)
    q = run.recorded("query", "Q_{t,i}", queries, (batch, head, query, ALL))
    k = run.recorded("key", "K_{s,i}", keys, (batch, _key_head(run, cell), key, ALL))
    written = r"S_{t,s} = \sum_i Q_{t,i} K_{s,i}"
    return run.node(cell, "dot", written, Group("head_feature", (q, k)))


def scaled_score(run: Run, cell: Cell) -> Node:
    """The score ÷ √d_k, so that its spread does not grow with the width of a head (§3.2.1).

    Args:
        run: the trace, and the model whose weights made it.
        cell: of `scaled`: batch, head, query, key.

    Returns:
        The node: the recorded number, its terms, its formula as LaTeX. In a model that does not
        scale it is a copy of the score.
    """
    found = run.recorded("score", r"S_{t,s}", cell.beside("scores"), cell.index)
    if not run.config.score_scale:
        only = replace(found, role="copied")
        return run.node(cell, "copy", r"S'_{t,s} = S_{t,s}", single_term(only))
    width = run.config.of(cell.address).d_k
    root = constant_column("inverse_root", r"\frac{1}{\sqrt{d_k}}", 1 / math.sqrt(width))
    written = r"S'_{t,s} = \frac{S_{t,s}}{\sqrt{d_k}}"
    return run.node(cell, "divide", written, single_term(found, root))


def head_normed(run: Run, cell: Cell) -> Node:
    """A query or key over the root mean square of its head, times a learned gain.

    Args:
        run: the trace, and the model whose weights made it.
        cell: of a normed query or key: batch, head, position, feature of the head.

    Returns:
        The node: the recorded number, its terms, its formula as LaTeX. Mean square, ε and their
        root are its facts.
    """
    letter, feature = cell.at.name[0], cell.index[-1]
    (address,) = run.inputs(cell)
    row = run.row(address, (*cell.index[:-1], ALL))
    square, epsilon = float((row**2).mean()), run.config.norm_epsilon
    symbol = rf"{letter.upper()}_{{t,i}}"
    found = run.recorded("query" if letter == "q" else "key", symbol, address, cell.index)
    inverse = constant_column(
        "inverse_spread", r"\frac{1}{r_t}", formula.quotient(1, _root(square, epsilon))
    )
    module = f"{cell.at.module}.turned.{letter}_norm"
    gain = run.parameter("gain", r"\gamma_i", f"{module}.gamma", (feature,))
    made = rf"\hat{{{letter.upper()}}}_{{t,i}} = \gamma_i \frac{{{symbol}}}{{r_t}}"
    facts = (
        Fact("mean_square", r"m_t", square), Fact("epsilon", r"\varepsilon", epsilon),
        Fact("spread", r"r_t = \sqrt{m_t + \varepsilon}", _root(square, epsilon)),
    )  # fmt: skip
    return run.node(cell, "normalize_head", made, single_term(gain, found, inverse), facts=facts)


def _root(square: float, epsilon: float) -> float:
    return math.sqrt(square + epsilon)


def rotated_feature(run: Run, cell: Cell) -> Node:
    """A query or key turned by its position: two features, times a cosine and a sine.

    Args:
        run: the trace, and the model whose weights made it.
        cell: of a rotated query or key: batch, head, position, feature of the head.

    Returns:
        The node: the recorded number, its terms, its formula as LaTeX. It has two terms, one
        for each feature of the pair.
    """
    letter, (batch, head, position, feature) = cell.at.name[0], cell.index
    (address,) = run.inputs(cell)
    cosine, sine, other = formula.rotation_of_feature(run.config, position, feature)
    role: Role = "query" if letter == "q" else "key"
    symbol = letter.upper()
    here = run.recorded(role, rf"{symbol}_{{t,i}}", address, cell.index)
    there = run.recorded(role, rf"{symbol}_{{t,j}}", address, (batch, head, position, other))
    turns = constant_column("rotation", r"\cos t\theta_i", cosine)
    swings = constant_column("rotation", rf"{'-' if feature < other else ''}\sin t\theta_i", sine)
    made = rf"(R {symbol})_{{t,i}} = {symbol}_{{t,i}} \cos t\theta_i"
    made += rf" {'-' if feature < other else '+'} {symbol}_{{t,j}} \sin t\theta_i"
    return run.node(cell, "rotate", made, single_term(here, turns), single_term(there, swings))


def position_bias(run: Run, cell: Cell) -> Node:
    """What the distance from query to key adds: one number of the stack's table.

    Args:
        run: the trace, and the model whose weights made it.
        cell: of `position_bias`: batch, head, query, key.

    Returns:
        The node: the recorded number, its terms, its formula as LaTeX.
    """
    _, head, query, key = cell.index
    distance = torch.tensor(key - query)
    row = int(buckets(distance, cell.at.stack == "decoder", run.config))
    name = f"{cell.at.stack}.relative.table.weight"
    found = run.parameter("position_bias", r"b_{r,h}", name, (row, head))
    return run.node(
        cell, "position_bias", r"B_{t,s} = b[\mathrm{bucket}(s - t)]_h", single_term(found)
    )


def biased_score(run: Run, cell: Cell) -> Node:
    """The score, and what the distance adds to it.

    Args:
        run: the trace, and the model whose weights made it.
        cell: index of batch, head, query, key.

    Returns:
        The node: the recorded number, its terms, its formula as LaTeX.
    """
    found = run.recorded("scaled", r"S'_{t,s}", cell.beside("scaled"), cell.index)
    bias = run.recorded("position_bias", r"B_{t,s}", cell.beside("position_bias"), cell.index)
    return run.node(cell, "add_bias", r"S'_{t,s} + B_{t,s}", single_term(found), single_term(bias))


def mask(run: Run, cell: Cell) -> Node:
    """Whether the query may look: not at padding, and in the decoder not at what comes later.

    Args:
        run: the trace, and the model whose weights made it.
        cell: of `mask`: batch, head, query, key.

    Returns:
        The node: the recorded number, its terms, its formula as LaTeX. Its factors are 0 or 1;
        it is noted `forbidden` where the mask is 0.
    """
    batch, _, query, key = cell.index
    (ids,) = run.inputs(cell)
    word, lane = run.number(ids, (batch, key)), (Lane(ids, (batch, key)),)
    real = formula.is_word(run.config, word, key, cell.at.is_causal)
    begins = real and word == run.config.pad_id  # the begin token, never padding
    said = r"[s = 0]" if begins else r"[w_s \neq \mathrm{pad}]"
    columns = [constant_column("not_padding", said, float(real), lane)]
    if cell.at.is_causal:
        columns.append(constant_column("not_future", r"[s \leq t]", float(key <= query)))
    written = r"M_{t,s} = " + r"\,".join(column.symbol for column in columns)
    return run.node(cell, "mask", written, single_term(*columns), notes=_forbidden(run, cell))


def masked_score(run: Run, cell: Cell) -> Node:
    """The scaled score, or what stands there where the query may not look.

    Args:
        run: the trace, and the model whose weights made it.
        cell: of `masked`: batch, head, query, key.

    Returns:
        The node: the recorded number, its terms, its formula as LaTeX. Its operation says
        whether the score was kept, replaced, or had 0 or −∞ added to it.
    """
    found = run.recorded("scaled", r"S'_{t,s}", run.inputs(cell)[0], cell.index)
    notes = _forbidden(run, cell)
    groups: tuple[Group, ...] = (single_term(found),)
    operation = "mask_keep"
    written = found.symbol
    if run.config.mask_fill == "additive":
        fill = _fill(cell, r"(-\infty)" if notes else "0", -math.inf if notes else 0.0)
        groups, operation, written = (
            (*groups, single_term(fill)),
            "mask_add",
            f"{written} + {fill.symbol}",
        )
    elif notes:
        fill = _fill(cell, *formula.mask_fill(run.config, run.tensor(cell.address).dtype))
        groups, operation, written = (single_term(fill),), "mask_fill", fill.symbol
    return run.node(cell, operation, rf"\tilde{{S}}_{{t,s}} = {written}", *groups, notes=notes)


def weight(run: Run, cell: Cell) -> Node:
    """The softmax over the keys: this key's exponential as a share of all the row's (§3.2.1).

    Args:
        run: the trace, and the model whose weights made it.
        cell: of `weights`: batch, head, query, key.

    Returns:
        The node: the recorded number, its terms, its formula as LaTeX. It is noted `nowhere`
        where the query may look at no key, `forbidden` where it may not look at this one.
    """
    batch, head, query, key = cell.index
    row = (batch, head, query, ALL)
    allowed = run.row(cell.beside("mask"), row)
    notes: tuple[Note, ...] = ("nowhere",) if not allowed.any() else ()
    scores = run.recorded("exponential", r"\tilde{S}", cell.beside("masked"), row)
    words = _key_tokens(run, cell)
    group, facts = exponential_groups(scores, "t,r", Group("token", (), words, own=key))
    written = "A_{t,s} = " + share_formula(scores.symbol, "t,s", "t,r")
    visible = Fact("allowed_keys", r"\sum_s M_{t,s}", float(allowed.sum()))
    notes, facts = notes + _forbidden(run, cell), (*facts, visible)
    return run.node(cell, "softmax", written, group, outer="share", facts=facts, notes=notes)


def context(run: Run, cell: Cell) -> Node:
    """A V: the values of all keys, mixed in the proportions of the attention weights.

    Args:
        run: the trace, and the model whose weights made it.
        cell: of `context`: batch, head, query, feature of the head.

    Returns:
        The node: the recorded number, its terms, its formula as LaTeX. It has a term for each
        key; in a run with dropout the factor of dropout stands in each.
    """
    batch, head, query, feature = cell.index
    row = (batch, head, query, ALL)
    a = run.recorded("weight", "A_{t,s}", cell.beside("weights"), row)
    kept = run.dropout(cell.address, row, "t,s")
    place = (batch, _key_head(run, cell), ALL, feature)
    v = run.recorded("value", "V_{s,i}", cell.beside("v"), place)
    mixed = "".join(column.symbol for column in (*kept, a, v))
    group = Group("token", (a, *kept, v), _key_tokens(run, cell))
    return run.node(cell, "mix", rf"(AV)_{{t,i}} = \sum_s {mixed}", group)


def concat(run: Run, cell: Cell) -> Node:
    """The heads in a row: feature j is feature j mod K of head ⌊j / K⌋ (§3.2.2).

    Args:
        run: the trace, and the model whose weights made it.
        cell: of `concat`: batch, position, feature.

    Returns:
        The node: the recorded number, its terms, its formula as LaTeX.
    """
    batch, position, feature = cell.index
    head, inside = divmod(feature, run.config.of(cell.address).d_k)
    address, place = cell.beside("context"), (batch, head, position, inside)
    found = run.recorded("copied", r"(A_h V_h)_{t,i}", address, place)
    return run.node(cell, "join", r"C_{t,j} = (A_h V_h)_{t,i},\ j = h\,d_k + i", single_term(found))


def _key_head(run: Run, cell: Cell) -> int:
    """The head of keys and values that a cell's head (B, H, …) meets."""
    return run.config.of(cell.address).key_head(cell.index[1])


def _key_tokens(run: Run, cell: Cell) -> tuple[str, ...]:
    """The words that the keys of an attention belong to."""
    source = cell.at.key_side == "source"
    return run.trace.source_tokens if source else run.trace.target_tokens


def _forbidden(run: Run, cell: Cell) -> tuple[Note, ...]:
    looks = run.number(cell.beside("mask"), cell.index)
    return () if looks else ("forbidden",)


def _fill(cell: Cell, symbol: str, value: float) -> Column:
    return constant_column("fill", symbol, value, (Lane(cell.beside("mask"), cell.index),))
