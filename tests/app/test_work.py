"""Long work: in turn, told, stopped by its reader, and ended when nobody wants it any more."""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from glassformer.app.runs import traces, turns
from glassformer.app.runs.cache import BoundedCache, Budget
from glassformer.app.runs.turns import Queue
from glassformer.app.session import limits
from glassformer.core import interruption
from glassformer.core.interruption import StoppedError, count_parts, heard_by
from tests.opened_app import memory, opened

NOISE = "noise:*/output"  # under edits every word is a whole pass: the dearest link there is
LONG = " ".join(["dog"] * 30)


@pytest.fixture
def nothing_known() -> None:
    """No run is in the caches: all is computed."""
    for cache in (traces._traces, traces._replays, traces._ablated_heads, traces._batches):
        cache.clear()


@pytest.fixture
def no_free_work(monkeypatch: pytest.MonkeyPatch, nothing_known: None) -> None:
    """Every step looks at the session: what takes a second on a page takes none here."""
    monkeypatch.setattr(limits, "FREE_WORK", 0.0)
    monkeypatch.setattr(limits, "WORK_SLICE", 0.0)


class Ear:
    """A listener that writes down what it hears."""

    def __init__(self, end_after: int = 10**9) -> None:
        self.steps, self.idles, self.end_after = 0, 0, end_after
        self.told: list[tuple[int, int]] = []

    def step(self) -> None:
        self.steps += 1
        if self.steps > self.end_after:
            raise StoppedError

    def progress(self, done: int, total: int) -> None:
        self.told.append((done, total))
        self.step()

    def idle(self) -> None:
        self.idles += 1


def test_the_first_ones_in_the_line_work() -> None:
    line = Queue(2)
    for name in "abcd":
        line.join(name)
    assert [line.ahead(name) for name in "abcd"] == [0, 0, 1, 2]
    line.join("a")  # it has worked: the others come first
    assert [line.ahead(name) for name in "bcda"] == [0, 0, 1, 2]
    line.leave("c")
    line.leave("nobody")
    assert [line.ahead(name) for name in "bda"] == [0, 0, 1] and len(line) == 3


def test_long_work_is_shared_fairly_and_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four threads that each work for some slices: none is done before all have begun."""
    line, order, inside, most = Queue(1), list[str](), [0], [0]
    ready = threading.Barrier(4)

    def job(name: str) -> None:
        ready.wait()
        for _ in range(5):
            line.join(name)
            while line.ahead(name):
                line.wait(0.05)
            inside[0] += 1
            most[0] = max(most[0], inside[0])
            order.append(name)
            time.sleep(0.005)
            inside[0] -= 1
        line.leave(name)

    threads = [threading.Thread(target=job, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert most == [1] and sorted(order) == sorted("abcd" * 5)
    last_begun = max(order.index(name) for name in "abcd")
    first_done = min(len(order) - order[::-1].index(name) for name in "abcd")
    assert last_begun < first_done


def test_nobody_listens_and_nothing_happens() -> None:
    interruption.step()
    interruption.idle()
    assert list(count_parts("abc", 3)) == list("abc")


def test_a_counted_loop_tells_how_far_it_is() -> None:
    ear = Ear()
    with heard_by(ear):
        assert list(count_parts("abc", 3)) == list("abc")
    assert ear.told == [(0, 3), (1, 3), (2, 3), (0, 0)]
    interruption.step()
    assert ear.steps == 4


@pytest.mark.parametrize(
    "link",
    [
        ("translate", {"text": LONG}),
        ("translate", {"text": "I have a cat", "edits": NOISE}),
        ("decoding", {"decoding": "beam", "beams": "16"}),
        ("decoding", {"decoding": "strategies"}),
        ("decoding", {"decoding": "forcing"}),
        ("training", {}),
        ("switch", {"switches": "heads", "heads_by": "harm"}),
        ("switch", {"switches": "patching", "text": "I have a cat", "second": "I have a dog"}),
        ("switch", {"switches": "batch"}),
    ],
    ids=lambda link: f"{link[0]} {link[1]}"[:40],
)
def test_what_takes_long_can_be_ended_at_each_of_many_steps(
    monkeypatch: pytest.MonkeyPatch, nothing_known: None, link: tuple[str, dict[str, str]]
) -> None:
    """Less than a second of the computing thread's processor time passes between two steps."""
    gaps, last = [0.0], [0.0]

    class Watched(turns.Work):
        def __init__(self, place: Any) -> None:
            super().__init__(place)
            last[0] = time.thread_time()

        def step(self) -> None:
            gaps.append(time.thread_time() - last[0])
            super().step()
            last[0] = time.thread_time()

    opened()
    monkeypatch.setattr(turns, "Work", Watched)
    opened(link[0], **link[1])
    assert len(gaps) > 5
    assert max(gaps) < 1.0


def report(app: AppTest) -> str:
    return " ".join(each.value for each in app.markdown if ":material/front_hand:" in each.value)


def test_a_reader_stops_it_and_goes_on(no_free_work: None) -> None:
    app = opened("training", text=LONG)
    query = dict(app.session_state["written"])
    memory(app).stopped = ("training", query)
    traces._replays.clear()
    app.run()
    assert not app.exception
    assert "Stopped" in report(app)
    assert app.session_state["state"].text == LONG  # nothing of the session is lost
    app.button(key="work_go_on").click().run()
    assert not app.exception and report(app) == ""
    assert app.get("plotly_chart")


def test_a_stop_is_for_what_was_asked_and_not_for_looks(no_free_work: None) -> None:
    app = opened("translate", text="I have a cat", edits=NOISE)
    state = app.session_state["state"]
    memory(app).stopped = ("", state.to_query())
    traces._traces.clear()
    app.run()
    assert "Stopped" in report(app) and not app.exception
    app.query_params["size"] = "125"
    app.run()
    assert "Stopped" in report(app)
    app.query_params["text"] = "I have a dog"
    app.run()
    assert report(app) == "" and not app.exception


def test_who_waits_makes_it_where_the_maker_was_stopped() -> None:
    cache = BoundedCache[str](Budget(10), len)
    begun, go = threading.Event(), threading.Event()

    def first() -> str:
        begun.set()
        go.wait(5)
        raise StoppedError

    failed: list[BaseException] = []

    def maker() -> None:
        try:
            cache.get("key", first)
        except StoppedError as error:
            failed.append(error)

    ear, found = Ear(), list[str]()

    def waiter() -> None:
        with heard_by(ear):
            found.append(cache.get("key", lambda: "mine"))

    threads = [threading.Thread(target=maker), threading.Thread(target=waiter)]
    threads[0].start()
    assert begun.wait(5)
    threads[1].start()
    until(lambda: ear.idles > 0)
    go.set()
    for thread in threads:
        thread.join(5)
    assert len(failed) == 1 and found == ["mine"]


def test_who_waits_for_a_failure_fails_too() -> None:
    cache = BoundedCache[str](Budget(10), len)
    begun, go = threading.Event(), threading.Event()

    def fails() -> str:
        begun.set()
        go.wait(5)
        return str(1 / 0)

    failed: list[str] = []

    def asks() -> None:
        try:
            cache.get("key", fails)
        except ZeroDivisionError:
            failed.append("")

    threads = [threading.Thread(target=asks) for _ in range(2)]
    for thread in threads:
        thread.start()
    assert begun.wait(5)
    go.set()
    for thread in threads:
        thread.join(5)
    assert failed == ["", ""]


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 5
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)
