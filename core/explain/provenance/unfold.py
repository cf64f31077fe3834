r"""The number trail: any number of a run, unfolded into the numbers that it was made of.

    node = unfold(trace, model, "decoder/1/cross_attention/context", (0, head, query, feature))
    node.recorded, node.exact, node.verdict   # both numbers, and whether they agree
    node.shown(5)                             # the largest terms, and the rest summed
    next(node.ranked()).factors[0].sources          # the cells to unfold next

Every node is recomputed from the *recorded* numbers one step before it, so that an edit shows up at
the tensor that was edited and nowhere else. Indices have one entry for each axis, the batch too.
"""

from collections.abc import Callable
from typing import Literal

from glassformer.core.errors import GlassformerError, check_index
from glassformer.core.explain.provenance import attention, layers
from glassformer.core.explain.provenance.node import Cell, Index, Node, Term
from glassformer.core.explain.provenance.run import Run
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.trace import Trace

Through = Literal["weights", "values"]


def unfold(trace: Trace, model: Transformer, address: str, index: Index) -> Node:
    """One number of a run, and what it was made of; its learned numbers are the model's.

    Args:
        trace: the run that is read.
        model: whose weights made it.
        address: of a recorded tensor.
        index: an entry for each axis of the recorded tensor, the batch too, from 0.

    Returns:
        The node: the recorded number, its terms, its formula as LaTeX.

    Raises:
        GlassformerError: `unknown_address`, `trail_cell` for another number of indices,
            `out_of_range`, `trail_model` for a model of another config.
    """
    return node_of(Run(trace, model), Cell(address, tuple(index)))


def largest_path(
    trace: Trace, model: Transformer, start: Cell, through: Through = "weights"
) -> tuple[Node, ...]:
    """From a number backwards along the largest contribution, down to an embedding row.

    Positions, masks and learned numbers are passed over: they lead to no word. A score that the
    mask forbids has no other source, so the path ends at it.

    Args:
        trace: the run that is read.
        model: whose weights made it.
        start: the cell at which the path begins.
        through: where a context is unfolded, on to the `weights` (then q · k, then the query) or
            to the `values` (what was said, not why it was listened to).

    Returns:
        The nodes of the path, that of `start` first.

    Raises:
        GlassformerError: as `unfold`.
    """
    run, found = Run(trace, model), list[Node]()
    cell: Cell | None = start
    while cell is not None:
        found.append(node_of(run, cell))
        cell = next_cell(found[-1], through)
    return tuple(found)


def next_cell(node: Node, through: Through = "weights") -> Cell | None:
    """The cell that `largest_path` goes on to from a node.

    Args:
        node: where the path has come to.
        through: where a context is unfolded, on to its `weights` or to its `values`.

    Returns:
        The cell; None at the end of the path.
    """
    masked_out = node.operation.startswith("mask_") and "forbidden" in node.notes
    if node.operation == "look_up" or masked_out:
        return None
    own = node.own
    for term in (own,) if own is not None else node.ranked():
        if (cell := _source(term, through)) is not None:
            return cell
    return None


def _source(term: Term, through: Through) -> Cell | None:
    factors = term.factors
    if through == "values" and any(factor.role == "value" for factor in factors):
        factors = tuple(factor for factor in factors if factor.role == "value")
    for factor in factors:
        for cell in factor.sources:
            if cell.at.name not in ("positions", "mask", "kept"):
                return cell
    return None


def node_of(run: Run, cell: Cell) -> Node:
    """The same as `unfold`, of a run beside its model.

    Args:
        run: the trace, and the model whose weights made it.
        cell: an index for each axis of the recorded tensor, the batch too, from 0.

    Returns:
        The node: the recorded number, its terms, its formula as LaTeX.

    Raises:
        GlassformerError: `unknown_address`, `trail_cell` for another number of indices,
            `out_of_range`.
    """
    site = run.trace.site(cell.address)  # raises for an address that this run has not
    given, shape = cell.index, run.tensor(cell.address).shape
    if len(given) != len(site.axes):
        names = ", ".join(site.axes)
        raise GlassformerError("trail_cell", given=given, address=cell.address, axes=names)
    for name, index, size in zip(site.axes, given, shape, strict=True):
        check_index(name, index, size)
    unfolded: Callable[[Run, Cell], Node] = _drawn
    if site.unfold:
        room = layers if hasattr(layers, site.unfold) else attention
        unfolded = getattr(room, site.unfold)
    return unfolded(run, cell)


def _drawn(run: Run, cell: Cell) -> Node:
    """What dropout kept: drawn by lot, so there is nothing before it."""
    return run.node(cell, "draw", r"m \sim \mathrm{Bernoulli}(1 - p)")
