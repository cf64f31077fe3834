"""What does another head on the Attention page cost: on the server, on the wire, on the screen?

The server's part runs the real page through Streamlit's own test runner and serialises every
message as the server does; the rest is measured in headless Chromium against a real server.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from itertools import cycle

from streamlit.testing.v1 import AppTest

from glassformer.core.text_models.checkpoints import load_model
from tests.benchmarks import screen
from tests.benchmarks.report import Table, kilobytes, verdict
from tests.benchmarks.server import Run, name_of, opened, rerun, text_of, watched
from tests.benchmarks.timing import Spread
from tests.opened_app import drawn

TOKENS = (16, 64)
KINDS = ("encoder", "decoder", "cross")
LIMIT = 256  # KiB a panel at 64 tokens
FEWEST = 4  # changes of the head


def tables(seconds: float) -> Iterator[Table]:
    """On the server; then in the browser."""
    logging.disable(logging.WARNING)  # Streamlit misses a browser at every run
    table = Table(
        "Attention page, another head: the server's part",
        ("tokens", "map", "CPU ms (quartiles)", "all sent", "largest panel", "its size", "goal"),
    )
    for tokens in TOKENS:
        for kind in KINDS:
            table.add(str(tokens), *_on_server(text_of(tokens), kind, seconds / len(KINDS)))
    table.notes += [
        "the whole page runs again; CPU ms with the serialisation of every message",
        "sizes before the compression of the connection; map: queries × keys",
    ]
    yield table
    yield from screen.head_tables({tokens: text_of(tokens) for tokens in TOKENS}, seconds)


def _on_server(text: str, kind: str, seconds: float) -> tuple[str, ...]:
    app = opened("attention", text=text, kind=kind)
    heads, spent = cycle(range(load_model().config.n_heads)), []
    with watched() as run:
        end = time.monotonic() + seconds
        while len(spent) < FEWEST or time.monotonic() < end:
            spent.append(rerun(app, run, head=next(heads)))
    return (_map_size(app), *_numbers(spent, run))


def _map_size(app: AppTest) -> str:
    trace, state = drawn(app), app.session_state["state"]
    target, source = len(trace.target_tokens), len(trace.source_tokens)
    rows = source if state.kind == "encoder" else target
    return f"{state.kind} {rows} × {target if state.kind == 'decoder' else source}"


def _numbers(spent: list[float], run: Run) -> tuple[str, ...]:
    times = Spread.of(seconds * 1000 for seconds in spent)
    largest = max(run.messages, key=lambda message: message.ByteSize())
    size = largest.ByteSize()
    return (
        f"{times.middle:.0f} ({times.low:.0f}–{times.high:.0f})",
        kilobytes(sum(message.ByteSize() for message in run.messages)),
        name_of(largest),
        kilobytes(size),
        verdict(size / 1024, LIMIT),
    )
