"""Who answers a request: this process, or an engine elsewhere, and what when that fails.

A call is tried twice, then it is computed here. What has killed two workers is not tried again for
a while, and never here.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Protocol, TypeVar, cast

from torch import Tensor

from glassformer.app.runs.cache import SERVER, BoundedCache
from glassformer.app.runs.engine.answers import VALUE, complete_run
from glassformer.app.runs.engine.model_files import address_of
from glassformer.app.runs.engine.requests import Ask, ModelAddress, Request, RunKey
from glassformer.core.errors import GlassformerError
from glassformer.core.interruption import idle
from glassformer.core.settings import read_settings

Value = TypeVar("Value")
TRIES = 2
PAUSE = 0.5  # seconds between two tries
AWAY = 10.0  # seconds in which an engine that did not answer is not asked again
PATIENCE = 20.0  # seconds that a call waits for a place in a full queue
QUARANTINE = 600.0  # seconds
MOST_QUARANTINED = 200
OTHERS = ("engine_version", "engine_model", "engine_failed")  # here it may do


class WorkerDiedError(Exception):
    """Whoever computed the answer died meanwhile."""


class EngineAwayError(Exception):
    """Nobody answers."""


class QueueFullError(Exception):
    """As many calls wait as may."""


class Remote(Protocol):
    """An engine elsewhere."""

    def call(self, request: Request, address: ModelAddress) -> tuple[Any, ...]:
        """What `Computer.answer` gives, calling `interruption.idle` while it waits.

        Errors: WorkerDiedError, EngineAwayError, QueueFullError; what `idle` raises ends the call.
        """
        ...


class Runner(Protocol):
    """Whoever answers requests."""

    def ask(self, request: Request, here: Callable[[], Value]) -> Value:
        """The answer; here: computes the same in this process."""
        ...

    @property
    def trouble(self) -> GlassformerError | None:
        """Why this process computes by itself though there is an engine; None without one."""
        ...


class LocalRunner:
    """Computes everything here."""

    trouble = None

    def ask(self, request: Request, here: Callable[[], Value]) -> Value:  # noqa: ARG002
        """What is computed here."""
        return here()


class EngineRunner:
    """Asks an engine; for all threads."""

    def __init__(self, remote: Remote, clock: Callable[[], float] = time.monotonic) -> None:
        self._remote, self._clock = remote, clock
        self._lock = threading.Lock()
        self._away: tuple[float, GlassformerError] | None = None  # until when, and why
        self._poison = OrderedDict[Request, float]()
        self._words: BoundedCache[tuple[Any, ...]] = BoundedCache(SERVER, _bytes_of_words)

    @property
    def trouble(self) -> GlassformerError | None:
        """What kept the engine from answering last; None where it answers."""
        away = self._away
        return away[1] if away is not None and self._clock() < away[0] else None

    def ask(self, request: Request, here: Callable[[], Value]) -> Value:
        """The answer of the engine, or what is computed here.

        Errors: engine_poison, engine_full; as `here`.
        """
        self._refuse_poison(request)
        if self.trouble is not None:
            return here()
        try:
            found = self._twice(request, address_of(request.key.model))
        except EngineAwayError as away:
            self._note(GlassformerError("engine_away", problem=str(away)))
            return here()
        if found[0] == VALUE:
            self._away = None
            return cast(Value, self._whole(request, found[1]))
        error = GlassformerError(found[1], **found[2])
        if error.key not in OTHERS:
            raise error
        self._note(error)
        return here()

    def _whole(self, request: Request, value: Any) -> Any:
        if request.ask not in (Ask.RUN, Ask.FORCED):
            return value
        key = RunKey(request.key.model, request.key.step)

        def ask() -> tuple[Any, ...]:
            asked = Request(Ask.WORDS, key)
            kind, *found = self._twice(asked, address_of(key.model))
            if kind != VALUE:
                raise GlassformerError(found[0], **found[1])
            return cast(tuple[Any, ...], found[0])

        return complete_run(value, lambda: self._words.get(key, ask))

    def _twice(self, request: Request, address: ModelAddress) -> tuple[Any, ...]:
        died, problem = 0, ""
        for _ in range(TRIES):
            try:
                return self._patiently(request, address)
            except WorkerDiedError:
                died += 1
            except EngineAwayError as error:
                problem = str(error)
            self._wait(PAUSE)
        if died < TRIES:
            raise EngineAwayError(problem)
        with self._lock:
            self._poison[request] = self._clock() + QUARANTINE
            while len(self._poison) > MOST_QUARANTINED:
                self._poison.popitem(last=False)
        self._refuse_poison(request)
        raise EngineAwayError(problem)

    def _patiently(self, request: Request, address: ModelAddress) -> tuple[Any, ...]:
        end = self._clock() + PATIENCE
        while True:
            try:
                return self._remote.call(request, address)
            except QueueFullError as error:
                if self._clock() >= end:
                    raise GlassformerError("engine_full") from error
            self._wait(PAUSE)

    def _refuse_poison(self, request: Request) -> None:
        with self._lock:
            until = self._poison.get(request, 0.0)
            left = until - self._clock()
            if until and left <= 0:
                del self._poison[request]
        if left > 0:
            raise GlassformerError("engine_poison", minutes=max(1, round(left / 60)))

    def _note(self, why: GlassformerError) -> None:
        self._away = self._clock() + AWAY, why

    def _wait(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            idle()
            time.sleep(min(left, 0.1))


def current_runner() -> Runner:
    """Who answers in this process, as GLASSFORMER_ENGINE says."""
    return _runner_of(read_settings().engine)


@lru_cache(maxsize=2)
def _runner_of(engine: str) -> Runner:
    if not engine:
        return LocalRunner()
    from glassformer.app.runs.engine.client import HttpEngine

    return EngineRunner(HttpEngine(engine))


def _bytes_of_words(found: tuple[Any, ...]) -> int:
    return sum(each.nbytes for each in found if isinstance(each, Tensor)) + 100 * len(found[0])
