"""What the environment sets, read in one place, typed, and refused with one sentence."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from core.errors import GlassformerError

DEVICES = ("cpu", "cuda", "mps")
MOST_THREADS, MOST_TRAININGS, NICEST = 1024, 1024, 19


@dataclass(frozen=True)
class Settings:
    """The variables that README lists.

    device: "" for the best one there is. threads: of torch, in the server. trainings: of visitors,
    at once; None for all cores but one. nice: of a training's process, 19 gives way to everybody.
    """

    device: str = ""
    threads: int = 1
    trainings: int | None = None
    nice: int = 10


def read_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """The settings of this process; an empty variable counts as none.

    Raises `GlassformerError("setting", …)` for a value that cannot be.
    """
    given = os.environ if environment is None else environment
    return Settings(
        device=_device(given.get("GLASSFORMER_DEVICE", "")),
        threads=_whole(given, "GLASSFORMER_THREADS", 1, MOST_THREADS) or Settings.threads,
        trainings=_whole(given, "GLASSFORMER_TRAININGS", 1, MOST_TRAININGS),
        nice=_or(_whole(given, "GLASSFORMER_NICE", 0, NICEST), Settings.nice),
    )


def _device(given: str) -> str:
    if given.partition(":")[0] not in ("", *DEVICES):
        allowed = ", ".join(DEVICES)
        raise GlassformerError("setting", name="GLASSFORMER_DEVICE", given=given, allowed=allowed)
    return given


def _whole(environment: Mapping[str, str], name: str, least: int, most: int) -> int | None:
    given = environment.get(name, "").strip()
    if not given:
        return None
    if not (given.isascii() and given.isdigit() and least <= int(given[:9]) <= most):
        allowed = f"{least} … {most}"
        raise GlassformerError("setting", name=name, given=given, allowed=allowed)
    return int(given)


def _or(given: int | None, otherwise: int) -> int:
    return otherwise if given is None else given
