"""The server's process: its threads and memory, what it loads before the first visitor, its end."""

from __future__ import annotations

import gc
import threading
from contextlib import suppress

import torch

from app import trainings
from app.state import FIRST_SENTENCE
from app.traces import get_trace
from core.errors import GlassformerError
from core.memory import keep_freed_memory
from core.settings import read_settings

_frozen = threading.Lock()


def prepare() -> None:
    """Once in a process, after the imports: threads, memory, garbage collection of what is loaded.

    Streamlit runs a full collection after every script run. Without the freeze each walks through
    all of torch's objects, about 190 ms, while every other session waits.
    """
    if not _frozen.acquire(blocking=False):
        return
    torch.set_num_threads(read_settings().threads)
    keep_freed_memory()
    gc.collect()
    gc.freeze()


def warm_up() -> None:
    """Load the bundled translator and translate once, so that the first visitor does not wait."""
    with suppress(GlassformerError):  # the first page shows it, in the visitor's language
        get_trace(FIRST_SENTENCE)
    prepare()


def close() -> None:
    """Before the server ends: no training goes on without it, and no folder stays."""
    trainings.desk().close()
