"""What clicks lead to, sent before they are made: the browser draws it at once.

A page says which places lie near the one in view, the nearest first, and draws its components for
each of them; the browser is sent what of their data is other there. It asks once somebody's pointer
or keyboard comes to a place where an answer may be wanted: who only looks costs nothing.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any
from zlib import crc32

import numpy as np
import orjson
import streamlit as st

from glassformer.app.runs.cache import SERVER, BoundedCache
from glassformer.app.runs.turns import wait_for_turn
from glassformer.app.session import store
from glassformer.app.session.state import State
from glassformer.app.ui.component import CELLS, catch_data, component, pack_numbers
from glassformer.app.ui.layout import box
from glassformer.core.errors import GlassformerError
from glassformer.core.interruption import StoppedError, heard_by

# Bytes sent ahead at once: of places, of heads' vectors, of the parts of a map that places show.
MOST_BYTES, MOST_HEADS, MOST_PARTS = 100_000, 40_000, 10_000
MOST_SECONDS = 0.15  # of the processor, for all of it: then whoever clicks is served by a rerun
_answers = component(__file__, "answers", scripts=(CELLS, "attention/cell_terms.js"))
_known: BoundedCache[bytes] = BoundedCache(SERVER, len)


@dataclass(frozen=True)
class Move:
    """What leads to another place: an event of a component, or of a widget of Streamlit.

    Of a widget "click" says which of its options is clicked, "slide" where its slider is, "pick"
    the words that are picked in a list. values: what the field becomes by what `name` is in the
    event; without them what the event says itself, None where it says nothing of that.
    """

    key: str  # of the component or of the widget
    field: str  # of the state
    event: str
    name: str = ""  # in the value of the event; "": the value itself
    values: Sequence[Any] | Mapping[int, Any] | Mapping[str, Any] = ()


@dataclass(frozen=True)
class Cells:
    """A map of which each clicked cell is spelled out, q · k, by another chart.

    look: what `cell_terms.js` needs besides the numbers. of: queries (T, K) and keys (S, K) of the
    head of a place; None of a mean.
    """

    map: str  # keys of both charts
    chart: str
    rows: int  # T
    curves: Sequence[int]  # of the map that are cells
    look: Mapping[str, Any]
    of: Callable[[State], tuple[np.ndarray, np.ndarray] | None]

    @property
    def data(self) -> dict[str, Any]:
        """What the browser is told."""
        names = ("map", "chart", "rows", "curves", "look")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class Answers:
    """What one page can say of the places near the one in view.

    draw: draws the components of a place, and nothing else. of: what is drawn depends on, besides
    the state. preview: of a large map whose heads are a grid, how its pixels are shown while the
    numbers are on their way; None without. part: which of the pixels a place shows, where not all
    show the same. cells: how a clicked cell of the map is spelled out. placed: fields of a place
    beside those of the moves. costly: places by the key of what leads there: they take a run of
    their own, and are drawn only for who comes to that. words: what a line of a place says, by the
    name of its box.
    """

    now: State
    of: tuple[object, ...]
    moves: Sequence[Move]
    nearby: Iterable[Mapping[str, object]]  # changes of the state, the nearest first
    draw: Callable[[Any], None]
    preview: Mapping[str, Any] | None = None
    part: Callable[[State], list[float]] | None = None
    cells: Cells | None = None
    placed: Sequence[str] = ()
    costly: Mapping[str, Sequence[Mapping[str, object]]] = field(default_factory=dict)
    words: Callable[[Any], Mapping[str, str]] | None = None

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of the state that tell one place from another."""
        moved = {move.field for move in self.moves}
        pair = {"query", "key"} if self.cells or "kind" in moved else set()
        return tuple(sorted(moved | pair | {*self.placed}))

    @property
    def version(self) -> str:
        """A short name of all that is drawn depends on besides the place."""
        told = repr((store.page_on_screen(), replace(self.rest, opens="own"), self.of))
        return blake2b(told.encode(), digest_size=8).hexdigest()

    @property
    def rest(self) -> State:
        """The state without its place."""
        return replace(self.now, **{name: getattr(State, name) for name in self.fields})

    def there(self, **changes: Any) -> Any:
        """What `draw` is given of a place nearby; without changes of the one in view."""
        return self.now.changed(**changes) if changes else self.now

    def place(self, there: Any) -> list[Any]:
        """What tells a place."""
        return [getattr(there, name) for name in self.fields]


def show(make: Callable[[], Answers]) -> None:
    """Send what the browser has asked for; it takes no room, and asking runs nothing else."""
    with box("afloat", "answers"):
        _send(make)


@st.fragment
@wait_for_turn
def _send(make: Callable[[], Answers]) -> None:
    page = make()
    data: dict[str, Any] = {
        "version": (version := page.version),
        "fields": page.fields,
        "here": page.place(page.there()),
        "moves": page.moves,
        "preview": page.preview,
        "cells": page.cells and page.cells.data,
        "costly": [*page.costly],
    }
    (asked, of), store.memory().answers_asked = store.memory().answers_asked, ("", "")
    if asked == version:
        name = (asked, of, orjson.dumps(data["here"]))
        data["answered"] = orjson.Fragment(_known.get(name, lambda: answer(page, of)))
    _answers("bridge_answers", data, ask=_remember)


def _remember(value: Mapping[str, Any]) -> None:
    store.memory().answers_asked = str(value.get("version", "")), str(value.get("of", ""))


class _Limit:
    """Ends what takes longer than it may, or waits for what another thread computes."""

    def __init__(self) -> None:
        self._until = time.thread_time() + MOST_SECONDS

    @property
    def is_over(self) -> bool:
        return time.thread_time() > self._until

    def step(self) -> None:
        if self.is_over:
            raise StoppedError

    def progress(self, _done: int, _total: int) -> None:
        self.step()

    def idle(self) -> None:
        raise StoppedError


def answer(page: Answers, of: str = "") -> bytes:
    """What is sent, as JSON; whoever else looks at the same is sent the same.

    of: the key of what leads to the places of `Answers.costly` that are asked for; "" for all
    others. bases: of each component a checksum of what it shows. answers: of each place what
    differs, and its words. whole: all that was asked for is in it. parts: as `Answers.part` has
    them.
    """
    is_costly = of in page.costly
    found, bases, whole = _answers_of(page, page.costly[of] if is_costly else page.nearby)
    told: dict[str, Any] = {"bases": bases, "answers": found}
    if not is_costly:
        told |= {
            "whole": whole,
            "parts": [] if page.part is None else _parts(page, page.part),
            "heads": [] if page.cells is None else _heads(page, page.cells, MOST_HEADS),
        }
    return orjson.dumps(told)


def _answers_of(
    page: Answers, nearby: Iterable[Mapping[str, object]]
) -> tuple[list[orjson.Fragment], dict[str, int], bool]:
    limit = _Limit()
    here = _drawn(page, page.there())
    plain = {key: orjson.loads(data) for key, data in here.items()}
    known, left = [orjson.dumps(page.place(page.there()))], MOST_BYTES
    found, whole = [], True
    for changes in nearby:
        there = page.there(**changes)
        place = orjson.dumps(page.place(there))
        if place in known:
            continue
        try:
            with heard_by(limit):
                drawn, words = _drawn(page, there), page.words(there) if page.words else {}
        except GlassformerError:  # a run that may not be, or takes too long
            whole = False
            break
        differs = {
            key: list_changes(plain[key], orjson.loads(data))
            for key, data in drawn.items()
            if key in plain
        }
        text = orjson.dumps([page.place(there), differs, words])
        left -= len(text)
        if left < 0 or limit.is_over:
            whole = False
            break
        known.append(place)
        found.append(orjson.Fragment(text))
    return found, {key: crc32(data) for key, data in here.items()}, whole


def _heads(page: Answers, cells: Cells, left: int) -> list[tuple[Any, str, str]]:
    """Queries and keys of the heads nearby."""
    found: dict[bytes, tuple[Any, str, str]] = {}
    for changes in page.nearby:
        state = replace(page.there(**changes), query=None, key=None)
        name = orjson.dumps(page.place(state))
        if name in found or (both := cells.of(state)) is None:
            continue
        q, k = map(pack_numbers, both)
        left -= len(q) + len(k)
        if left < 0:
            break
        found[name] = (page.place(state), q, k)
    return [*found.values()]


def _parts(page: Answers, part: Callable[[State], list[float]]) -> list[tuple[Any, list[float]]]:
    """The part of the picture that each place shows, as far as there is time and room for it."""
    until, left, found = time.thread_time() + MOST_SECONDS, MOST_PARTS, []
    for changes in page.nearby:
        there = page.there(**changes)
        shown = page.place(there), part(there)
        left -= len(orjson.dumps(shown))
        if left < 0 or time.thread_time() > until:
            break
        found.append(shown)
    return found


def _drawn(page: Answers, there: Any) -> dict[str, bytes]:
    with catch_data() as data:
        page.draw(there)
    return data


def list_changes(before: Any, after: Any) -> list[Any]:
    """[[path, value], …]: what to set in one value of JSON to have the other.

    A value that is there no more is set to nothing: [path].
    """
    if isinstance(before, dict) and isinstance(after, dict):
        found = [[[name]] for name in before if name not in after]
        for name, value in after.items():
            found += _changes_at(name, before[name], value) if name in before else [[[name], value]]
        return found
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        found = [
            change
            for at, pair in enumerate(zip(before, after, strict=True))
            for change in _changes_at(at, *pair)
        ]
        anew = [len(path) == 1 for path, *_ in found]
        return [[[], after]] if all(anew) and 2 * len(anew) > len(after) else found
    return [] if before == after and type(before) is type(after) else [[[], after]]


def _changes_at(name: str | int, before: Any, after: Any) -> list[Any]:
    return [[[name, *path], *value] for path, *value in list_changes(before, after)]
