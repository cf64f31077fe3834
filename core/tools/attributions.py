"""Which words made a number of a run: `glassformer.attribute`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from torch import Tensor

from glassformer.core.analysis.held_run import LOGITS, Metric
from glassformer.core.analysis.word_attribution import (
    Method,
    WordAttribution,
    WordQuestion,
    attribute_words,
)
from glassformer.core.errors import GlassformerError
from glassformer.core.text_models.batches import run_batch
from glassformer.core.text_models.given_texts import GivenText
from glassformer.core.text_models.model import Model
from glassformer.core.trace.batch import Batch
from glassformer.core.trace.tape import Edit


def attribute(
    model: Model, text: GivenText, of: str | int | Callable[[Batch], Tensor],
    method: Method = "exact", *, target: GivenText | None = None, at: int = -1,
    edits: Sequence[Edit] = (),
) -> WordAttribution:  # fmt: skip
    """What each word of a run adds to the logit of a word, or to any other number.

    Sources, signs and what each method does not establish stand at the functions of
    `core.analysis.word_attribution`: `exact_words`, `saliency`, `input_x_gradient`,
    `integrated_gradients`, `gradient_attention`, `attention`, `rollout`. A number above 0 speaks
    for the word or raises the metric; `saliency` and the three of attention are never below 0.
    Costs a run, and what the method says.

    Args:
        model: it is only run, its parameters get no gradients.
        text: exactly this text is run; ids go to the model as they are.
        of: a word (or its id), whose logit is asked for; or a metric, a function from a `Batch` to
            a number a text, (B,). `exact` takes logits and their differences.
        method: the exact split, saliency, input × gradient, integrated gradients, attention times
            its gradient, attention, or rollout.
        target: what is forced on the decoder; None as `run_batch`.
        at: the row of the output, from 0; −1 is the last one. A metric that says its own `at` is
            asked there. It is also the row that the three methods of attention follow.
        edits: changes made to recorded tensors on the way.

    Returns:
        A number a word, and what is in no word; its `table()` has them, `error` says how far they
        are from the number, where the method says that they add up.

    Raises:
        GlassformerError: `attribution_method`, `metric_shape`, `metric_not_linear`;
            `word_unknown` and `word_not_one` for a word, `out_of_range` for an id or a row,
            `no_generator`; and as `run_batch`.
    """
    batch = run_batch(model, [text], targets=[target], edits=edits)
    if not model.config.has_generator and not callable(of):
        raise GlassformerError("no_generator", name=model.name)
    row = batch.row(0, int(getattr(of, "at", at)))
    trace, reads = batch.at(0), tuple(getattr(of, "reads", batch.tensors))
    if callable(of):
        asked = WordQuestion(
            trace, model.transformer, _on_batches(of, batch), row, tuple(edits), reads
        )
    else:
        word = batch.id_of(of) if isinstance(of, str) else of
        asked = WordQuestion.of_word(trace, model.transformer, row, word, edits=edits)
    return attribute_words(asked, method)


def _on_batches(metric: Callable[[Batch], Tensor], batch: Batch) -> Metric:
    """A metric of batches, asked of tensors: of the one text of a batch, as often as they have."""

    def of_tensors(tensors: Mapping[str, Tensor]) -> Tensor:
        count = len(next(iter(tensors.values()))) if LOGITS not in tensors else len(tensors[LOGITS])
        source, target = (mask.expand(count, -1) for mask in (batch.source_mask, batch.target_mask))
        many = replace(
            batch, tensors=tensors, inputs=batch.inputs * count, source_mask=source,
            target_mask=target, output_ids=batch.output_ids * count,
        )  # fmt: skip
        return metric(many)

    return of_tensors
