"""Which head matters: every head knocked out, all in one batch, and the harm measured.

The sentence and its translation stand in the batch once as they are and once for every head; in
each copy one head is off. All copies are forced to the same words, so their rows can be compared;
under dropout all of them drop what the sentence drops when it is run alone.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from glassformer.core.config import ModelConfig
from glassformer.core.interventions.experiment import Experiment, ids_of, prepare_model, segments_of
from glassformer.core.interventions.heads import Way, fill_heads
from glassformer.core.interventions.parts import OfHeads
from glassformer.core.interventions.switch import Setting
from glassformer.core.interventions.translations import kullback_leibler
from glassformer.core.model.device import to_float64
from glassformer.core.text_models.model import Model
from glassformer.core.trace.address import Address
from glassformer.core.trace.tape import Edit, Recorder
from glassformer.core.trace.trace import Trace

COPIES = 64  # heads in one batch; more are run in several, to bound the memory


@dataclass(frozen=True)
class AblatedHead:
    """What becomes of the written words without one head; tuples hold one number a row."""

    where: str  # decoder/1/cross_attention
    head: int
    before: tuple[float, ...]  # probability of the written word with all heads, 0..1
    after: tuple[float, ...]  # and without this one
    divergence: tuple[float, ...]  # KL(with ‖ without) of the whole distribution, in nats

    @property
    def kl(self) -> float:
        """The mean divergence of a row, in nats."""
        return sum(self.divergence) / len(self.divergence)

    @property
    def worst(self) -> int:
        """The row whose written word loses most probability."""
        losses = [b - a for b, a in zip(self.before, self.after, strict=True)]
        return losses.index(max(losses))


@torch.no_grad()
def ablated_heads(
    model: Model,
    trace: Trace,
    way: Way = "zero",
    experiment: Experiment | None = None,
    asked: Setting | None = None,
    at_once: int = COPIES,
) -> tuple[AblatedHead, ...]:
    """Every head of every attention knocked out (ablation).

    Args:
        model: the plain translator.
        trace: a run of it (any, also an edited one): its words are forced.
        way: a head that is out is zero, or its mean over a reference set.
        experiment: switches that hold in all copies; None for none.
        asked: as in `core.interventions.experiment.run`.
        at_once: heads in one batch.

    Returns:
        One entry a head, the most harmful (by KL) first; those with an infinite or lost KL (NaN,
        where a row with nothing allowed has spread) stand before all others.

    Raises:
        GlassformerError: as the edits of the experiment do.
    """
    experiment = experiment or Experiment()
    runner, asked = prepare_model(experiment, model, asked)
    base, found = experiment.edits(asked), list[AblatedHead]()
    means = asked.means() if way == "mean" else None
    if experiment.seed is not None:
        base = (*base, *_dropping(runner, trace, base, experiment.seed))
    everyone = list(heads_of(runner.config))
    for start in range(0, len(everyone), at_once):
        some = everyone[start : start + at_once]
        edits = [
            Edit(f"{where}/context", _in_copy(copy, fill_heads([head], f"{where}/context", means)))
            for copy, (where, head) in enumerate(some, start=1)
        ]
        logs = _log_probabilities(runner, trace, len(some) + 1, (*base, *edits), experiment.seed)
        written = ids_of(runner, "target", trace.output_pieces)[0].to(logs.device)  # (T,)
        found += [
            _ablated(where, head, logs, i, written) for i, (where, head) in enumerate(some, 1)
        ]
    return tuple(sorted(found, key=lambda each: -each.kl if math.isfinite(each.kl) else -math.inf))


def heads_of(config: ModelConfig) -> Iterator[tuple[str, int]]:
    """Every attention with each of its heads, in computation order.

    Args:
        config: of the model.

    Yields:
        The place, such as `decoder/1/cross_attention`, and the head, counted from 0.
    """
    for where in OfHeads().places(config):
        yield from ((where, head) for head in range(config.of(where).n_heads))


def _log_probabilities(
    model: Model, trace: Trace, copies: int, edits: Sequence[Edit], seed: int | None
) -> Tensor:
    """The pass over the sentence's words in so many copies: (copies, T, V), float64, in nats."""
    source = ids_of(model, "source", trace.source_pieces).expand(copies, -1)  # (copies, S)
    target = ids_of(model, "target", trace.target_pieces).expand(copies, -1)  # (copies, T)
    tape = Recorder(edits, keep=lambda _: False, dropout_seed=seed)
    logits: Tensor = model.transformer(source, target, tape, segments_of(model, trace))
    tape.finish()
    return to_float64(logits).log_softmax(dim=-1)


def _dropping(model: Model, trace: Trace, edits: Sequence[Edit], seed: int) -> list[Edit]:
    """What one copy alone keeps and drops, for all copies."""
    tape = Recorder(edits, keep=lambda each: Address.of(each).name == "kept", dropout_seed=seed)
    source = ids_of(model, "source", trace.source_pieces)
    target = ids_of(model, "target", trace.target_pieces)
    model.transformer(source, target, tape, segments_of(model, trace))
    return [Edit(address, kept.expand_as) for address, kept in tape.tensors.items()]


def _in_copy(copy: int, change: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    def changed(context: Tensor) -> Tensor:
        context[copy : copy + 1] = change(context[copy : copy + 1])
        return context

    return changed


def _ablated(where: str, head: int, logs: Tensor, copy: int, written: Tensor) -> AblatedHead:
    with_all, without = logs[0], logs[copy]  # (T, V)
    rows = torch.arange(len(written), device=logs.device)
    return AblatedHead(
        where=where,
        head=head,
        before=tuple(with_all[rows, written].exp().tolist()),
        after=tuple(without[rows, written].exp().tolist()),
        divergence=tuple(kullback_leibler(with_all, without).tolist()),
    )
