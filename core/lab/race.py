"""Time against length: one layer of each kind, really run on this machine (§4, on request)."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import torch
from torch import Tensor

from core.errors import GlassformerError
from core.lab.inputs import array, number, whole
from core.lab.why_attention import attend, convolutions, parts

Runner = Literal["recurrent", "convolution", "attention"]
RUNNERS: tuple[Runner, ...] = get_args(Runner)
LENGTHS = (8, 16, 32, 64, 128, 256, 512)
REPEATS = 3


@dataclass(frozen=True)
class Race:
    """Seconds of one layer for each length; NaN where the time was up before."""

    lengths: Tensor  # (N,) whole numbers
    width: int
    seconds: dict[Runner, Tensor]  # (N,) each, the best of three
    finished: bool  # False: some lengths were not reached

    @property
    def overtaken(self) -> int | None:
        """The length from which on attention was slower than the RNN at all lengths reached."""
        slower = self.seconds["attention"] > self.seconds["recurrent"]  # (N,) False where NaN
        reached = ~(self.seconds["attention"] + self.seconds["recurrent"]).isnan()
        found = None
        for size, is_slower in reversed(
            list(zip(self.lengths[reached], slower[reached], strict=True))
        ):
            if not is_slower:
                break
            found = int(size)
        return found


def race(
    lengths: Sequence[Any] = LENGTHS,
    width: Any = 64,
    kernel: Any = 3,
    limit: Any = 0.8,
    clock: Callable[[], float] = time.perf_counter,
    report: Callable[[float], None] | None = None,
) -> Race:
    """Runs a layer of each kind over random words, shorter ones first, until the time is up.

    The RNN is torch's own (`torch.nn.RNN`), not a loop in Python; attention is the model's.

    Args:
        lengths: up to 12, 2 to 2048 words each.
        width: d, 4 to 256, a multiple of 4.
        kernel: k of the convolution, 2 to 9.
        limit: seconds, 0.01 to 5; one more run may be under way when they are over.
        clock: gives seconds.
        report: is told what share of the lengths is done, after each.

    Raises:
        GlassformerError: `lab_…` for an input outside of these.
    """
    row = array("lengths", lengths, limit=12).tolist()
    sizes = sorted({whole("lengths", each, 2, 2048) for each in row})
    wide, span = whole("width", width, 4, 256), whole("kernel", kernel, 2, 9)
    if wide % 4:
        raise GlassformerError("lab_shape", name="width", given=wide, needed="4 × n")
    until = clock() + number("limit", limit, 0.01, 5)
    runs = runners(wide, span)
    seconds: dict[Runner, list[float]] = {name: [] for name in RUNNERS}
    generator = torch.Generator().manual_seed(0)
    with torch.inference_mode():
        for run in runs.values():
            run(torch.zeros(1, 2, wide))  # the first run of anything is slow
        for done, size in enumerate(sizes, start=1):
            x = torch.randn(1, size, wide, generator=generator)  # (1, n, d)
            for name, run in runs.items():
                seconds[name].append(_best(run, x, until, clock))
            if report:
                report(done / len(sizes))
    times = {name: torch.tensor(found, dtype=torch.float64) for name, found in seconds.items()}
    finished = not any(bool(found.isnan().any()) for found in times.values())
    return Race(torch.tensor(sizes), wide, times, finished)


def runners(width: int, kernel: int) -> dict[Runner, Callable[[Tensor], Tensor]]:
    """One float32 layer of each kind: (B, n, d) -> (B, n, d)."""
    layers = parts(width, kernel, 0, torch.float32)
    return {
        "recurrent": lambda x: layers.recurrent(x)[0],
        "convolution": lambda x: convolutions(layers.convolution, x, [1])[0],
        "attention": lambda x: attend(layers.attention, x),
    }


def _best(
    run: Callable[[Tensor], Tensor], x: Tensor, until: float, clock: Callable[[], float]
) -> float:
    times = []
    for _ in range(REPEATS):
        start = clock()
        if start >= until:
            break
        run(x)
        times.append(clock() - start)
    return min(times, default=float("nan"))
