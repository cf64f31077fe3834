"""What the environment sets, read in one place, typed, and refused with one sentence.

Beside it, where a recording's memory comes from. The C library gives freed memory back to the
system at sizes of its own choosing. What the system hands out again arrives as zeroed pages, one
interruption each 4 KiB, and that is most of what a long recording costs. A process may keep its
freed memory instead.
"""

import ctypes
import ipaddress
import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from glassformer.core.errors import GlassformerError

DEVICES = ("cpu", "cuda", "mps")
HALLS = ("on", "key", "off")
VARIABLES = tuple(
    f"GLASSFORMER_{name}"
    for name in "DEVICE HALL HALL_FOLDER MODELS THREADS TRAININGS NICE PROXIES HOSTS".split()
)
NAME = re.compile(r"(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*\.?|\*", re.IGNORECASE | re.ASCII)
MOST_THREADS, MOST_TRAININGS, NICEST = 1024, 1024, 19
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8  # malloc.h
LARGEST_BLOCK = 32 * 2**20  # bytes; larger blocks go back at once (the most that glibc takes)
KEPT = 512 * 2**20  # bytes; so much of the heap's top may stay with the process when free
HEAPS = 2  # for all threads: Python computes in one at a time


@dataclass(frozen=True)
class Settings:
    """The variables that README lists.

    device: "" for the best one there is. threads: of torch, in the server. trainings: of visitors,
    at once; None for all cores but one. nice: of a training's process, 19 gives way to everybody.
    hall: whether lectures can have an audience; "key" asks for the presenter's key, too, where the
    server listens on this machine alone (behind a reverse proxy). hall_folder: of its rooms, "" for
    one of this user. models: a folder whose folders are models that visitors may choose, "" for
    none. proxies: addresses or networks of proxies that are believed who their
    clients are, "*" for all. hosts: names that the server answers to beside those of its machine.
    """

    device: str = ""
    threads: int = 1
    trainings: int | None = None
    nice: int = 10
    hall: str = "on"
    hall_folder: str = ""
    models: str = ""
    proxies: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()


def read_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """The settings of this process; an empty variable counts as none.

    Args:
        environment: variables by name; None for those of this process.

    Returns:
        The settings, defaults where a variable is not set.

    Raises:
        GlassformerError: `setting` for a value that a variable may not have.
    """
    given = os.environ if environment is None else environment
    return _read(tuple((name, given.get(name, "")) for name in VARIABLES))


@lru_cache(maxsize=4)  # every rerun of the app asks some ten times
def _read(values: tuple[tuple[str, str], ...]) -> Settings:
    given = dict(values)
    nice = _whole(given, "GLASSFORMER_NICE", 0, NICEST)
    return Settings(
        device=_device(given.get("GLASSFORMER_DEVICE", "")),
        hall=_hall(given.get("GLASSFORMER_HALL", "")),
        hall_folder=given.get("GLASSFORMER_HALL_FOLDER", ""),
        models=given.get("GLASSFORMER_MODELS", ""),
        threads=_whole(given, "GLASSFORMER_THREADS", 1, MOST_THREADS) or Settings.threads,
        trainings=_whole(given, "GLASSFORMER_TRAININGS", 1, MOST_TRAININGS),
        nice=Settings.nice if nice is None else nice,
        proxies=_listed(given, "GLASSFORMER_PROXIES", _is_network, "10.0.0.5, 10.1.0.0/16, *"),
        hosts=_listed(
            given, "GLASSFORMER_HOSTS", NAME.fullmatch, "talk.example, *.talk.example, *"
        ),
    )


def _device(given: str) -> str:
    if given.partition(":")[0] not in ("", *DEVICES):
        allowed = ", ".join(DEVICES)
        raise GlassformerError("setting", name="GLASSFORMER_DEVICE", given=given, allowed=allowed)
    return given


def _hall(given: str) -> str:
    if (found := given.strip().lower() or Settings.hall) not in HALLS:
        allowed = ", ".join(HALLS)
        raise GlassformerError("setting", name="GLASSFORMER_HALL", given=given, allowed=allowed)
    return found


def _listed(
    environment: Mapping[str, str], name: str, fits: Callable[[str], object], allowed: str
) -> tuple[str, ...]:
    """What stands there between commas."""
    found = tuple(filter(None, (each.strip() for each in environment.get(name, "").split(","))))
    if wrong := [each for each in found if not fits(each)]:
        raise GlassformerError("setting", name=name, given=wrong[0], allowed=allowed)
    return tuple(each.lower().rstrip(".") for each in found)


def _is_network(given: str) -> bool:
    try:
        return given == "*" or bool(ipaddress.ip_network(given))
    except ValueError:
        return False


def _whole(environment: Mapping[str, str], name: str, least: int, most: int) -> int | None:
    given = environment.get(name, "").strip()
    if not given:
        return None
    if not (given.isascii() and given.isdigit() and least <= int(given[:9]) <= most):
        allowed = f"{least} … {most}"
        raise GlassformerError("setting", name=name, given=given, allowed=allowed)
    return int(given)


def keep_freed_memory() -> bool:
    """From now on freed memory stays with this process.

    Returns:
        False where the C library cannot.
    """
    return _tune(M_MMAP_THRESHOLD, LARGEST_BLOCK) and _tune(M_TRIM_THRESHOLD, KEPT)


def share_heaps() -> bool:
    """All threads take from two heaps.

    Otherwise the C library gives new threads heaps of their own, and each keeps what was freed in
    it. Call it before there are threads.

    Returns:
        False where the C library cannot.
    """
    return _tune(M_ARENA_MAX, HEAPS)


def _tune(option: int, value: int) -> bool:
    if not sys.platform.startswith("linux"):
        return False
    try:
        return bool(ctypes.CDLL(None).mallopt(option, value))
    except (OSError, AttributeError):  # another C library
        return False
