"""Provenance through §3.2 Attention and the softmax over words (§3.4), back to q · k."""

import math
from dataclasses import replace

from core.explain import formula
from core.explain.provenance.node import ALL, Cell, Column, Fact, Group, Lane, Node, Note, Operation
from core.explain.provenance.run import Run, constant, part


def exponentials(scores: Column, at: str, empty: Group) -> tuple[Group, tuple[Fact, ...]]:
    """A row of scores as exp(score − maximum) each, which `empty` says how to label.

    The scores (n,) have their symbol bare, such as z; `at` are the indices of one, such as t,v.
    """
    symbol, own = f"{scores.symbol}_{{{at}}}", empty.own or 0
    largest = scores.values.max()
    raised = formula.exponentials(scores.values)
    written = rf"\exp({symbol} - \max {scores.symbol})"
    column = replace(scores, symbol=written, values=raised)
    facts = (
        Fact("maximum", rf"\max {scores.symbol}", float(largest)),
        Fact("numerator", written, float(raised[own])),
        Fact("denominator", rf"\sum {written}", float(raised.sum())),
    )
    return replace(empty, columns=(column,)), facts


def share_formula(symbol: str, own: str, each: str) -> str:
    """exp(own − max) / Σ exp(each − max) in LaTeX."""
    largest = rf"\max_{{{each[-1]}}} {symbol}_{{{each}}}"
    above = rf"\exp({symbol}_{{{own}}} - {largest})"
    below = rf"\sum_{{{each[-1]}}} \exp({symbol}_{{{each}}} - {largest})"
    return rf"\frac{{{above}}}{{{below}}}"


def probability(run: Run, cell: Cell) -> Node:
    """One word's share of all words' exponentials."""
    batch, position, word = cell.index
    row = (batch, position, ALL)
    scores = run.recorded("exponential", "z", "output/logits", row)
    group, facts = exponentials(scores, "t,u", Group("word", (), run.words, own=word))
    written = "p_{t,v} = " + share_formula("z", "t,v", "t,u")
    return run.node(cell, "softmax", written, group, outer="share", facts=facts)


def score(run: Run, cell: Cell) -> Node:
    """Q Kᵀ: how well a query and a key agree, dimension by dimension."""
    batch, head, query, key = cell.index
    q = run.recorded("query", "Q_{t,i}", cell.beside("q"), (batch, head, query, ALL))
    k = run.recorded("key", "K_{s,i}", cell.beside("k"), (batch, head, key, ALL))
    written = r"S_{t,s} = \sum_i Q_{t,i} K_{s,i}"
    return run.node(cell, "dot", written, Group("head_feature", (q, k)))


def scaled(run: Run, cell: Cell) -> Node:
    """The score ÷ √d_k, so that its spread does not grow with the width of a head."""
    found = run.recorded("score", r"S_{t,s}", cell.beside("scores"), cell.index)
    root = constant("inverse_root", r"\frac{1}{\sqrt{d_k}}", 1 / math.sqrt(run.config.d_k))
    written = r"S'_{t,s} = \frac{S_{t,s}}{\sqrt{d_k}}"
    return run.node(cell, "divide", written, part(found, root))


def mask(run: Run, cell: Cell) -> Node:
    """Whether the query may look: not at padding, and in the decoder not at what comes later."""
    batch, _, query, key = cell.index
    (ids,) = run.inputs(cell)
    word, lane = run.number(ids, (batch, key)), (Lane(ids, (batch, key)),)
    real = formula.is_word(run.config, word, key, cell.at.is_causal)
    begins = real and word == run.config.pad_id  # the begin token, never padding
    said = r"[s = 0]" if begins else r"[w_s \neq \mathrm{pad}]"
    columns = [constant("not_padding", said, float(real), lane)]
    if cell.at.is_causal:
        columns.append(constant("not_future", r"[s \leq t]", float(key <= query)))
    written = r"M_{t,s} = " + r"\,".join(column.symbol for column in columns)
    return run.node(cell, "mask", written, part(*columns), notes=_forbidden(run, cell))


def masked(run: Run, cell: Cell) -> Node:
    """The scaled score, or what stands there where the query may not look."""
    found = run.recorded("scaled", r"S'_{t,s}", cell.beside("scaled"), cell.index)
    notes = _forbidden(run, cell)
    groups: tuple[Group, ...] = (part(found),)
    operation: Operation = "mask_keep"
    written = found.symbol
    if run.config.mask_fill == "additive":
        fill = _fill(cell, r"(-\infty)" if notes else "0", -math.inf if notes else 0.0)
        groups, operation, written = (*groups, part(fill)), "mask_add", f"{written} + {fill.symbol}"
    elif notes:
        fill = _fill(cell, *formula.fill(run.config, run.tensor(cell.address).dtype))
        groups, operation, written = (part(fill),), "mask_fill", fill.symbol
    return run.node(cell, operation, rf"\tilde{{S}}_{{t,s}} = {written}", *groups, notes=notes)


def weight(run: Run, cell: Cell) -> Node:
    """The softmax over the keys: this key's exponential as a share of all the row's."""
    batch, head, query, key = cell.index
    row = (batch, head, query, ALL)
    allowed = run.row(cell.beside("mask"), row)
    notes: tuple[Note, ...] = ("nowhere",) if not allowed.any() else ()
    scores = run.recorded("exponential", r"\tilde{S}", cell.beside("masked"), row)
    words = _key_tokens(run, cell)
    group, facts = exponentials(scores, "t,r", Group("token", (), words, own=key))
    written = "A_{t,s} = " + share_formula(scores.symbol, "t,s", "t,r")
    visible = Fact("allowed_keys", r"\sum_s M_{t,s}", float(allowed.sum()))
    notes, facts = notes + _forbidden(run, cell), (*facts, visible)
    return run.node(cell, "softmax", written, group, outer="share", facts=facts, notes=notes)


def context(run: Run, cell: Cell) -> Node:
    """A V: the values of all keys, mixed in the proportions of the weights."""
    batch, head, query, feature = cell.index
    row = (batch, head, query, ALL)
    a = run.recorded("weight", "A_{t,s}", cell.beside("weights"), row)
    kept = run.dropout(cell.address, row, "t,s")
    v = run.recorded("value", "V_{s,i}", cell.beside("v"), (batch, head, ALL, feature))
    mixed = "".join(column.symbol for column in (*kept, a, v))
    group = Group("token", (a, *kept, v), _key_tokens(run, cell))
    return run.node(cell, "mix", rf"(AV)_{{t,i}} = \sum_s {mixed}", group)


def concat(run: Run, cell: Cell) -> Node:
    """The heads in a row: feature j is feature j mod K of head ⌊j / K⌋."""
    batch, position, feature = cell.index
    head, inside = divmod(feature, run.config.d_k)
    address, place = cell.beside("context"), (batch, head, position, inside)
    found = run.recorded("copied", r"(A_h V_h)_{t,i}", address, place)
    return run.node(cell, "join", r"C_{t,j} = (A_h V_h)_{t,i},\ j = h\,d_k + i", part(found))


def _key_tokens(run: Run, cell: Cell) -> tuple[str, ...]:
    """The words that the keys of an attention belong to."""
    source = cell.at.key_side == "source"
    return run.trace.source_tokens if source else run.trace.target_tokens


def _forbidden(run: Run, cell: Cell) -> tuple[Note, ...]:
    looks = run.number(cell.beside("mask"), cell.index)
    return () if looks else ("forbidden",)


def _fill(cell: Cell, symbol: str, value: float) -> Column:
    return constant("fill", symbol, value, (Lane(cell.beside("mask"), cell.index),))
