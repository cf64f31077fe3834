r"""The trail through a softmax, over keys (§3.2.1) or over words (§3.4), and the word chosen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.errors import GlassformerError
from core.trail.node import Fact, Node, Note
from core.trail.run import ALL, Run
from core.trail.terms import Cell, Column, Group


def exponentials(scores: Column, at: str, empty: Group) -> tuple[Group, tuple[Fact, ...]]:
    """A row of scores as exp(score − maximum) each, which `empty` says how to label.

    Args:
        scores: (n,) with its symbol bare, such as z.
        at: the indices of one score, such as t,v.
        empty: the labels of the terms and the one that is asked for.
    """
    symbol, own = f"{scores.symbol}_{{{at}}}", empty.own or 0
    largest = scores.values.max()
    with np.errstate(invalid="ignore"):  # −∞ − (−∞), where nothing may be looked at
        raised = np.exp(scores.values - largest)
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
    scores = run.recorded("exponential", "z", "output/logits", row, axis=2)
    group, facts = exponentials(scores, "t,u", Group("word", (), run.words, own=word))
    formula = "p_{t,v} = " + share_formula("z", "t,v", "t,u")
    return run.node(cell, "softmax", formula, group, outer="share", facts=facts)


def choice(run: Run, row: int) -> Node:
    """The word that a row of the decoder chose, among all words.

    `recorded` is the probability it had when it was chosen: while decoding, with the keys and
    values of earlier rows remembered; `exact` is that of the recorded pass over the whole output.

    Raises:
        GlassformerError: `out_of_range` for a row that does not exist.
    """
    trace = run.trace
    if not 0 <= row < len(trace.output_pieces):
        last = len(trace.output_pieces) - 1
        raise GlassformerError("out_of_range", name="position", given=row, last=last)
    step = trace.steps[row] if trace.steps else None
    chosen = step.chosen if step else trace.vocabulary.index(trace.output_pieces[row])
    found = run.recorded("probability", "p_{t,v}", "output/probabilities", (0, row, ALL), axis=2)
    better = int((found.values > found.values[chosen]).sum())
    notes: tuple[Note, ...] = ()
    if step is None:
        notes = ("given",)
    elif step.guarded is not None:
        notes = ("guarded",)
    elif better:
        notes = ("excluded",)
    node = run.node(
        Cell("output/probabilities", (0, row, chosen)),
        "choose",
        r"w_{t+1} = \arg\max_v p_{t,v}",
        Group("word", (found,), run.words, own=chosen),
        outer="own",
        facts=(Fact("rank", r"r", float(better + 1)),),
        notes=notes,
    )
    return replace(node, recorded=step.probability) if step else node
