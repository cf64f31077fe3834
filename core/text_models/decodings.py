"""Other ways to decode the sentence of a run: a task for the strategies, a run of what they wrote.

trace = model.trace("I love machine learning")
task = task_of(model, trace)
tree = beam(model.transformer, task, size=4)
second = recorded(model, trace, tree.words(tree.hypotheses[1]))
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

import torch

from glassformer.core.decoding.step import Step, Task, check_number
from glassformer.core.errors import GlassformerError
from glassformer.core.text_models.model import Model
from glassformer.core.trace.on_demand import kept_without
from glassformer.core.trace.tape import Edit, Recorder
from glassformer.core.trace.trace import Trace


def task_of(model: Model, trace: Trace) -> Task:
    """What was to be written in a run of this model: greedy decoding of it is that run.

    Args:
        model: the model that made the run.
        trace: the run.

    Returns:
        The source, the token that decoding starts from, what ends it and what is never written.

    Raises:
        GlassformerError: `trail_model` for the run of a model of another config.
    """
    if trace.config != model.config:
        raise GlassformerError("trail_model", name=trace.model_name)
    return model.task_of(trace)


def log_probability(steps: Iterable[Step]) -> float:
    """The log-probability of a sequence: the sum of ln p over the words that the steps wrote.

    Args:
        steps: the steps of its decoding.

    Returns:
        In nats; −∞ for an impossible one, 0 of no steps.
    """
    chances = [step.probability for step in steps]
    return math.fsum(math.log(each) if each > 0 else -math.inf for each in chances)


def new_words(words: Sequence[int], before: Sequence[int]) -> tuple[bool, ...]:
    """For each of some words whether it is other than in `before`, both aligned.

    Args:
        words: ids of the words that are asked for.
        before: ids of the words they are compared with.

    Returns:
        As many as `words`: True where the alignment of the two finds no counterpart.
    """
    matcher = SequenceMatcher(None, before, words, autojunk=False)
    same = {
        at for _, start, size in matcher.get_matching_blocks() for at in range(start, start + size)
    }
    return tuple(at not in same for at in range(len(words)))


def record_words(
    model: Model,
    trace: Trace,
    words: Sequence[int],
    edits: Sequence[Edit] = (),
    steps: Sequence[Step] = (),
    dropout_seed: int | None = None,
) -> Trace:
    """A run over words that a strategy wrote for the sentence of `trace`, every tensor recorded.

    Neither the words nor the edits of `trace` matter. Of a model that fills in blanks it is the run
    over the same text, whatever the words: they are only what its rows are asked for.

    Args:
        model: the model that made `trace`.
        trace: a run over the same sentence.
        words: ids (T,), the path to a node of a beam, a sampled sentence, with or without its end.
        edits: changes made to recorded tensors on the way.
        steps: kept with the run; a model that fills in blanks keeps none.
        dropout_seed: a number puts this pass in training mode, with that seed; None: no dropout.

    Returns:
        The run, without translations of further sentences.

    Raises:
        GlassformerError: `decoding_range` for no words or too many, `out_of_range` for an id that
            does not exist, `trail_model` as `task_of`, and as edits do. Of a model that fills in
            blanks as `Model.trace`.
    """
    if not trace.config.decoder_layers:
        return _asked(_read_again(model, trace, edits, dropout_seed), words, model)
    task = task_of(model, trace)
    check_number("words", len(words), 1, task.limit)
    task.check(model.transformer, words)
    source_ids, input_ids = task.source_ids(model.transformer), [task.start, *words[:-1]]
    keep = kept_without(edits, maps=True) if trace.generator is not None else None
    recorder = Recorder(edits, keep, dropout_seed)
    with torch.no_grad():
        model.transformer(source_ids, source_ids.new_tensor([input_ids]), recorder)
    recorder.finish()
    reading = model.reading(trace, words)
    begins = [task.start] if trace.task == "continue" else []
    return replace(
        trace,
        tensors=recorder.tensors,
        output_text=model.reading(trace, [*begins, *words]).text,
        output_tokens=reading.surfaces,
        output_pieces=tuple(trace.vocabulary[word] for word in words),
        target_tokens=(trace.vocabulary[task.start], *reading.surfaces[:-1]),
        target_pieces=tuple(trace.vocabulary[word] for word in input_ids),
        edits=tuple(map(str, recorder.edits)),
        steps=tuple(steps),
        further=(),
        generator=trace.generator and model.transformer.generator,
    )


def _read_again(model: Model, trace: Trace, edits: Sequence[Edit], seed: int | None) -> Trace:
    return model.trace(trace.source_text, None, edits, None, seed, trace.text_pair)


def _asked(trace: Trace, words: Sequence[int], model: Model) -> Trace:
    """The run, with other words in the place of those that its rows chose."""
    reading = model.reading(trace, words)
    return replace(
        trace,
        output_text=reading.text,
        output_tokens=reading.surfaces,
        output_pieces=tuple(trace.vocabulary[word] for word in words),
        steps=(),
    )
