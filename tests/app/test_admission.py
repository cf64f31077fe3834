"""The gate: few at once, in the order they came, and nobody stuck."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from streamlit import config
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.testing.v1 import AppTest

from glassformer.app.runs.turns import RERUNS, Gate
from glassformer.app.session import store
from glassformer.app.session.memory import RECENT, Memory
from tests.architecture.sources import ROOT


@contextmanager
def holding(gate: Gate, count: int) -> Iterator[threading.Event]:
    """So many others inside, until the event is set or the block ends."""
    go = threading.Event()

    def hold() -> None:
        with gate.turn():
            inside.release()
            go.wait(10)

    inside = threading.Semaphore(0)
    threads = [threading.Thread(target=hold) for _ in range(count)]
    for thread in threads:
        thread.start()
    for _ in threads:
        assert inside.acquire(timeout=5)
    try:
        yield go
    finally:
        go.set()
        for thread in threads:
            thread.join(5)


def test_no_more_than_its_places_are_inside() -> None:
    gate, inside, most = Gate(2, patience=60), [0], [0]
    lock = threading.Lock()

    def work() -> None:
        with gate.turn():
            with lock:
                inside[0] += 1
                most[0] = max(most[0], inside[0])
            time.sleep(0.02)
            with lock:
                inside[0] -= 1

    threads = [threading.Thread(target=work) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert (most, inside) == ([2], [0])


def test_first_come_first_served() -> None:
    gate, order = Gate(1, patience=60), []

    def work(number: int) -> None:
        with gate.turn():
            order.append(number)

    with holding(gate, 1):
        threads = [threading.Thread(target=work, args=(number,)) for number in range(5)]
        for thread in threads:
            thread.start()
            time.sleep(0.02)
    for thread in threads:
        thread.join(5)
    assert order == list(range(5))


def test_who_is_no_longer_wanted_gives_the_place_up() -> None:
    gate = Gate(1, patience=60)

    def unwanted() -> None:
        raise InterruptedError

    with holding(gate, 1), pytest.raises(InterruptedError), gate.turn(unwanted):
        pytest.fail("nobody let it in")
    with gate.turn():  # the line is empty, the place is free
        pass


def test_what_fails_inside_gives_the_place_back() -> None:
    gate = Gate(1, patience=60)
    for _ in range(3):
        with pytest.raises(KeyError), gate.turn():
            raise KeyError
    with gate.turn(), gate.turn():  # who is inside is inside
        pass


def test_a_long_run_does_not_stop_the_line() -> None:
    gate = Gate(1, patience=0.2)
    with holding(gate, 1):
        start = time.monotonic()
        with gate.turn():
            assert 0.1 < time.monotonic() - start < 5
    with holding(gate, 1):  # and its end makes no second place
        assert len(gate._inside) == 1


def test_it_is_quiet_when_nobody_is_inside() -> None:
    gate = Gate(1, patience=60)
    with holding(gate, 1):
        start = time.monotonic()
        gate.wait_until_quiet(0.2)
        assert time.monotonic() - start >= 0.2
    start = time.monotonic()
    gate.wait_until_quiet(5, quiet=0.1)
    assert 0.05 < time.monotonic() - start < 4


def test_a_page_waits_for_its_turn() -> None:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    drawn = threading.Event()

    def draw() -> None:
        app.run()
        drawn.set()

    with holding(RERUNS, RERUNS._places):
        waiting = threading.Thread(target=draw)
        waiting.start()
        assert not drawn.wait(0.5)
    assert drawn.wait(60)
    assert not app.exception
    assert not RERUNS._inside and not RERUNS._line


class Context:
    """A run's, as far as messages go: what the browser said it has, and what is sent."""

    def __init__(self) -> None:
        self.cached_message_hashes: frozenset[str] = frozenset()
        self.sent: list[str] = []

    def enqueue(self, message: ForwardMsg) -> None:
        self.sent.append(message.hash)


def test_only_messages_of_the_last_runs_are_referred_to(monkeypatch: pytest.MonkeyPatch) -> None:
    context, memory = Context(), Memory()
    monkeypatch.setattr(store, "get_script_run_ctx", lambda **_: context)
    monkeypatch.setattr(store, "memory", lambda: memory)

    def run(*hashes: str) -> frozenset[str]:
        context.cached_message_hashes = frozenset({"style", "menu", "never sent"})
        with store.referring_to_recent_messages(), store.referring_to_recent_messages():
            for each in hashes:
                context.enqueue(ForwardMsg(hash=each))
            return context.cached_message_hashes

    assert run("style", "menu") == set()
    for _ in range(RECENT):
        assert run("style") == {"style", "menu"}
    assert run("style") == {"style"}
    assert context.sent.count("style") == RECENT + 2
    assert "enqueue" not in vars(context)
    # Between a request and its answer the runs before it end: the browser has kept it by then.
    assert config.get_option("global.maxCachedMessageAge") > 2 * RECENT
