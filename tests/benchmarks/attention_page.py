"""What does another head on the Attention page cost: on the server, on the wire, on the screen?

The server's part runs the real page through Streamlit's own test runner and serialises every
message as the server does; the rest is measured in headless Chromium against a real server.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import cycle
from typing import Any

from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

from app.service import prepare
from app.state import FIRST_SENTENCE, State
from core.checkpoints import load_model
from tests.benchmarks import screen
from tests.benchmarks.report import Table, kilobytes, verdict
from tests.benchmarks.timing import Spread
from tests.browser.driver import ROOT

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


def text_of(tokens: int) -> str:
    """An English text of that many tokens, the end included."""
    tokenizer = load_model().tokenizer
    words: list[str] = []
    for word in cycle(FIRST_SENTENCE.split()):
        words.append(word)
        if len(tokenizer.encode(" ".join(words), "en").ids) >= tokens:
            return " ".join(words)
    raise AssertionError("a cycle does not end")


@dataclass
class Run:
    """The last run of the script: when it was over, and what it sends."""

    over: float = 0.0  # process time
    messages: list[Any] = field(default_factory=list)


def _on_server(text: str, kind: str, seconds: float) -> tuple[str, ...]:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.query_params["text"], app.query_params["kind"] = text, kind
    app.run().switch_page("app/views/attention.py").run()
    if app.exception:
        raise RuntimeError(app.exception[0].value)
    prepare()
    heads, spent = cycle(range(load_model().config.n_heads)), []
    with _watched() as run:
        end = time.monotonic() + seconds
        while len(spent) < FEWEST or time.monotonic() < end:
            spent.append(_change_head(app, next(heads), run))
    return (_map_size(app), *_numbers(spent, run))


def _change_head(app: AppTest, head: int, run: Run) -> float:
    """CPU seconds from the change to the bytes that would be sent."""
    state: State = app.session_state["state"]
    app.session_state["state"] = replace(state, head=head)
    start = time.process_time()
    app.run()
    script = run.over - start
    start = time.process_time()
    for message in run.messages:
        message.SerializeToString()
    return script + time.process_time() - start


def _map_size(app: AppTest) -> str:
    trace, state = app.session_state["kept_trace"], app.session_state["state"]
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
        _name(largest),
        kilobytes(size),
        verdict(size / 1024, LIMIT),
    )


def _name(message: Any) -> str:
    element = message.delta.new_element
    kind = element.WhichOneof("type")
    own = getattr(getattr(element, kind), "id", "") if kind else message.WhichOneof("type")
    return str(own).rpartition("-")[2] or str(kind)


@contextmanager
def _watched() -> Iterator[Run]:
    """Reads the runner's messages, and the clock before the test runner unpacks them."""
    run, usual = Run(), LocalScriptRunner.forward_msgs

    def forward_msgs(runner: LocalScriptRunner) -> Any:
        run.over, run.messages = time.process_time(), list(usual(runner))
        return run.messages

    LocalScriptRunner.forward_msgs = forward_msgs  # type: ignore[method-assign]
    try:
        yield run
    finally:
        LocalScriptRunner.forward_msgs = usual  # type: ignore[method-assign]
