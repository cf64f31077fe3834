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


COUNT_HEAPS = """
import ctypes, re, runpy, sys, threading
if "shared" in sys.argv:
    assert runpy.run_path(sys.argv[1])["share_heaps"]()
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
file = c.fopen(sys.argv[2].encode(), b"w")
c.malloc_info(0, file)
c.fclose(file)
print(len(re.findall("<heap nr", open(sys.argv[2]).read())))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="needs the GNU C library")
def test_threads_share_two_heaps(tmp_path: Path) -> None:
    def heaps(*arguments: str) -> int:
        told = str(tmp_path / "heaps.xml")
        command = [sys.executable, "-c", COUNT_HEAPS, str(MEMORY), told, *arguments]
        return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    assert heaps() > 2
    assert heaps("shared") <= 2
