"""Runs of the models: each computed once, shared by all sessions, kept within bounds.

Nothing here changes a model or a trace. An experiment never enters the cache of plain runs, and two
sessions with different experiments have different keys.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar, cast

from torch import Tensor

from glassformer.app.runs.cache import SERVER, BoundedCache
from glassformer.app.runs.engine.requests import Ask, Request, RunKey
from glassformer.app.runs.engine.runner import current_runner
from glassformer.app.runs.models import get_model, place_of, steps_of, weight_bytes
from glassformer.app.runs.untrained import is_untrained
from glassformer.core.analysis.training_views import Replay
from glassformer.core.interventions import Experiment, run, setting_of
from glassformer.core.interventions.experiment import mean_contexts, with_config
from glassformer.core.interventions.head_ablation import AblatedHead, ablated_heads
from glassformer.core.interventions.heads import Way
from glassformer.core.interventions.padding import InBatch, in_batch
from glassformer.core.interventions.switch import Setting
from glassformer.core.text_models.decodings import record_words
from glassformer.core.text_models.history import replay
from glassformer.core.text_models.model import Direction, Model, texts_of
from glassformer.core.trace.trace import Trace

Value = TypeVar("Value")
BYTES_A_NUMBER = 32  # a float in a tuple


def _nbytes(found: Iterable[Any]) -> int:
    return sum(each.nbytes for each in found)


def _ablated_bytes(found: tuple[AblatedHead, ...]) -> int:
    return sum(3 * BYTES_A_NUMBER * len(each.before) for each in found)


_traces: BoundedCache[Trace] = BoundedCache(SERVER, lambda trace: trace.nbytes, "traces")
_variants: BoundedCache[Model] = BoundedCache(SERVER, weight_bytes)
_means: BoundedCache[Mapping[str, Tensor]] = BoundedCache(SERVER, lambda m: _nbytes(m.values()))
_ablated_heads: BoundedCache[tuple[AblatedHead, ...]] = BoundedCache(SERVER, _ablated_bytes)
_batches: BoundedCache[tuple[InBatch, ...]] = BoundedCache(SERVER, _nbytes)
_replays: BoundedCache[Replay] = BoundedCache(SERVER, lambda found: found.nbytes)


def get_trace(text: str, direction: str = "auto", model: str = "", step: str = "") -> Trace:
    """The recorded translation of a text; direction "auto", "en-zh" or "zh-en".

    A tab divides a text in two that are read together, of a model that takes such pairs.
    step: of the model's training, "" for its end. The trace is shared: never write to its tensors.
    Errors: GlassformerError for a text that cannot be translated, or a model that cannot be loaded.
    """

    def make() -> Trace:
        translator = get_model(model, step)
        own, pair = texts_of(translator, text)
        return translator.trace(own, direction=direction_asked(direction), text_pair=pair)

    return _kept(_traces, Ask.RUN, RunKey(place_of(model)[0], step, text, direction), make)


def known_trace(text: str, direction: str = "auto") -> Trace | None:
    """As `get_trace` of the bundled model, None where it would have to be computed."""
    return _traces.known(Request(Ask.RUN, RunKey(place_of("")[0], "", text, direction)))


def _kept(
    cache: BoundedCache[Value], ask: Ask, key: RunKey, make: Callable[[], Value], *given: Any
) -> Value:
    """What is in a cache, or what the engine answers, or what is made here."""
    request = Request(ask, key, given)
    if is_untrained(key.model):  # small, and made of its name
        return cache.get(request, make)
    return cache.get(request, lambda: current_runner().ask(request, make))


def direction_asked(direction: str) -> Direction | None:
    """A direction of the state as a translator takes it: None for "auto"."""
    return None if direction == "auto" else cast(Direction, direction)


def get_run(
    experiment: Experiment,
    text: str,
    direction: str = "auto",
    model: str = "",
    step: str = "",
    target: str | None = None,
) -> Trace:
    """The recorded run of an experiment; the plain one, the very same trace, for an empty one.

    target: forced words, None to decode. Errors: as `get_trace`, and those of the edits.
    """
    if not experiment and target is None:
        return get_trace(text, direction, model, step)

    def make() -> Trace:
        translator = get_model(model, step)
        own = get_setting(model, step)
        first, pair = texts_of(translator, text)
        return run(experiment, translator, first, target, direction_asked(direction), own, pair)

    key = RunKey(place_of(model)[0], step, text, direction, experiment.text, target)
    return _kept(_traces, Ask.RUN, key, make)


def get_forced(
    experiment: Experiment, own: Trace, words: tuple[int, ...], model: str = "", step: str = ""
) -> Trace:
    """The run of an experiment over given words (ids): `own` itself where it wrote just these.

    own: the experiment's own run of the sentence. Errors: those of `decodings.record_words`.
    """
    if own.output_ids == words:
        return own

    def make() -> Trace:
        asked = replace(get_setting(model, step), config=own.config)
        variant = get_variant(experiment, model, step)
        edits = experiment.edits(asked)
        return record_words(variant, own, words, edits, dropout_seed=experiment.seed)

    key = RunKey(place_of(model)[0], step, own.line, own.direction, experiment.text)
    return _kept(_traces, Ask.FORCED, key, make, *words)


def get_setting(model: str = "", step: str = "") -> Setting:
    """What switches may ask of a model: other runs and the heads' means, each computed once.

    Errors: as `get_model`.
    """
    return setting_of(
        get_model(model, step),
        trace_of=lambda text: get_trace(text, "auto", model, step),
        means=lambda: _get_means(model, step),
    )


def get_ablated_heads(
    experiment: Experiment,
    text: str,
    direction: str = "auto",
    model: str = "",
    step: str = "",
    way: Way = "zero",
) -> tuple[AblatedHead, ...]:
    """What each head's absence does to the run of an experiment, the most harmful first.

    Errors: as `get_run`.
    """

    def make() -> tuple[AblatedHead, ...]:
        trace, asked = get_run(experiment, text, direction, model, step), get_setting(model, step)
        return ablated_heads(get_model(model, step), trace, way, experiment, asked)

    key = RunKey(place_of(model)[0], step, text, direction, experiment.text)
    return _kept(_ablated_heads, Ask.ABLATED, key, make, way)


def get_batch(
    experiment: Experiment, alone: Sequence[Trace], model: str = "", step: str = ""
) -> tuple[InBatch, ...]:
    """Sentences in one padded batch, each beside its own run.

    alone: the plain runs of that model. Errors: as `get_model`, and those of the edits.
    """
    sentences = tuple((each.line, each.direction) for each in alone)
    key = RunKey(place_of(model)[0], step, experiment=experiment.text)
    make = partial(_in_batch, alone, experiment, model, step)
    return _kept(_batches, Ask.BATCH, key, make, *sentences)


def _in_batch(
    alone: Sequence[Trace], experiment: Experiment, model: str, step: str
) -> tuple[InBatch, ...]:
    return in_batch(get_model(model, step), alone, experiment)


def get_variant(experiment: Experiment, model: str = "", step: str = "") -> Model:
    """The translator that an experiment runs on: itself, or one of another config on its weights.

    Errors: as `get_model`, and `config` where the weights do not allow it.
    """
    translator = get_model(model, step)
    config = experiment.config(translator.config)
    if config == translator.config:
        return translator
    key = (place_of(model)[0], step, config)
    return _variants.get(key, lambda: with_config(translator, config))


def _get_means(model: str, step: str) -> Mapping[str, Tensor]:
    key = RunKey(place_of(model)[0], step)
    return _kept(_means, Ask.MEANS, key, lambda: mean_contexts(get_model(model, step)))


def get_replay(text: str, direction: str = "auto", model: str = "") -> Replay | None:
    """A text at every step of the model's training; None where the model has no history.

    Errors: as `get_trace`.
    """
    steps = steps_of(model)
    if not steps:
        return None

    def name(step: int) -> str:
        return "" if step == steps[-1] else str(step)

    end = get_trace(text, direction, model)
    if end.further:  # of several sentences, the replay looks at the one that is recorded
        text, direction = get_model(model).sentences(text)[0], end.direction

    def make() -> Replay:
        return replay(
            steps,
            lambda step: get_model(model, name(step)),
            lambda step: get_trace(text, direction, model, name(step)),
        )

    key = RunKey(place_of(model)[0], "", text, direction)
    return _kept(_replays, Ask.REPLAY, key, make, *steps)


def trace_bytes() -> int:
    """Bytes of all the traces now kept for all sessions."""
    return _traces.nbytes
