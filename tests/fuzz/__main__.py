"""`python -m tests.fuzz`, which `make fuzz` calls: thousands of hostile texts, links and files.

Every input has a name, "kind/seed/number", by which `--case` repeats it alone.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import sys
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

from tests.benchmarks.report import megabytes
from tests.browser.driver import server
from tests.fuzz import files, hostile, links, texts
from tests.fuzz.attempts import Attempt, Report, again, attempts

TEXTS, LINKS, FILES, MODELS = 10_000, 3_000, 3_000, 2_000
MOST_CPU = 10.0  # seconds of one input: generous, for machines that are busy with other things
MOST_MEMORY = 3 * 2**30  # bytes beyond what is in use at the start


def main() -> None:
    """Tries everything, prints what was found, and ends with 1 where something was."""
    asked = _arguments()
    torch.set_num_threads(1)
    found = False
    for report in _repeated(asked.case) if asked.case else _all(asked):
        print(report, flush=True)  # noqa: T201
        found = found or bool(report.findings)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024  # kilobytes, on Linux
    print(f"at most {megabytes(most)} of memory")  # noqa: T201
    sys.exit(1 if found else 0)


def _all(asked: argparse.Namespace) -> Iterator[Report]:
    with ExitStack() as rooms:
        folder = Path(rooms.enter_context(TemporaryDirectory()))
        if asked.links:
            running = rooms.enter_context(server())
            opened = links.opened(running, asked.links, asked.seed, hostile.LONGEST)
            yield asyncio.run(opened)
        _limit_memory()
        shares = {"texts": asked.texts, "experiments": asked.texts // 5, "votes": asked.texts}
        shares |= {name: asked.files // len(files.kinds()) for name in files.kinds()}
        shares["foreign-models"] = asked.models
        for name, count in shares.items():
            if count:
                yield attempts(name, _attempt(name, folder), count, asked.seed, MOST_CPU)


def _repeated(case: str) -> Iterator[Report]:
    name = case.partition("/")[0]
    report = Report(name)
    with TemporaryDirectory() as folder, ExitStack() as rooms:
        if name == "links":
            running = rooms.enter_context(server())
            asyncio.run(links.visited(running, report, [case], hostile.LONGEST))
        else:
            _limit_memory()
            again(report, _attempt(name, Path(folder)), case, MOST_CPU)
        yield report


def _attempt(name: str, folder: Path) -> Attempt:
    if name in texts.KINDS_OF_TEXT:
        return texts.KINDS_OF_TEXT[name](hostile.LONGEST)
    return files.kinds()[name](folder)


def _limit_memory() -> None:
    # What asks for more fails by itself, before the machine does. Linux alone knows how much it is.
    with suppress(OSError, ValueError):
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + MOST_MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--texts", type=int, default=TEXTS, help=f"to translate ({TEXTS})")
    parser.add_argument("--links", type=int, default=LINKS, help=f"to a running server ({LINKS})")
    parser.add_argument("--files", type=int, default=FILES, help=f"of all kinds ({FILES})")
    parser.add_argument("--models", type=int, default=MODELS, help=f"of others ({MODELS})")
    parser.add_argument("--seed", type=int, default=0, help="another one draws other inputs")
    parser.add_argument("--case", help='one of them alone, such as "links/0/17"')
    return parser.parse_args()


main()
