r"""The trail through §3.4 Embeddings and §3.5 Positional Encoding: ids, look-up, × √D, + PE."""

from __future__ import annotations

import math
from dataclasses import replace

from core.trail.node import Fact, Node, Note
from core.trail.places import beside, module_of, place_of
from core.trail.run import Run, constant, dropped, part
from core.trail.terms import Cell, Lane

_BASE = 10000.0  # §3.5


def token(run: Run, cell: Cell) -> Node:
    """An id; in the decoder, from its second row on, what the row before chose."""
    target = cell.address.startswith("target")
    pieces = run.trace.target_pieces if target else run.trace.source_pieces
    batch, position = cell.index
    piece = pieces[position]
    if batch > 0 or piece not in run.trace.vocabulary:
        return run.node(cell, "token", r"w_t", notes=("given",))  # the trace has no word for it
    index = run.trace.vocabulary.index(piece)
    chosen = target and position > 0 and bool(run.trace.steps)
    source = (Lane("output/probabilities", (batch, position - 1, index)),) if chosen else ()
    formula = r"w_t = \arg\max_v p_{t-1,v}" if chosen else r"w_t"
    notes: tuple[Note, ...] = () if chosen else ("given",)
    term = part(constant("id", r"w_t", float(index), source))
    return run.node(cell, "token", formula, term, notes=notes)


def embedding(run: Run, cell: Cell) -> Node:
    """One number of the table's row: where the trail of every vector ends."""
    batch, position, feature = cell.index
    ids = beside(cell.address, "ids")
    row = int(run.number(ids, (batch, position)))
    name = f"{module_of(place_of(cell.address))}.table.weight"
    found = run.parameter("table", r"E_{w_t,i}", name, (row, feature))
    chosen = replace(found, sources=(Lane(ids, (batch, position)),))  # the id says which row
    return run.node(cell, "look_up", r"E_{w_t,i} = E[w_t]_i", part(chosen))


def scaled(run: Run, cell: Cell) -> Node:
    """The embedding × √D, or as it is in a model that does not scale."""
    address = beside(cell.address, "embedding")
    if not run.config.embedding_scale:
        only = run.recorded("copied", r"E_{w_t,i}", address, cell.index)
        return run.node(cell, "copy", r"E_{w_t,i}", part(only))
    word = run.recorded("embedding", r"E_{w_t,i}", address, cell.index)
    root = constant("root", r"\sqrt{D}", math.sqrt(run.config.d_model))
    return run.node(cell, "scale", r"\sqrt{D} \cdot E_{w_t,i}", part(root, word))


def positions(run: Run, cell: Cell) -> Node:
    """The encoding of a position: a sine or cosine of its angle, or a row of a learned table."""
    variant, (position, feature) = run.config.positions, cell.index
    if variant == "none":
        return run.node(cell, "no_position", r"PE_{t,i} = 0", part(constant("position", "0", 0.0)))
    if variant == "learned":
        name = f"{module_of(place_of(cell.address))}.position_table.weight"
        found = run.parameter("table", r"P_{t,i}", name, (position, feature))
        return run.node(cell, "learned_position", r"PE_{t,i} = P[t]_i", part(found))
    return _turning(run, cell, position, feature)


def _turning(run: Run, cell: Cell, position: int, feature: int) -> Node:
    width, variant = run.config.d_model, run.config.positions
    if variant == "halves":
        is_sine, exponent = feature < width // 2, 2 * (feature % (width // 2))
    else:
        is_sine, exponent = feature % 2 == 0, feature - feature % 2
    if variant == "notes":
        exponent = feature  # the cosine's own exponent, one above its sine's
    frequency = _BASE ** (-exponent / width)
    turns = rf"10000^{{-{exponent}/D}}"
    name = "sin" if is_sine else "cos"
    angle = position * frequency
    return run.node(
        cell,
        "position",
        rf"PE_{{t,i}} = \{name}(t \cdot {turns})",
        part(constant("time", "t", float(position)), constant("frequency", turns, frequency)),
        outer="sin" if is_sine else "cos",
        facts=(
            Fact("angle", r"\omega t", angle),
            Fact("wavelength", r"2\pi / \omega", 2 * math.pi / frequency),
        ),
    )


def entered(run: Run, cell: Cell) -> Node:
    """What enters the stack: word + position, and dropout in a training run."""
    _, position, feature = cell.index
    word = run.recorded(
        "embedding",
        r"\sqrt{D}\,E_{w_t,i}" if run.config.embedding_scale else r"E_{w_t,i}",
        beside(cell.address, "scaled"),
        cell.index,
    )
    summed, columns = word.symbol, [word]
    if run.config.positions != "none":
        place = beside(cell.address, "positions")
        columns.append(run.recorded("position", r"PE_{t,i}", place, (position, feature)))
        summed += r" + PE_{t,i}"
    kept = run.dropout(cell.address, cell.index, "t,i")
    groups = tuple(part(column, *kept) for column in columns)
    formula = rf"x_{{t,i}} = {kept[0].symbol}({summed})" if kept else rf"x_{{t,i}} = {summed}"
    return run.node(cell, "input", formula, *groups, notes=dropped(kept))
