"""The number trail of what a step puts out: one cell, recomputed from what entered the step.

What is recorded is unfolded as anywhere (`core.explain.provenance`); here stands what a step makes
besides: sums within dropout, what dropout leaves, a head's share of a row, the chosen word.
"""

from collections.abc import Mapping
from dataclasses import replace

from glassformer.core.explain import formula
from glassformer.core.explain.provenance.node import Cell, Column, Lane, Node
from glassformer.core.explain.provenance.run import Run, constant_column, single_term
from glassformer.core.explain.provenance.unfold import node_of
from glassformer.core.explain.steps import wires
from glassformer.core.explain.steps.steps import Step
from glassformer.core.explain.steps.wires import Wire, cell, tensor
from glassformer.core.trace.tables import exact_numbers


def node_at(run: Run, step: Step, at: Mapping[str, int], line: int = 0) -> Node:
    """One cell of a step's output, and what it was made of.

    Args:
        run: the trace, and the model whose weights made it.
        step: one of its steps.
        at: places by axis name, from 0; an axis that is not named is held at 0.
        line: which of the step's outputs, from 0.

    Returns:
        The node: the recorded number, its terms, its formula as LaTeX. Of what a step makes
        besides what is recorded, such as a sum within dropout, the formula is "".

    Raises:
        GlassformerError: `unknown_axis`, or `out_of_range` for a place beyond the end.
    """
    wire = step.lines[line].output
    chosen = cell(run.trace, wire, at)
    if wire.form == "dropped" or (step.kind == "embedding_dropout" and line == 1):
        return _dropped(run, chosen, step.inputs[0])
    if step.kind == "sum":
        return _sum(run, chosen, *step.inputs)
    if step.kind == "split":
        return _split(run, chosen)
    if wire.form == "chosen":
        return _choice(run, chosen)
    recorded = wires.recorded_cell(run.trace, chosen)
    assert recorded is not None  # what is not was made above
    found = node_of(run, Cell(recorded.wire.address, recorded.index))
    if step.kind != "embedding_scale" or run.config.embedding_scale:
        return found
    once = constant_column("root", "1", 1.0)
    return replace(found, operation="scale", groups=(single_term(once, *found.groups[0].columns),))


def _sum(run: Run, chosen: wires.Cell, word: Wire, *places: Wire) -> Node:
    """Embedding and position (and the segment's mark), before dropout."""
    added = (_read(run, each, chosen.index[1:]) for each in places)
    columns = _read(run, word, chosen.index), *added
    return _made(run, chosen, "input", *((column,) for column in columns))


def _dropped(run: Run, chosen: wires.Cell, before: Wire) -> Node:
    """§5.4: what dropout leaves of a number."""
    kept = run.dropout(chosen.wire.address, chosen.index, "")
    return _made(run, chosen, "drop", (_read(run, before, chosen.index), *kept))


def _split(run: Run, chosen: wires.Cell) -> Node:
    """One head's share of a row of Q, K or V."""
    batch, head, place, feature = chosen.index
    width = run.config.of(chosen.wire.address).d_k
    joined = (batch, place, head * width + feature)
    return _made(run, chosen, "copy", (_read(run, Wire(chosen.wire.address, "joined"), joined),))


def _choice(run: Run, chosen: wires.Cell) -> Node:
    """The word of a row: chosen by its probability, or given."""
    taken = formula.chosen_word(run.trace, chosen.index[1])
    lane = Lane(chosen.wire.address, (*chosen.index, taken))
    operation = "choose" if run.trace.steps else "token"
    return _made(run, chosen, operation, (constant_column("id", "", float(taken), (lane,)),))


def _read(run: Run, wire: Wire, index: tuple[int, ...]) -> Column:
    values = exact_numbers(tensor(run.trace, wire)[index]).reshape(1)
    return Column("copied", "", values, (Lane(wire.key, index),))


def _made(run: Run, chosen: wires.Cell, operation: str, *terms: tuple[Column, ...]) -> Node:
    recorded = float(tensor(run.trace, chosen.wire)[chosen.index])
    groups = tuple(single_term(*columns) for columns in terms)
    here, edited = Cell(chosen.wire.address, chosen.index), bool(run.trace.edits)
    return Node(here, operation, "", recorded, groups, run_edited=edited)
