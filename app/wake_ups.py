"""The server's event loop: woken by reruns a few hundred times a second at most.

Streamlit wakes it twice for each of the eighty messages of a rerun, and each time two threads
fight for the interpreter: with two cores a fifth of the processor time.
"""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

GATHER = 0.004  # seconds that a message of a rerun waits for others
RERUN = "ScriptRunner."  # how the names of Streamlit's threads for reruns begin
IDLE = 1.0  # seconds between two looks whether the loop has ended


def gather() -> None:
    """Gather the wake-ups of the loop that runs in this thread, until it is closed.

    Only those that reruns ask for: whoever reads a file for a browser gets the loop at once. A
    loop of another making than Python's own, which has its own way to be woken, is left alone.
    """
    loop: Any = asyncio.get_running_loop()
    if not hasattr(loop, "_write_to_self"):
        return
    at_once, asked = loop._write_to_self, threading.Event()

    def wake() -> None:
        if threading.current_thread().name.startswith(RERUN):
            asked.set()
        else:
            at_once()

    def watch() -> None:
        while not loop.is_closed():
            if asked.wait(IDLE):
                time.sleep(GATHER)
                asked.clear()
                at_once()

    loop._write_to_self = wake
    threading.Thread(target=watch, name="wake-ups", daemon=True).start()
