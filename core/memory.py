"""Where a recording's memory comes from.

The C library gives freed memory back to the system at sizes of its own choosing. What the system
hands out again arrives as zeroed pages, one interruption each 4 KiB, and that is most of what a
long recording costs. A process may keep its freed memory instead.
"""

from __future__ import annotations

import ctypes
import sys

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # malloc.h
LARGEST_BLOCK = 32 * 2**20  # bytes; larger blocks go back at once (the most that glibc takes)
KEPT = 512 * 2**20  # bytes; so much of the heap's top may stay with the process when free


def keep_freed_memory() -> bool:
    """From now on freed memory stays with this process; False where the C library cannot."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        tune = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):  # another C library
        return False
    return bool(tune(M_MMAP_THRESHOLD, LARGEST_BLOCK)) and bool(tune(M_TRIM_THRESHOLD, KEPT))
