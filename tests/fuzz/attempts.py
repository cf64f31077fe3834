"""One input after another, each drawn from a seed of its own: what raised, and what was dear.

An attempt is a function of a random generator. It is refused with a `GlassformerError`, which is
well; whatever else it raises is a finding, named "kind/seed/number", which `again` repeats alone.
"""

from __future__ import annotations

import random
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from glassformer.app.session.languages import LANGUAGES
from glassformer.app.words import say
from glassformer.core.errors import GlassformerError

Attempt = Callable[[random.Random], None]
LISTED = 5  # the dearest inputs


@dataclass
class Report:
    """What came of many attempts."""

    kind: str
    tried: int = 0
    refused: int = 0
    findings: dict[str, str] = field(default_factory=dict)  # case -> what was raised, and where
    dearest: list[tuple[float, str]] = field(default_factory=list)  # CPU seconds, case

    def spent(self, seconds: float, case: str) -> None:
        self.dearest = sorted([*self.dearest, (seconds, case)], reverse=True)[:LISTED]

    def __str__(self) -> str:
        dear = ", ".join(f"{case} {seconds:.2f} s" for seconds, case in self.dearest)
        lines = [f"{self.kind}: {self.tried} tried, {self.refused} refused, dearest: {dear}"]
        return "\n".join([*lines, *(f"  {case}: {what}" for case, what in self.findings.items())])


class TooDear(BaseException):
    """An attempt used up its CPU time; no `except Exception` on the way takes it for its own."""


def attempts(
    kind: str, attempt: Attempt, count: int, seed: int = 0, most: float | None = None
) -> Report:
    """Makes so many attempts; one may use `most` CPU seconds, None sets no limit."""
    report = Report(kind)
    for number in range(count):
        again(report, attempt, f"{kind}/{seed}/{number}", most)
    return report


def again(report: Report, attempt: Attempt, case: str, most: float | None = None) -> None:
    """Makes the attempt of a case, and takes down what came of it."""
    start = time.process_time()
    try:
        with _limited(most):
            attempt(random.Random(case))
    except GlassformerError as error:
        report.refused += 1
        if problem := _unclear(error):
            report.findings[case] = f"{error.key} {problem}"
    except TooDear:
        report.findings[case] = f"took more than {most:g} CPU seconds"
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        report.findings[case] = (
            f"{type(error).__name__}: {str(error)[:200]} ({place.filename}:{place.lineno})"
        )
    report.tried += 1
    report.spent(time.process_time() - start, case)


def _unclear(error: GlassformerError) -> str:
    # In every language there must be a sentence for it that takes all its values.
    for language in LANGUAGES:
        told = say(f"errors.{error.key}", language, **error.values)
        if not told.strip():
            return f"says nothing in {language}"
        if told != told.encode("utf-8", "replace").decode():
            return f"cannot be sent to a browser: {told!r}"
    return ""


@contextmanager
def _limited(most: float | None) -> Iterator[None]:
    if most is None:
        yield
        return

    def stop(*_: Any) -> None:
        raise TooDear

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, most)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
