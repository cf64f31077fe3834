"""One of several servers behind a balancer: whether it is ready, and how it goes without a loss."""

import asyncio
import secrets
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from glassformer import __version__
from glassformer.app.server.network import base_path

BOOT = f"{__version__}-{secrets.token_hex(4)}"  # this process: its pages bring it along
LONGEST = 10.0  # seconds from the signal to the end
TOLD = 3.0  # of them at most, until the balancer has asked and knows
NOTICED = 0.5  # seconds after that, in which it sends the last ones
ASKED_LATELY = 30.0  # seconds: a server that has not been asked so long stands alone
STORE = 2.0  # seconds that the store may take to answer
LOOK = 0.05  # seconds between two looks
FRESH = {"Cache-Control": "no-store"}


class Front:
    """This server as a balancer sees it.

    check: raises where what all fronts share cannot be reached.
    """

    def __init__(self, check: Callable[[], object]) -> None:
        self.loaded = threading.Event()  # set once the model is there
        self._check = check
        self._checks: asyncio.Task[object] | None = None
        self._drains = False
        self._asked = self._refused = -ASKED_LATELY  # when, on the monotonic clock

    def ready_route(self) -> Route:
        """The route of `/ready`, for `st.App(routes=…)`."""
        return Route(f"{base_path()}/ready", self._answer)

    async def _answer(self, _request: Request) -> JSONResponse:
        self._asked = time.monotonic()
        why = await self._lack()
        if self._drains:
            self._refused = time.monotonic()
        told = {"boot": BOOT, **({"lacks": why} if why else {})}
        return JSONResponse(told, 503 if why else 200, headers=FRESH)

    async def _lack(self) -> str:
        """What keeps it from serving; "" for nothing."""
        if self._drains:
            return "time: it ends"
        if not self.loaded.is_set():
            return "the model: it is being loaded"
        if self._checks is None or self._checks.done():
            self._checks = asyncio.create_task(run_in_threadpool(self._check))
        done, _ = await asyncio.wait({self._checks}, timeout=STORE)
        return "" if done and self._checks.exception() is None else "the store: it is away"

    @contextmanager
    def draining(self, end_streams: Callable[[], object]) -> Iterator[None]:
        """Within it SIGTERM lets those go who are here, where a balancer has asked for this server.

        It hears first that the server is not ready; then the streams of followers end, so that they
        follow at another one, reruns come to their end, and what the signal does elsewhere is done.
        A second signal does it at once.

        end_streams: may be called on the loop.
        """
        before = signal.getsignal(signal.SIGTERM)
        if threading.current_thread() is not threading.main_thread() or not callable(before):
            yield
            return
        loop, usual = asyncio.get_running_loop(), before
        work: list[asyncio.Task[None]] = []

        async def drain(*signalled: Any) -> None:
            try:
                await self._drain(end_streams)
            finally:
                usual(*signalled)

        def ended(*signalled: Any) -> None:
            alone = time.monotonic() - self._asked >= ASKED_LATELY
            if alone or self._drains:
                usual(*signalled)
                return
            self._drains = True
            loop.call_soon_threadsafe(lambda: work.append(loop.create_task(drain(*signalled))))

        signal.signal(signal.SIGTERM, ended)
        try:
            yield
        finally:
            signal.signal(signal.SIGTERM, before)

    async def _drain(self, end_streams: Callable[[], object]) -> None:
        began = time.monotonic()
        while self._refused < began and time.monotonic() < began + TOLD:
            await asyncio.sleep(LOOK)
        await asyncio.sleep(NOTICED)
        end_streams()
        from glassformer.app.runs.turns import RERUNS  # late: torch comes with it

        await run_in_threadpool(RERUNS.wait_until_quiet, began + LONGEST - time.monotonic())
