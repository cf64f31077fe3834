"""The cache of traces: bounded, made once, never stuck."""

import threading
import time

import pytest

from glassformer.app.runs import models, traces, trainings
from glassformer.app.runs.cache import SERVER, BoundedCache, Budget
from glassformer.app.session import limits


def make_cache(limit: int = 10) -> BoundedCache[str]:
    return BoundedCache(Budget(limit), len)


def test_keeps_what_was_used_last() -> None:
    cache = make_cache()
    cache.get("a", lambda: "aaaa")
    cache.get("b", lambda: "bbbb")
    cache.get("a", lambda: pytest.fail("made twice"))
    cache.get("c", lambda: "cccc")
    assert (cache.nbytes, len(cache)) == (8, 2)
    cache.get("a", lambda: pytest.fail("dropped too early"))
    assert cache.get("b", lambda: "made again") == "made again"


def test_one_value_over_the_limit_is_still_given_and_kept() -> None:
    cache = make_cache()
    assert cache.get("a", lambda: "x" * 100) == "x" * 100
    cache.get("a", lambda: pytest.fail("made twice"))


def test_a_failure_is_raised_and_tried_again() -> None:
    cache = make_cache()
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            cache.get("a", lambda: str(1 / 0))
    assert cache.get("a", lambda: "fine") == "fine"


def test_threads_that_ask_at_once_make_it_once() -> None:
    cache = make_cache()
    made: list[int] = []
    found: list[str] = []

    def make() -> str:
        made.append(1)
        time.sleep(0.05)
        return "value"

    threads = [
        threading.Thread(target=lambda: found.append(cache.get("a", make))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (made, found) == ([1], ["value"] * 8)


def test_a_value_is_measured_once() -> None:
    measured: list[str] = []

    def size_of(value: str) -> int:
        measured.append(value)
        return len(value)

    cache = BoundedCache(Budget(10), size_of)
    for key in ("a", "b", "c", "a"):
        cache.get(key, lambda key=key: key * 4)
        assert cache.nbytes <= 10
    assert measured == ["aaaa", "bbbb", "cccc", "aaaa"]  # the last one had gone


def test_caches_share_a_budget() -> None:
    budget = Budget(10)
    first, second = (BoundedCache(budget, len) for _ in range(2))
    first.get("a", lambda: "aaaa")
    second.get("b", lambda: "bbbb")
    first.get("a", lambda: pytest.fail("made twice"))
    second.get("c", lambda: "cccc")  # the one used longest ago, b, goes
    assert (budget.nbytes, first.nbytes, second.nbytes) == (8, 4, 4)
    second.get("d", lambda: "dddd")  # now a is, in the other cache
    assert (first.nbytes, second.nbytes, len(first)) == (0, 8, 0)
    del second
    assert budget.nbytes == 0  # what nobody holds any more does not count


def test_a_failing_measure_stops_nobody() -> None:
    cache = BoundedCache(Budget(10), lambda value: 1 // len(value))
    with pytest.raises(ZeroDivisionError):
        cache.get("a", str)
    assert cache.get("a", lambda: "fine") == "fine"


def test_sums_hold_under_many_threads() -> None:
    budget = Budget(200)
    caches = [BoundedCache(budget, len) for _ in range(3)]

    def work(seed: int) -> None:
        for step in range(300):
            key = (seed * step * 7919) % 61
            found = caches[key % 3].get(key, lambda key=key: "x" * key)
            assert len(found) == key

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    kept = [kept for cache in caches for kept in cache._values.values()]
    assert budget.nbytes == sum(len(each.value) for each in kept) <= 200
    assert len(kept) > 3


def test_every_cache_of_the_server_shares_its_budget() -> None:
    found = [models._snapshots, trainings._glimpses, traces._traces, traces._replays]
    found += [traces._batches, traces._ablated_heads, traces._variants, traces._means]
    assert {cache._budget for cache in found} == {SERVER}
    assert SERVER.max_bytes == limits.CACHE_BYTES
