"""The server's process: its threads and memory, what it loads before the first visitor, its end."""

import gc
import threading
import time
from contextlib import suppress

import torch
from streamlit import runtime

from glassformer.app.runs import trainings
from glassformer.app.runs.traces import get_trace
from glassformer.app.runs.turns import RERUNS
from glassformer.app.session.state import FIRST_SENTENCE
from glassformer.app.stores.blobs import close_blobs
from glassformer.app.stores.kept_blobs import open_kept_blobs
from glassformer.core.corpus import load_grammar
from glassformer.core.errors import GlassformerError
from glassformer.core.settings import keep_freed_memory, read_settings

COLLECT_EVERY = 10.0  # seconds between two full collections, at least
SETTLED = 8.0  # seconds without a rerun: the first visitors have a page
LONGEST = 60.0  # seconds to wait for that

_prepared = threading.Lock()
NEVER = 1_000_000  # collections of the middle generation until Python would collect the oldest


def prepare_process() -> None:
    """Once in a process, after the imports: threads, memory, garbage collection.

    Streamlit's full collection after every rerun is switched off (`.streamlit/config.toml`), and
    so is Python's own: each walks through all that the sessions keep, while everybody waits.
    `_collect` does it on a clock instead. What is loaded now is never looked at again.
    """
    if not _prepared.acquire(blocking=False):
        return
    torch.set_num_threads(read_settings().threads)
    keep_freed_memory()
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, NEVER)
    gc.freeze()
    gc.enable()  # serve.py begins without
    if runtime.exists():
        threading.Thread(target=_collect, name="collector", daemon=True).start()


def freeze_objects() -> None:
    """Take all that is alive out of every later collection: modules, models, the grammar."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def _collect() -> None:
    """A full collection now and then, in a moment without reruns if there is one.

    Young garbage goes as ever; this is for what closed sessions leave behind. It takes a
    hundredth of the time at most.
    """
    pause = COLLECT_EVERY
    while True:
        time.sleep(pause)
        RERUNS.wait_until_quiet(COLLECT_EVERY)
        start = time.perf_counter()
        gc.collect()
        pause = max(COLLECT_EVERY, 100 * (time.perf_counter() - start))


def warm_up() -> None:
    """Load the bundled translator and translate once, so that the first visitor does not wait."""
    torch.set_num_threads(read_settings().threads)  # idle ones would spin
    with suppress(GlassformerError):  # the first page shows it, in the visitor's language
        get_trace(FIRST_SENTENCE)


def wait_until_quiet() -> None:
    """Wait until no page has been drawn for a while, but not for ever."""
    time.sleep(SETTLED)
    RERUNS.wait_until_quiet(LONGEST, SETTLED)


def load_the_rest() -> None:
    """What only some visitors need: the grammar, for those who will train. What is old goes."""
    with suppress(GlassformerError):  # the page that needs it shows it
        load_grammar()
    with suppress(GlassformerError):
        open_kept_blobs().sweep()
    freeze_objects()


def close_server() -> None:
    """Before the server ends: no training goes on without it, and no folder stays."""
    trainings.training_desk().close()
    close_blobs()
