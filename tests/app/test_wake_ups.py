"""Wake-ups of the server's loop and what it writes: gathered, and nothing is lost."""

import asyncio
import asyncio.selector_events
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from streamlit.web.server.starlette.starlette_server import _get_websocket_protocol
from websockets.asyncio.client import connect

from glassformer.app.server import messages, network, rerun_requests
from tests.app.conftest import put_back
from tests.visitor import run

MANY = 200
OTHERS = ("streamlit", "uvicorn")


def asked_from(name: str, loop: asyncio.AbstractEventLoop, heard: list[int]) -> threading.Thread:
    """A thread of that name that asks the loop for something, again and again."""

    def ask() -> None:
        for number in range(MANY):
            loop.call_soon_threadsafe(heard.append, number)
            time.sleep(0.0002)

    return threading.Thread(target=ask, name=name)


async def woken(name: str) -> tuple[list[int], int]:
    """What the loop heard of a thread, "" for itself, and how often it was woken for it."""
    loop: Any = asyncio.get_running_loop()
    usual, times, heard = loop._write_to_self, [0], list[int]()

    def counted() -> None:
        times[0] += 1
        usual()

    loop._write_to_self = counted
    network.gather_wake_ups()
    thread = asked_from(name, loop, heard)
    thread.start() if name else thread.run()
    while len(heard) < MANY:
        await asyncio.sleep(0.05)
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


async def sent(monkeypatch: pytest.MonkeyPatch) -> tuple[list[bytes], int]:
    """What a browser hears of a server that sends and closes, and how often that wrote."""
    writes = list[bytes]()
    write = asyncio.selector_events._SelectorSocketTransport.write  # type: ignore[attr-defined]

    def counted(transport: asyncio.Transport, data: bytes) -> None:
        if transport.get_extra_info("sockname")[1] == port:
            writes.append(data)
        write(transport, data)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        for number in range(MANY):
            await send({"type": "websocket.send", "bytes": bytes([number])})
        await send({"type": "websocket.close"})

    config = uvicorn.Config(app, port=0, ws=_get_websocket_protocol(), log_level="error")
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    target = asyncio.selector_events._SelectorSocketTransport  # type: ignore[attr-defined]
    monkeypatch.setattr(target, "write", counted)
    async with connect(f"ws://127.0.0.1:{port}", compression=None) as browser:
        heard = [bytes(each) async for each in browser]
    server.should_exit = True
    await serving
    return heard, len(writes)


def test_what_a_rerun_sends_is_written_together(monkeypatch: pytest.MonkeyPatch) -> None:
    everything = [bytes([number]) for number in range(MANY)]
    heard, usual = run(sent(monkeypatch))
    assert heard == everything and usual >= MANY
    network.gather_writes()
    heard, times = run(sent(monkeypatch))
    assert heard == everything and times < MANY / 5


def test_nothing_is_written_to_a_browser_that_has_left() -> None:
    class Leaving:
        def __init__(self) -> None:
            self.written, self.is_closing = list[bytes](), lambda: False
            self.write = self.written.append

    async def write() -> list[bytes]:
        transport: Any = Leaving()
        writes = network.GatheredWrites(transport)
        writes.write(b"in time")
        await asyncio.sleep(0.01)
        writes.write(b"too late")
        transport.is_closing = lambda: True
        await asyncio.sleep(0.01)
        return transport.written

    assert run(write()) == [b"in time"]


def test_the_loop_is_not_woken_by_itself() -> None:
    assert run(woken("")) == (list(range(MANY)), 0)


def functions_of_others() -> dict[tuple[int, str], Any]:
    """All that Streamlit and uvicorn can do: by its module or class and its name."""
    loaded = [module for name, module in sys.modules.items() if name.startswith(OTHERS)]
    kinds = [each for module in loaded for each in vars(module).values() if isinstance(each, type)]
    return {
        (id(owner), name): each
        for owner in (*loaded, *kinds)
        for name, each in vars(owner).items()
        if callable(each)
    }


def test_the_next_test_has_what_others_do_as_it_was() -> None:
    before = functions_of_others()
    with put_back():
        network.gather_writes()
        messages.lighten_messages()
        rerun_requests.hear_whole_requests()
        assert functions_of_others() != before
    assert functions_of_others() == before
