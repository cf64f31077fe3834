"""Who waits for the store: threads of its own, so that the event loop never does."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from glassformer.core.errors import GlassformerError

Result = TypeVar("Result")


class Line:
    """What waits for the store in some threads.

    The threads of everybody else are not used up while another process holds the store.
    """

    def __init__(self, threads: int, most: int) -> None:
        self._threads = ThreadPoolExecutor(threads, "rooms")
        self._waiting, self._most = 0, most

    async def run(self, act: Callable[..., Result], *values: Any) -> Result:
        """What a function gives, called in one of the threads. Errors: hall_busy, its own."""
        if self._waiting >= self._most:
            raise GlassformerError("hall_busy")
        self._waiting += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._threads, partial(act, *values))
        finally:
            self._waiting -= 1


READING, WRITING = Line(2, 4000), Line(2, 1000)
