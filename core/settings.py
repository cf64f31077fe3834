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
    for name in (
        "DEVICE HALL HALL_FOLDER STORE BLOBS MODELS THREADS TRAININGS NICE PROXIES HOSTS METRICS "
        "ENGINE ENGINE_GPUS ENGINE_WORKERS"
    ).split()
)
NAME = re.compile(r"(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*\.?|\*", re.IGNORECASE | re.ASCII)
POSTGRES = ("postgresql://", "postgres://")
ENGINE = re.compile(r"(ray|https?)://[\w.-]+(:\d{1,5})?/?", re.ASCII)
MOST_WORKERS, MOST_GPUS = 1024, 8.0
MOST_THREADS, MOST_TRAININGS, NICEST, MOST_PORT = 1024, 1024, 19, 65_535
METRICS = "9464, 127.0.0.1:9464, [::1]:9464"  # such as
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8  # malloc.h
LARGEST_BLOCK = 32 * 2**20  # bytes; larger blocks go back at once (the most that glibc takes)
KEPT = 512 * 2**20  # bytes; so much of the heap's top may stay with the process when free
HEAPS = 2  # for all threads: Python computes in one at a time


@dataclass(frozen=True)
class Settings:
    """The variables that docs/settings.md lists.

    device: "" for the best one there is. threads: of torch, in the server. trainings: of visitors,
    at once; None for all cores but one. nice: of a training's process, 19 gives way to everybody.
    hall: whether lectures can have an audience; "key" asks for the presenter's key, too, where the
    server listens on this machine alone (behind a reverse proxy). store: of what several processes
    share: an address of Postgres, a folder or a file; "" for a file of this user. hall_folder: with
    `store` "", a folder where each port has a store of its own. blobs: where models and runs of
    visitors are kept: a folder, or an address of fsspec; "" for a folder beside the store. models:
    a folder whose folders are models that visitors may choose, "" for none. proxies: addresses or
    networks of proxies that are believed who their clients are, "*" for all. hosts: names that the
    server answers to beside those of its machine. engine: where runs are computed, "" for here.
    engine_gpus, engine_workers: the share of a GPU that one of its workers takes, and how many
    there are at most.
    metrics: the address and the port where Prometheus finds them; None for nowhere.
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
    store: str = ""
    blobs: str = ""
    engine: str = ""
    engine_gpus: float = 0.0
    engine_workers: int = 2
    metrics: tuple[str, int] | None = None


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
    return _read(tuple([given.get(name, "") for name in VARIABLES]))


@lru_cache(maxsize=4)  # every rerun of the app asks some ten times
def _read(values: tuple[str, ...]) -> Settings:
    given = dict(zip(VARIABLES, values, strict=True))
    nice = _whole(given, "GLASSFORMER_NICE", 0, NICEST)
    return Settings(
        device=_device(given.get("GLASSFORMER_DEVICE", "")),
        hall=_hall(given.get("GLASSFORMER_HALL", "")),
        hall_folder=given.get("GLASSFORMER_HALL_FOLDER", ""),
        store=_store(given.get("GLASSFORMER_STORE", "").strip()),
        blobs=given.get("GLASSFORMER_BLOBS", "").strip(),
        models=given.get("GLASSFORMER_MODELS", ""),
        threads=_whole(given, "GLASSFORMER_THREADS", 1, MOST_THREADS) or Settings.threads,
        trainings=_whole(given, "GLASSFORMER_TRAININGS", 1, MOST_TRAININGS),
        nice=Settings.nice if nice is None else nice,
        proxies=_listed(given, "GLASSFORMER_PROXIES", _is_network, "10.0.0.5, 10.1.0.0/16, *"),
        hosts=_listed(
            given, "GLASSFORMER_HOSTS", NAME.fullmatch, "talk.example, *.talk.example, *"
        ),
        metrics=_metrics(given.get("GLASSFORMER_METRICS", "").strip()),
        engine=_engine(given.get("GLASSFORMER_ENGINE", "")),
        engine_gpus=_share(given, "GLASSFORMER_ENGINE_GPUS"),
        engine_workers=_whole(given, "GLASSFORMER_ENGINE_WORKERS", 1, MOST_WORKERS)
        or Settings.engine_workers,
    )


def _engine(given: str) -> str:
    if given and not ENGINE.fullmatch(given):
        allowed = "ray://host, ray://host:8000, http://…, https://…"
        raise GlassformerError("setting", name="GLASSFORMER_ENGINE", given=given, allowed=allowed)
    return given


def _share(environment: Mapping[str, str], name: str) -> float:
    given = environment.get(name, "").strip() or "0"
    if not (re.fullmatch(r"\d{1,2}(\.\d{1,4})?", given, re.ASCII) and float(given) <= MOST_GPUS):
        raise GlassformerError("setting", name=name, given=given, allowed=f"0 … {MOST_GPUS:g}")
    return float(given)


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


def _metrics(given: str) -> tuple[str, int] | None:
    """An address and a port; a port alone is this machine's own."""
    if not given:
        return None
    host, colon, port = given.rpartition(":")
    host = host.strip("[]") if colon else "127.0.0.1"
    is_port = port.isascii() and port.isdigit() and 1 <= int(port[:6]) <= MOST_PORT
    if not is_port or "/" in host or host == "*" or not _is_network(host):
        raise GlassformerError("setting", name="GLASSFORMER_METRICS", given=given, allowed=METRICS)
    return host, int(port)


def _store(given: str) -> str:
    kind, is_address, _ = given.partition("://")
    if is_address and f"{kind}://" not in POSTGRES:  # what follows may hold a password
        allowed = "a folder, a file.sqlite3, postgresql://user@host/database"
        found = f"{kind}://…"
        raise GlassformerError("setting", name="GLASSFORMER_STORE", given=found, allowed=allowed)
    return given


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
    """From now on freed memory stays with this process: recording costs less.

    Call it once, before the first run, in a script or notebook that records: what a run frees is
    then taken again by the next one, instead of fresh pages, zeroed one by one. Recording all of
    the paper's model (64 and 256 tokens, one thread) took 1.36 and 1.48 of a silent pass without
    it, 1.07 and 1.02 with it. It is for the whole process, and not undone; up to `KEPT` bytes that
    are free stay with it. The app does so.

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
