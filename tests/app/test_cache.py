"""The cache of traces: bounded, made once, never stuck."""

import threading
import time

import pytest

from app.cache import BoundedCache


def make_cache(limit: int = 10) -> BoundedCache[str]:
    return BoundedCache(limit, len)


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
