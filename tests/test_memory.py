"""Keeping freed memory: fewer fresh pages for a recording, nothing else."""

import platform
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
COUNT_FAULTS = """
import resource, sys
from glassformer.core.settings import keep_freed_memory  # without torch and its own use of memory
assert "torch" not in sys.modules
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


def printed(script: str, *arguments: str) -> int:
    """The number that a script prints, in a process of its own."""
    command = [sys.executable, "-c", script, *arguments]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return int(found.stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="needs the GNU C library")
def test_freed_memory_comes_back_without_fresh_pages() -> None:
    def faults(*arguments: str) -> int:
        return printed(COUNT_FAULTS, *arguments)

    plain, kept = faults(), faults("kept")
    assert plain > 1000
    assert kept < plain / 10


COUNT_HEAPS = """
import ctypes, re, sys, threading
from glassformer.core.settings import share_heaps
if "shared" in sys.argv:
    assert share_heaps()
c, blocks, gate = ctypes.CDLL(None), [], threading.Barrier(8)
c.malloc.restype, c.malloc_info.argtypes = ctypes.c_void_p, [ctypes.c_int, ctypes.c_void_p]
c.fopen.restype, c.fclose.argtypes = ctypes.c_void_p, [ctypes.c_void_p]

def work():
    gate.wait()
    blocks.append(c.malloc(2**20 // 8))
    gate.wait()

threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
file = c.fopen(sys.argv[1].encode(), b"w")
c.malloc_info(0, file)
c.fclose(file)
print(len(re.findall("<heap nr", open(sys.argv[1]).read())))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="needs the GNU C library")
def test_threads_share_two_heaps(tmp_path: Path) -> None:
    def heaps(*arguments: str) -> int:
        return printed(COUNT_HEAPS, str(tmp_path / "heaps.xml"), *arguments)

    assert heaps() > 2
    assert heaps("shared") <= 2
