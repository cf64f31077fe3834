r"""The trail through §3.2 Attention, from a context cell back to q · k."""

from __future__ import annotations

import math

import torch

from core.trail.node import Fact, Node, Note, Operation
from core.trail.places import beside, place_of
from core.trail.run import ALL, Run, constant, part
from core.trail.softmax import exponentials, share_formula
from core.trail.terms import Cell, Column, Group, Lane


def score(run: Run, cell: Cell) -> Node:
    """Q Kᵀ: how well a query and a key agree, dimension by dimension."""
    batch, head, query, key = cell.index
    q = run.recorded("query", "Q_{t,i}", beside(cell.address, "q"), (batch, head, query, ALL), 3)
    k = run.recorded("key", "K_{s,i}", beside(cell.address, "k"), (batch, head, key, ALL), 3)
    formula = r"S_{t,s} = \sum_i Q_{t,i} K_{s,i}"
    return run.node(cell, "dot", formula, Group("head_feature", (q, k)))


def scaled(run: Run, cell: Cell) -> Node:
    """The score ÷ √d_k, so that its spread does not grow with the width of a head."""
    found = run.recorded("score", r"S_{t,s}", beside(cell.address, "scores"), cell.index)
    root = constant("inverse_root", r"\frac{1}{\sqrt{d_k}}", 1 / math.sqrt(run.config.d_k))
    formula = r"S'_{t,s} = \frac{S_{t,s}}{\sqrt{d_k}}"
    return run.node(cell, "divide", formula, part(found, root))


def mask(run: Run, cell: Cell) -> Node:
    """Whether the query may look: not at padding, and in the decoder not at what comes later."""
    batch, _, query, key = cell.index
    where = place_of(cell.address)
    itself = where.startswith("decoder") and where.endswith("self_attention")
    ids = "target/ids" if itself else "source/ids"
    word = run.number(ids, (batch, key)) != run.config.pad_id
    begins = itself and key == 0  # the begin token, never padding
    lane = (Lane(ids, (batch, key)),)
    said = r"[s = 0]" if begins and not word else r"[w_s \neq \mathrm{pad}]"
    columns = [constant("not_padding", said, float(word or begins), lane)]
    if itself:
        columns.append(constant("not_future", r"[s \leq t]", float(key <= query)))
    formula = r"M_{t,s} = " + r"\,".join(column.symbol for column in columns)
    return run.node(cell, "mask", formula, part(*columns), notes=_forbidden(run, cell))


def masked(run: Run, cell: Cell) -> Node:
    """The scaled score, or what stands there where the query may not look."""
    found = run.recorded("scaled", r"S'_{t,s}", beside(cell.address, "scaled"), cell.index)
    notes = _forbidden(run, cell)
    groups: tuple[Group, ...] = (part(found),)
    operation: Operation = "mask_keep"
    written = found.symbol
    if run.config.mask_fill == "additive":
        fill = _fill(cell, r"(-\infty)" if notes else "0", -math.inf if notes else 0.0)
        groups, operation, written = (*groups, part(fill)), "mask_add", f"{written} + {fill.symbol}"
    elif notes:
        fill = _fill(cell, *_large(run, cell.address))
        groups, operation, written = (part(fill),), "mask_fill", fill.symbol
    return run.node(cell, operation, rf"\tilde{{S}}_{{t,s}} = {written}", *groups, notes=notes)


def weight(run: Run, cell: Cell) -> Node:
    """The softmax over the keys: this key's exponential as a share of all the row's."""
    batch, head, query, key = cell.index
    row = (batch, head, query, ALL)
    allowed = run.row(beside(cell.address, "mask"), row)
    notes: tuple[Note, ...] = ("nowhere",) if not allowed.any() else ()
    scores = run.recorded("exponential", r"\tilde{S}", beside(cell.address, "masked"), row, 3)
    words = _key_tokens(run, cell.address)
    group, facts = exponentials(scores, "t,r", Group("token", (), words, own=key))
    formula = "A_{t,s} = " + share_formula(scores.symbol, "t,s", "t,r")
    visible = Fact("allowed_keys", r"\sum_s M_{t,s}", float(allowed.sum()))
    notes += _forbidden(run, cell)
    return run.node(
        cell, "softmax", formula, group, outer="share", facts=(*facts, visible), notes=notes
    )


def context(run: Run, cell: Cell) -> Node:
    """A V: the values of all keys, mixed in the proportions of the weights."""
    batch, head, query, feature = cell.index
    row = (batch, head, query, ALL)
    a = run.recorded("weight", "A_{t,s}", beside(cell.address, "weights"), row, 3)
    kept = run.dropout(cell.address, row, "t,s", 3)
    v = run.recorded("value", "V_{s,i}", beside(cell.address, "v"), (batch, head, ALL, feature), 2)
    mixed = "".join(column.symbol for column in (*kept, a, v))
    group = Group("token", (a, *kept, v), _key_tokens(run, cell.address))
    return run.node(cell, "mix", rf"(AV)_{{t,i}} = \sum_s {mixed}", group)


def concat(run: Run, cell: Cell) -> Node:
    """The heads in a row: feature j is feature j mod K of head ⌊j / K⌋."""
    batch, position, feature = cell.index
    head, inside = divmod(feature, run.config.d_k)
    address, place = beside(cell.address, "context"), (batch, head, position, inside)
    found = run.recorded("copied", r"(A_h V_h)_{t,i}", address, place)
    return run.node(cell, "join", r"C_{t,j} = (A_h V_h)_{t,i},\ j = h\,d_k + i", part(found))


def _key_tokens(run: Run, address: str) -> tuple[str, ...]:
    """The words that the keys of an attention belong to."""
    source = address.startswith("encoder") or place_of(address).endswith("cross_attention")
    return run.trace.source_tokens if source else run.trace.target_tokens


def _forbidden(run: Run, cell: Cell) -> tuple[Note, ...]:
    looks = run.number(beside(cell.address, "mask"), cell.index)
    return () if looks else ("forbidden",)


def _fill(cell: Cell, symbol: str, value: float) -> Column:
    return constant("fill", symbol, value, (Lane(beside(cell.address, "mask"), cell.index),))


def _large(run: Run, address: str) -> tuple[str, float]:
    """What is written over a forbidden score; half precision ends before −10⁹."""
    if run.config.mask_fill == "minus_infinity":
        return r"-\infty", -math.inf
    least = torch.finfo(run.tensor(address).dtype).min
    return ("-10^9", -1e9) if least < -1e9 else (f"{least:.0f}", least)
