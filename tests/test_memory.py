"""Keeping freed memory: fewer fresh pages for a recording, nothing else."""

import platform
import subprocess
import sys
from pathlib import Path

import pytest

MEMORY = Path(__file__).parents[1] / "core" / "memory.py"
# Run from the file itself: importing core would bring torch, and its own use of memory.
COUNT_FAULTS = """
import resource, runpy, sys
keep_freed_memory = runpy.run_path(sys.argv[1])["keep_freed_memory"]
if "kept" in sys.argv:
    assert keep_freed_memory()

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(3):
        blocks = [b"x" * (16 * 2**20) for _ in range(8)]
        del blocks
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

faults()
print(faults())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="needs the GNU C library")
def test_freed_memory_comes_back_without_fresh_pages() -> None:
    def faults(*arguments: str) -> int:
        command = [sys.executable, "-c", COUNT_FAULTS, str(MEMORY), *arguments]
        return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    plain, kept = faults(), faults("kept")
    assert plain > 1000
    assert kept < plain / 10
