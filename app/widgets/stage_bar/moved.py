"""Switches that name positions, and the words that stand there since the sentence is another."""

from __future__ import annotations

from collections.abc import Iterable

from app import experiments, service
from app.experiments import Setup
from app.figures.labels import visible
from app.widgets.phrase_places import sides
from core.edits.heads import HeadsRedirected
from core.edits.masks import Lines, Painted
from core.edits.switch import Switch
from core.edits.tensors import Slice
from core.errors import GlassformerError
from core.trace.trace import Trace

MOST = 4  # words that are named
Moved = tuple[Switch, list[str], list[str]]


def moved() -> list[Moved]:
    """Each such switch, the words it was made on, and those that it touches in this sentence."""
    now, plain = Setup.current(), _plain(Setup.current())
    found = []
    for switch in experiments.now().switches:
        made = _made(switch)
        if plain is None or _sentence(made) == _sentence(now) or switch in service.left_out():
            continue
        before = _plain(made)
        if before is None:
            continue
        old, new = _words(switch, before), _words(switch, plain)
        if old != new:
            found.append((switch, old, new))
    return found


def places(switch: Switch) -> list[tuple[str, int]]:
    """The positions that a switch names, each with its side: "source" or "target"."""
    rows: Iterable[int] = ()
    columns: Iterable[int] = ()
    if isinstance(switch, HeadsRedirected):
        rows, columns, where = switch.rows, (switch.key,), switch.where
    elif isinstance(switch, Lines):
        rows, columns, where = switch.rows, switch.columns, switch.where
    elif isinstance(switch, Painted):
        spans, where = (*switch.hidden, *switch.shown), switch.where
        rows = dict.fromkeys(row for row, _, _ in spans)
        columns = dict.fromkeys(at for _, first, last in spans for at in range(first, last + 1))
    elif isinstance(switch, Slice):
        at, where = dict(switch.at), switch.address.rpartition("/")[0]
        if "position" in at:
            side = "source" if where.split("/")[0] in ("source", "encoder", "") else "target"
            return [(side, place) for place in at["position"]]
        rows, columns = at.get("query", ()), at.get("key", ())
    else:
        return []
    down, across = sides(where)
    return [*((down, place) for place in rows), *((across, place) for place in columns)]


def _made(switch: Switch) -> Setup:
    """The run that it was switched on in: the first of those that have had it since."""
    history = experiments.remember()
    made = history.now
    for before in reversed(history.past):
        try:
            if switch not in experiments.parsed(before.edits):
                break
        except GlassformerError:
            break
        made = before
    return made


def _sentence(setup: Setup) -> tuple[str, str, str]:
    return setup.text, setup.direction, setup.model


def _plain(setup: Setup) -> Trace | None:
    try:
        return service.get_trace(setup.text, setup.direction, setup.model, setup.step)
    except GlassformerError:
        return None  # the stage bar says it


def _words(switch: Switch, trace: Trace) -> list[str]:
    words = {"source": trace.source_tokens, "target": trace.target_tokens}
    there = [words[side][at] for side, at in places(switch) if at < len(words.get(side, ()))]
    return [f"“{visible(word)}”" for word in dict.fromkeys(there)]
