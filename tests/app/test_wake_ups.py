"""Wake-ups of the server's loop: those of reruns are gathered, none is lost."""

import asyncio
import threading
import time
from pathlib import Path
from typing import Any

from glassformer.app.server import network
from tests.visitor import run

MANY = 200


def asked_from(name: str, loop: asyncio.AbstractEventLoop, heard: list[int]) -> threading.Thread:
    """A thread of that name that asks the loop for something, again and again."""

    def ask() -> None:
        for number in range(MANY):
            loop.call_soon_threadsafe(heard.append, number)
            time.sleep(0.0002)

    return threading.Thread(target=ask, name=name)


async def woken(name: str) -> tuple[list[int], int]:
    """What the loop heard, and how often it was woken for it."""
    loop: Any = asyncio.get_running_loop()
    usual, times, heard = loop._write_to_self, [0], list[int]()

    def counted() -> None:
        times[0] += 1
        usual()

    loop._write_to_self = counted
    network.gather_wake_ups()
    thread = asked_from(name, loop, heard)
    thread.start()
    while len(heard) < MANY:
        await asyncio.sleep(0.05)
    thread.join()
    return heard, times[0]


def test_a_rerun_wakes_the_loop_seldom_and_is_heard_in_order() -> None:
    heard, times = run(woken(f"{network.RERUN}scriptThread"))
    assert heard == list(range(MANY))
    assert 0 < times < MANY / 2


def test_others_wake_it_each_time() -> None:
    heard, times = run(woken("reader"))
    assert heard == list(range(MANY))
    assert times >= MANY


def test_streamlit_still_names_its_threads_so() -> None:
    from streamlit.runtime.scriptrunner import script_runner

    source = Path(script_runner.__file__).read_text(encoding="utf-8")
    assert f'name="{network.RERUN}scriptThread"' in source
