"""What is read off a run once and asked for again."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar, cast

from core.trace.trace import Trace

Given = ParamSpec("Given")
Result = TypeVar("Result")


def once_a_run(
    read: Callable[Concatenate[Trace, Given], Result],
) -> Callable[Concatenate[Trace, Given], Result]:
    """Lets a reading of a run be made once for each run; for small results that nobody changes.

    A run never changes, and what was read off it goes with it. Errors are raised anew.
    """

    @wraps(read)
    def remembered(trace: Trace, *given: Given.args, **named: Given.kwargs) -> Result:
        key = (read, given, tuple(named.items()))
        if key not in trace.readings:
            trace.readings[key] = read(trace, *given, **named)
        found: Result = trace.readings[key]
        return found

    return cast(Callable[Concatenate[Trace, Given], Result], remembered)
