"""What Prometheus is told: parsed by its own library, at an address of its own."""

import re
import socket
import sys
import threading
import urllib.request
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from glassformer import __version__
from glassformer.app.runs.cache import BoundedCache, Budget, cache_usage
from glassformer.app.runs.engine.requests import Ask, Request, RunKey
from glassformer.app.runs.engine.runner import current_runner
from glassformer.app.runs.histogram import BOUNDS, Histogram
from glassformer.app.runs.turns import Gate
from glassformer.app.server import metrics
from glassformer.core.errors import GlassformerError
from tests import visitor
from tests.browser import driver

TYPED = "Nobody shall read this sentence"
Samples = dict[tuple[str, tuple[str, ...]], float]


def scraped(port: int, path: str = "/metrics") -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=20) as answer:
        return str(answer.read().decode())


def samples(text: str) -> Samples:
    """Values by name, and the labels' values."""
    return {
        (each.name, tuple(each.labels.values())): each.value
        for family in text_string_to_metric_families(text)
        for each in family.samples
    }


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[driver.Server, int]]:
    port = driver._free_port()
    with driver.server(GLASSFORMER_METRICS=str(port)) as running:
        yield running, port


@pytest.mark.slow
def test_a_visit_is_counted_and_nothing_that_was_typed(server: tuple[driver.Server, int]) -> None:
    running, port = server

    async def visit() -> tuple[Samples, str]:
        async with visitor.visiting(running.url) as guest:
            await guest.open()
            before = samples(scraped(port))
            await guest.type("widget_sentence", TYPED)
            await guest.type("widget_sentence", f"{TYPED}, too")
            text = scraped(port)
        found = samples(text)
        grown = {key: value - before.get(key, 0) for key, value in found.items()}
        assert grown["glassformer_rerun_seconds_count", ()] >= 2
        assert grown["glassformer_rerun_cpu_seconds_sum", ()] > 0
        assert grown["glassformer_cache_misses_total", ("traces",)] >= 2
        return found, text

    found, text = visitor.run(visit())
    assert found["glassformer_visitors", ()] == 1
    assert found["glassformer_trainings", ("waiting",)] == 0
    assert found["glassformer_hall_followers", ()] == found["glassformer_hall_votes_total", ()] == 0
    assert found["glassformer_cache_bytes", ("traces",)] > 0
    (about,) = (key for key in found if key[0] == "glassformer_build_info")
    assert about[1][0].startswith(f"{__version__}-")
    page = (driver.ROOT / "docs/operate.md").read_text("utf-8")
    for name in {key[0] for key in found if key[0].startswith("glassformer_")}:
        family = re.sub(r"_(bucket|count|sum)$", "", name)
        group = re.match("glassformer_(cache|hall)", family)
        told = [f"`{family}`", f"`{family.removeprefix(group[0])}`" if group else ""]
        assert any(each and each in page for each in told), name
    assert found["process_resident_memory_bytes", ()] > 50e6
    assert "Nobody" not in text and running.url.rpartition(":")[2] not in text


@pytest.mark.slow
def test_its_address_is_its_own(server: tuple[driver.Server, int]) -> None:
    running, port = server
    app = int(running.url.rpartition(":")[2])
    for path in ("/metrics", "/_stcore/metrics"):
        assert "glassformer_" not in scraped(app, path)
    beyond = {
        str(each[4][0]) for each in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)
    }
    for host in {"127.0.0.2", *beyond} - {"127.0.0.1"}:
        with pytest.raises(OSError, match="refused"):
            socket.create_connection((host, port), 2)


@pytest.mark.slow
def test_a_port_that_is_taken_ends_the_start_in_a_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        where = f"127.0.0.1:{taken.getsockname()[1]}"
        said = f"Glassformer: GLASSFORMER_METRICS={where}"
        with (
            pytest.raises(RuntimeError, match=said) as told,
            driver.server(GLASSFORMER_METRICS=where),
        ):
            pass
    assert "Traceback" not in str(told.value)


def test_without_its_library_it_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSFORMER_METRICS", "9464")
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    with pytest.raises(GlassformerError) as raised:
        metrics.serve_metrics(dict)
    assert raised.value.key == "metrics_library"


def test_a_turn_is_counted_once_with_its_wait() -> None:
    gate = Gate(1, patience=10)
    with gate.turn(), gate.turn():  # a fragment inside its page
        pass

    def gone() -> None:
        raise TimeoutError

    with gate.turn():
        raised: list[bool] = []

        def other() -> None:
            try:
                with gate.turn(gone):
                    pass
            except TimeoutError:
                raised.append(True)

        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert raised == [True] and gate.waiting == 0
    assert gate.wall.cumulative()[-1] == ("+Inf", 2) == gate.processor.cumulative()[-1]


def test_buckets_hold_what_is_at_most_their_bound() -> None:
    held = Histogram()
    for seconds in (BOUNDS[0], BOUNDS[0] * 1.01, 1e9):
        held.add(seconds)
    counts = dict(held.cumulative())
    assert (counts["0.01"], counts["0.02"], counts["30.0"], counts["+Inf"]) == (1, 2, 2, 3)
    assert held.seconds == pytest.approx(1e9 + 2.01 * BOUNDS[0])


def test_what_a_cache_had_and_had_not() -> None:
    cache: BoundedCache[bytes] = BoundedCache(Budget(1000), len, "tried")
    for key in "aab":
        cache.get(key, lambda: b"four")
    found = cache_usage()["tried"]
    assert (found.hits, found.misses, found.nbytes) == (1, 2, 8)


def test_an_engine_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not list(metrics._engine())
    monkeypatch.setenv("GLASSFORMER_ENGINE", "http://127.0.0.1:1")
    (before,) = metrics._engine()
    request = Request(Ask.MEANS, RunKey("translator"))
    assert current_runner().ask(request, lambda: "here") == "here"
    (after,) = metrics._engine()
    assert [before.samples[0].value, after.samples[0].value] == [1, 0]


def test_the_memory_of_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    cuda = SimpleNamespace(
        is_initialized=lambda: True, device_count=lambda: 2,
        memory_reserved=lambda at: 30 * at, memory_allocated=lambda _: 20,
        mem_get_info=lambda _: (50, 100),
    )  # fmt: skip
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda))
    (family,) = metrics._devices()
    told: dict[Any, float] = {tuple(e.labels.values()): e.value for e in family.samples}
    assert told == {
        ("cuda:1", "tensors"): 20, ("cuda:1", "kept"): 30, ("cuda:1", "free"): 50,
        ("cuda:1", "all"): 100,
    }  # fmt: skip
