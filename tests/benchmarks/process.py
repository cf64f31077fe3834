"""What another process has used: its CPU time and its memory."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE")
TICKS = os.sysconf("SC_CLK_TCK")  # a second


def cpu_seconds(pid: int) -> float:
    """CPU time of a process since its start, in user and kernel mode."""
    told = Path(f"/proc/{pid}/stat")
    if told.exists():
        fields = told.read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS
    minutes, _, seconds = _ps(pid, "cputime").replace("-", ":").rpartition(":")
    spent = float(seconds)
    for part, size in zip(reversed(minutes.split(":")), (60, 3600, 86400), strict=False):
        spent += int(part or 0) * size
    return spent


def memory_bytes(pid: int) -> int:
    """Its resident set: what it has in memory now, shared pages included."""
    told = Path(f"/proc/{pid}/statm")
    if told.exists():
        return int(told.read_text().split()[1]) * PAGE
    return int(_ps(pid, "rss")) * 1024


def _ps(pid: int, column: str) -> str:
    asked = ["ps", "-o", f"{column}=", "-p", str(pid)]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
