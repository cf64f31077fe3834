"""A training run played again for one sentence: every snapshot reads and translates it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from core.errors import GlassformerError
from core.interruption import counted
from core.reading.training_views import Replay, moment
from core.reading.word_plane import plane, words_to_draw
from core.trace.tables import as_numpy
from core.trace.trace import Trace
from core.translator import Direction, Translator


def replay(
    steps: Sequence[int],
    model_at: Callable[[int], Translator],
    trace_at: Callable[[int], Trace],
) -> Replay:
    """The sentence at each step of a training.

    Args:
        steps: of the snapshots, ascending, the end last; at least one.
        model_at: the translator of a step.
        trace_at: what that translator made of the sentence.

    Raises:
        GlassformerError: what `model_at` and `trace_at` raise.
    """
    end = trace_at(steps[-1])
    vocabulary = model_at(steps[-1]).tokenizer.vocabulary
    words = words_to_draw(vocabulary.pieces, {*end.source_pieces, *end.output_pieces})
    rows = [vocabulary.id(word.piece) for word in words]
    moments = []
    for step in counted(steps, len(steps)):
        model, trace = model_at(step), trace_at(step)
        named = model.transformer.named_parameters()
        weights = {name: as_numpy(weight) for name, weight in named}
        moments.append(moment(step, trace, _reading(model, end) or trace, weights, rows))
    vectors = moments[-1].vectors
    grouped = [place for place, word in enumerate(words) if word.group]
    return Replay(tuple(moments), words, plane(vectors[grouped] if grouped else vectors))


def _reading(model: Translator, end: Trace) -> Trace | None:
    """The model reading the translation of the end; None where that cannot be read again."""
    try:
        direction = cast(Direction, end.direction)
        return model.trace(end.source_text, target=end.output_text, direction=direction)
    except GlassformerError:
        return None
