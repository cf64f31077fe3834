"""What a worker computes: each kind of request, of models that it loads by their address."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from copy import deepcopy
from dataclasses import replace
from typing import Any, TypeVar, cast

import torch
from torch.nn import Parameter

from glassformer.app.runs.engine.requests import Ask, Request, RunKey
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions import Experiment, run, setting_of
from glassformer.core.interventions.experiment import mean_contexts, with_config
from glassformer.core.interventions.head_ablation import COPIES, ablated_heads
from glassformer.core.interventions.padding import in_batch
from glassformer.core.interventions.switch import Setting
from glassformer.core.model.shell import shell_of
from glassformer.core.text_models.decodings import record_words
from glassformer.core.text_models.history import replay
from glassformer.core.text_models.model import Direction, Model, texts_of
from glassformer.core.trace.trace import Trace

Value = TypeVar("Value")
RECENT = 8  # runs, and means of heads, that one worker keeps for the next request
VALUE, ERROR = "value", "error"  # what an answer begins with


class Computer:
    """Answers requests about models.

    load: a model by the text of its address, and a step. One thread at a time computes.
    """

    def __init__(self, load: Callable[[str, str], Model]) -> None:
        self._load = load
        self._kept = OrderedDict[Hashable, Any]()

    def answer(self, request: Request) -> tuple[Any, ...]:
        """(VALUE, what was asked for), or (ERROR, key, values) of a `GlassformerError`.

        Where a GPU's memory does not do, batches become smaller; then the CPU computes.
        """
        copies, device = COPIES, ""
        while True:
            try:
                return VALUE, self._compute(request, copies, device)
            except GlassformerError as error:
                return refusal_of(error)
            except torch.OutOfMemoryError:
                if device:
                    raise
                copies = copies // 2 if request.ask is Ask.ABLATED else 0
                copies, device = (copies, "") if copies else (COPIES, "cpu")
            torch.cuda.empty_cache()  # outside of the handler, which holds the tensors

    def _compute(self, request: Request, copies: int, device: str) -> Any:
        key = request.key
        model = self._model(key, device, key.step)
        experiment = Experiment.from_text(key.experiment)
        if request.ask is Ask.RUN:
            return lighten_run(self._run(key, device), model)
        if request.ask is Ask.WORDS:
            generator = model.transformer.generator
            return model.vocabulary, model.config, generator.weight, generator.bias
        if request.ask is Ask.MEANS:
            return self._means(key, device)
        if request.ask is Ask.BATCH:
            alone = [
                self._run(RunKey(key.model, key.step, line, direction), device)
                for line, direction in request.given
            ]
            return in_batch(model, alone, experiment)
        if request.ask is Ask.REPLAY:
            return self._replay(key, request.given, device)
        own, asked = self._run(key, device), self._setting(key, device)
        if request.ask is Ask.ABLATED:
            return ablated_heads(model, own, request.given[0], experiment, asked, copies)
        asked = replace(asked, config=own.config)
        variant = with_config(model, experiment.config(model.config))
        edits = experiment.edits(asked)
        found = record_words(variant, own, request.given, edits, dropout_seed=experiment.seed)
        return lighten_run(found, model)

    def _model(self, key: RunKey, device: str, step: str) -> Model:
        model = self._load(key.model, step)
        if not device:
            return model

        def move() -> Model:
            return model.having(deepcopy(model.transformer).to(device))

        return self._remember(("model", key.model, step, device), move)

    def _run(self, key: RunKey, device: str) -> Trace:
        def make() -> Trace:
            model, experiment = self._model(key, device, key.step), key.experiment
            text, pair = texts_of(model, key.text)
            way = cast(Direction, key.direction) if key.direction not in ("", "auto") else None
            if not experiment and key.target is None:
                return model.trace(text, direction=way, text_pair=pair)
            switched, asked = Experiment.from_text(experiment), self._setting(key, device)
            return run(switched, model, text, key.target, way, asked, pair)

        return self._remember((key, device), make)

    def _setting(self, key: RunKey, device: str) -> Setting:
        return setting_of(
            self._model(key, device, key.step),
            trace_of=lambda text: self._run(RunKey(key.model, key.step, text), device),
            means=lambda: self._means(key, device),
        )

    def _means(self, key: RunKey, device: str) -> Any:
        name = ("means", key.model, key.step, device)
        return self._remember(name, lambda: mean_contexts(self._model(key, device, key.step)))

    def _replay(self, key: RunKey, steps: tuple[int, ...], device: str) -> Any:
        def name(step: int) -> str:
            return "" if step == steps[-1] else str(step)

        return replay(
            steps,
            lambda step: self._model(key, device, name(step)),
            lambda step: self._run(replace(key, step=name(step)), device),
        )

    def _remember(self, key: Hashable, make: Callable[[], Value]) -> Value:
        if key not in self._kept:
            self._kept[key] = make()
        self._kept.move_to_end(key)
        while len(self._kept) > RECENT:
            self._kept.popitem(last=False)
        return cast(Value, self._kept[key])


def lighten_run(trace: Trace, model: Model) -> tuple[Trace, bool]:
    """A run without what its model has, and whether it had the model's generator.

    The vocabulary is left out where it is the model's, the generator always; see
    `complete_run`.
    """
    vocabulary = () if trace.vocabulary == model.vocabulary else trace.vocabulary
    return replace(trace, vocabulary=vocabulary, generator=None), trace.generator is not None


def complete_run(found: tuple[Trace, bool], words: Callable[[], tuple[Any, ...]]) -> Trace:
    """The whole run. words: what a worker answers to `Ask.WORDS`, asked for where it is needed."""
    trace, had_generator = found
    if trace.vocabulary and not had_generator:
        return trace
    vocabulary, config, weight, bias = words()
    generator = None
    if had_generator:
        generator = shell_of(config).generator
        generator.weight, generator.bias = Parameter(weight, False), bias
    return replace(trace, vocabulary=trace.vocabulary or vocabulary, generator=generator)


def refusal_of(error: GlassformerError) -> tuple[Any, ...]:
    """The answer that says why there is none."""
    return ERROR, error.key, {name: _plain(each) for name, each in error.values.items()}


def _plain(value: object) -> object:
    return value if isinstance(value, str | int | float | None) else str(value)
