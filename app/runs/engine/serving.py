"""The engine as a deployment of Ray Serve: `app` for `serve deploy`, or `glassformer engine`.

Workers keep the models that were used last, and a request goes to one that has its model. Requests
that arrive together are taken together: equal ones are computed once, the others one after the
other, so that every answer has the bits that it has alone.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, ParamSpec, TypeVar

import torch
from ray import serve
from ray.serve.config import BackpressureConfig
from starlette.requests import Request as HttpRequest
from starlette.responses import Response

from glassformer import __version__
from glassformer.app.runs.engine.answers import ERROR, Computer, refusal_of
from glassformer.app.runs.engine.model_files import load_addressed
from glassformer.app.runs.engine.packing import pack_value
from glassformer.app.runs.engine.requests import ModelAddress, Request
from glassformer.app.runs.engine.training_actor import answer_front
from glassformer.core import interruption
from glassformer.core.errors import GlassformerError
from glassformer.core.interruption import StoppedError
from glassformer.core.settings import read_settings
from glassformer.core.text_models.model import Model

AT_ONCE = 16  # requests that a worker takes together
GATHER = 0.002  # seconds in which they arrive
WAITING = 64  # requests of all fronts that wait; more are told that it is full
MODELS = 4  # of one worker
UNREADABLE = (ValueError, KeyError, TypeError)

Given = ParamSpec("Given")
Result = TypeVar("Result")


@dataclass(eq=False)
class Call:
    """A request as it came in; `gone` when nobody waits for the answer any more."""

    request: Request
    model: str  # address@step
    gone: bool = False


class _Listener:
    """Ends a computation that nobody wants any more."""

    def __init__(self, calls: list[Call]) -> None:
        self._calls = calls

    def step(self) -> None:
        if all(each.gone for each in self._calls):
            raise StoppedError

    idle = step

    def progress(self, done: int, total: int) -> None:  # noqa: ARG002
        self.step()


class Tracer:
    """A worker: answers the requests of all fronts, of models by their fingerprint."""

    def __init__(self) -> None:
        torch.set_num_threads(read_settings().threads)
        self._thread = ThreadPoolExecutor(1)  # what computes; the loop stays free to listen
        self._now: tuple[str, Model] | None = None
        self._computer = Computer(self._loaded)

    async def __call__(self, http: HttpRequest) -> Response:
        """Answers a POST: /ask, or what a training is asked."""
        body = await http.body()
        verb = http.url.path.removeprefix("/trainings/")
        try:
            if verb != http.url.path:
                return Response(await answer_front(verb, body))
            request, version = Request.from_json(body)
            address = ModelAddress.from_text(request.key.model)
        except UNREADABLE as error:
            return Response(str(error), 400)
        if version != __version__:
            wrong = {"front": version, "engine": __version__}
            return Response(pack_value((ERROR, "engine_version", wrong)))
        call = Call(request, f"{address.text}@{request.key.step}")
        try:
            return Response(await self._answers(call))
        except asyncio.CancelledError:
            call.gone = True
            raise

    @serve.batch(max_batch_size=AT_ONCE, batch_wait_timeout_s=GATHER)
    async def _answers(self, calls: list[Call]) -> list[bytes]:
        together = defaultdict[Request, list[Call]](list)
        for each in calls:
            together[each.request].append(each)
        found = dict[Request, bytes]()
        for request, same in sorted(together.items(), key=lambda pair: pair[1][0].model):
            found[request] = await self._answer(request, same)
        return [found[each.request] for each in calls]

    async def _answer(self, request: Request, calls: list[Call]) -> bytes:
        try:
            self._now = calls[0].model, await self._model(calls[0].model)
            return await self._in_thread(self._compute, request, calls)
        except GlassformerError as error:
            return pack_value(refusal_of(error))
        except Exception as error:  # the front finds out by itself what is wrong
            return pack_value((ERROR, "engine_failed", {"problem": repr(error)}))

    @serve.multiplexed(max_num_models_per_replica=MODELS)
    async def _model(self, name: str) -> Model:
        text, _, step = name.rpartition("@")
        return await self._in_thread(load_addressed, ModelAddress.from_text(text), step)

    def _compute(self, request: Request, calls: list[Call]) -> bytes:
        with interruption.heard_by(_Listener(calls)):
            return pack_value(self._computer.answer(request))

    def _loaded(self, address: str, step: str) -> Model:
        """The model that Serve has loaded for this request; of a replay's other steps their own."""
        if self._now is not None and self._now[0] == f"{address}@{step}":
            return self._now[1]
        return _other_step(address, step)

    async def _in_thread(
        self, run: Callable[Given, Result], *given: Given.args, **named: Given.kwargs
    ) -> Result:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, partial(run, *given, **named))


@lru_cache(maxsize=2)
def _other_step(address: str, step: str) -> Model:
    return load_addressed(ModelAddress.from_text(address), step)


def serve_deployment() -> serve.Application:
    """The workers as GLASSFORMER_ENGINE_WORKERS and GLASSFORMER_ENGINE_GPUS of here have them."""
    settings = read_settings()
    tracer: Any = serve.deployment(
        Tracer,
        max_ongoing_requests=2 * AT_ONCE,
        max_queued_requests=WAITING,
        backpressure_config=BackpressureConfig(status_code=429, retry_after_s=1),
        autoscaling_config={
            "min_replicas": 1,
            "max_replicas": settings.engine_workers,
            "target_ongoing_requests": AT_ONCE / 4,
        },
        ray_actor_options={"num_cpus": 1, "num_gpus": settings.engine_gpus},
    )
    bound: serve.Application = tracer.bind()
    return bound


def __getattr__(name: str) -> serve.Application:
    """`app` is made when Ray Serve asks for it: the settings are those of that moment."""
    if name == "app":
        return serve_deployment()
    raise AttributeError(name)
