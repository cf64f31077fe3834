"""Where a recording's memory comes from.

The C library gives freed memory back to the system at sizes of its own choosing. What the system
hands out again arrives as zeroed pages, one interruption each 4 KiB, and that is most of what a
long recording costs. A process may keep its freed memory instead.
"""

from __future__ import annotations

import ctypes
import sys

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8  # malloc.h
LARGEST_BLOCK = 32 * 2**20  # bytes; larger blocks go back at once (the most that glibc takes)
KEPT = 512 * 2**20  # bytes; so much of the heap's top may stay with the process when free
HEAPS = 2  # for all threads: Python computes in one at a time


def keep_freed_memory() -> bool:
    """From now on freed memory stays with this process; False where the C library cannot."""
    return _tune(M_MMAP_THRESHOLD, LARGEST_BLOCK) and _tune(M_TRIM_THRESHOLD, KEPT)


def share_heaps() -> bool:
    """All threads take from two heaps; False where the C library cannot.

    Otherwise it gives new threads heaps of their own, and each keeps what was freed in it. Call it
    before there are threads.
    """
    return _tune(M_ARENA_MAX, HEAPS)


def _tune(option: int, value: int) -> bool:
    if not sys.platform.startswith("linux"):
        return False
    try:
        return bool(ctypes.CDLL(None).mallopt(option, value))
    except (OSError, AttributeError):  # another C library
        return False
