"""What the browser draws of a tensor before the server answers: along other axes, and others."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from operator import itemgetter
from typing import Any, get_args

from glassformer.app.pages.tensors import controls
from glassformer.app.panels.answers import Answers, Move
from glassformer.app.runs import on_screen
from glassformer.app.session import store
from glassformer.app.session.state import State
from glassformer.app.ui.chart import current_look
from glassformer.app.words import say
from glassformer.core.analysis.tensor_slice import Plan, Side, sheet_axes
from glassformer.core.trace.sites import Axis
from glassformer.core.trace.trace import Trace

PLACED = ("address", "axes", "pins", "head", "part")  # what tells one picture from another
BESIDE = 8  # tensors before and after the picked one in the tree
LARGEST = 4_096  # numbers of a picture that is sent before somebody asks for it
Near = list[tuple[int, dict[str, Any]]]  # how far, and what changes

# The tree says the address alone: another tensor has its own axes.
_TREE = [Move("address_tree", "address", "pick"), Move("address_tree", "axes", "pick", "axes")]


def tensor_answers(draw: Callable[[Trace, str, State], object]) -> Answers:
    """The picked tensor held at other places, along other axes; others like it or beside it.

    draw: draws the picture of a tensor as a state has it, alone.
    """
    trace, look = on_screen.trace_on_screen(), current_look()
    address = controls.address_on_screen(trace)
    now = replace(store.get_state(), address=address)
    chosen = controls.plan_of_state(trace, address)
    found = [_pins(now, chosen), _axes(now, trace, chosen), _parts(now, chosen)]
    moves = [move for each, _ in found for move in each]
    near = sorted((place for _, each in found for place in each), key=itemgetter(0))

    def nearby() -> Iterator[dict[str, Any]]:
        yield from (changes for _, changes in near)
        yield from ({"address": each, "axes": None} for each in _tensors_beside(trace, now))

    def draw_there(there: State) -> None:
        draw(trace, there.address, there)

    of = (id(trace), look)
    return Answers(now, of, [*_TREE, *moves], nearby(), draw_there, placed=PLACED)


def _pins(now: State, chosen: Plan) -> tuple[list[Move], Near]:
    """Where each axis can be held that is not drawn."""
    moves, near = list[Move](), Near()
    for axis, index in chosen.held:
        places = [controls.pinned_at(now, axis.name, at) for at in range(axis.size)]
        (field,) = places[0]
        values = [each[field] for each in places]
        moves.append(Move(f"widget_tensor_pin_{axis.name}", field, "slide", values=values))
        near += [(abs(at - index), each) for at, each in enumerate(places)]
    return moves, near


def _axes(now: State, trace: Trace, chosen: Plan) -> tuple[list[Move], Near]:
    """Which axes can be rows and columns."""
    if chosen.columns is None:
        return [], []
    pair = chosen.rows.name, chosen.columns.name
    names = [axis.name for axis in sheet_axes(trace, now.address)]
    moves, near = list[Move](), Near()
    for side, drawn in zip(get_args(Side), pair, strict=True):
        found = {
            each: now.axes if each == drawn else controls.pair_with(side, each, pair)
            for each in names
        }
        values = {say(f"axes.{each}"): axes for each, axes in found.items()}
        moves.append(Move(f"widget_tensor_{side}", "axes", "pick", values=values))
        near += [(2, {"axes": axes}) for axes in found.values()]
    return moves, near


def _parts(now: State, chosen: Plan) -> tuple[list[Move], Near]:
    """Which part of a long axis can be drawn."""
    moves, near = list[Move](), Near()
    for axis in filter(None, (chosen.rows, chosen.columns)):
        offers = controls.parts_offered(axis)
        values = {
            controls.part_label(each, axis.size): controls.parts_with(
                now, axis.name, each, offers[0]
            )
            for each in offers
        }
        if values:
            moves.append(Move(f"widget_tensor_part_{axis.name}", "part", "pick", values=values))
            near += [(3, {"part": each}) for each in values.values()]
    return moves, near


def _tensors_beside(trace: Trace, now: State) -> Iterator[str]:
    """The same tensor of other layers, then those around it in the tree; small ones alone."""
    known = [entry.address for entry in controls.entries_of(trace)]
    at = known.index(now.address)
    around = sorted(range(len(known)), key=lambda each: abs(each - at))[: 2 * BESIDE + 1]
    blank = re.compile(r"\d+")
    alike = blank.sub("", now.address)
    found = [each for each in known if blank.sub("", each) == alike]
    for each in dict.fromkeys([*found, *(known[place] for place in around)]):
        drawn = controls.plan_of_state(trace, each, now.changed(axes=None))
        if _size(drawn.rows) * _size(drawn.columns) <= LARGEST:
            yield each


def _size(axis: Axis | None) -> int:
    return axis.size if axis else 1
