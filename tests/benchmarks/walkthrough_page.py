"""What does a step of the Walkthrough cost on the server, and what does it send?"""

from __future__ import annotations

import logging
from collections.abc import Iterator

from core.walk.steps import for_layer, walk
from tests.benchmarks.report import Table, kilobytes, verdict
from tests.benchmarks.server import name_of, opened, rerun, text_of, watched
from tests.benchmarks.timing import Spread
from tests.opened_app import drawn

GOALS = {16: 150, 64: 300}  # ms of the server
LIMIT = 256  # KiB a panel


def tables(seconds: float) -> Iterator[Table]:
    """Every step, one after the other, for texts of so many tokens."""
    logging.disable(logging.WARNING)  # Streamlit misses a browser at every run
    table = Table(
        "Walkthrough, from step to step: the server's part",
        ("tokens", "steps", "CPU ms (quartiles)", "worst", "goal", "largest panel", "size", "goal"),
    )
    for tokens, goal in GOALS.items():
        table.add(str(tokens), *_walked(text_of(tokens), goal, seconds))
    table.notes += [
        "the whole page runs again; CPU ms with the serialisation of every message",
        "a step's time is the median of its visits; worst: of the slowest step",
    ]
    yield table


def _walked(text: str, goal: float, seconds: float) -> tuple[str, ...]:
    app = opened("walkthrough", text=text)
    steps = for_layer(walk(drawn(app)))
    times: list[list[float]] = [[] for _ in steps]
    largest = None
    with watched() as run:
        while min(map(len, times)) < 2 or sum(map(sum, times)) < seconds:
            for step, spent in zip(steps, times, strict=True):
                spent.append(rerun(app, run, walk=step.id))
                sent = max(run.messages, key=lambda message: message.ByteSize())
                if largest is None or sent.ByteSize() > largest.ByteSize():
                    largest = sent
    assert largest is not None
    middles = [1000 * sorted(spent)[len(spent) // 2] for spent in times]
    spread, size = Spread.of(middles), largest.ByteSize()
    return (
        str(len(steps)),
        f"{spread.middle:.0f} ({spread.low:.0f}–{spread.high:.0f})",
        f"{max(middles):.0f}",
        verdict(max(middles), goal),
        name_of(largest),
        kilobytes(size),
        verdict(size / 1024, LIMIT),
    )
