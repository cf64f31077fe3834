"""What padding does to each sentence of a padded batch, beside the same sentence run alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import torch
from torch import Tensor

from glassformer.core.config import ModelConfig
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions.experiment import Experiment, ids_of, prepare_model, segments_of
from glassformer.core.interventions.translations import divergences
from glassformer.core.text_models.model import Model
from glassformer.core.trace.address import Address
from glassformer.core.trace.sites import site_at
from glassformer.core.trace.tape import Recorder
from glassformer.core.trace.trace import Trace

SIDES: tuple[Literal["source", "target"], ...] = ("source", "target")


@torch.no_grad()
def padded_runs(
    model: Model, traces: Sequence[Trace], experiment: Experiment | None = None
) -> tuple[Trace, ...]:
    """One pass over the words of several runs, padded to one length.

    Args:
        model: the plain translator that made the runs.
        traces: at least one; their words are forced, whatever the experiment would have written.
        experiment: its switches hold in the whole batch; None for none.

    Returns:
        A trace for each sentence: its slice of the batch, `<pad>` among its words. Without
        switches its real rows are those of its own run but for rounding.

    Raises:
        GlassformerError: `no_padding` for a model that has no word for it, `no_generator` for one
            that writes none, and as the edits of the experiment do.
    """
    experiment = experiment or Experiment()
    chosen, asked = prepare_model(experiment, model)
    tape = Recorder(experiment.edits(asked), dropout_seed=experiment.seed)
    padding = padding_of(model)
    source = _padded([trace.source_pieces for trace in traces], padding)
    target = _padded([trace.target_pieces for trace in traces], padding)
    ids = ids_of(model, "source", *source), ids_of(model, "target", *target)
    chosen.transformer(*ids, tape, segments_of(model, *traces))
    tape.finish()
    return tuple(
        replace(
            trace,
            config=chosen.config,
            tensors=_slice(tape.tensors, place),
            source_tokens=_long(trace.source_tokens, len(source[0]), padding),
            source_pieces=source[place],
            target_tokens=_long(trace.target_tokens, len(target[0]), padding),
            target_pieces=target[place],
            output_tokens=_long(trace.output_tokens, len(target[0]), padding),
            output_pieces=_long(trace.output_pieces, len(target[0]), padding),
            edits=tuple(map(str, tape.edits)),
            steps=(),
        )
        for place, trace in enumerate(traces)
    )


def _slice(tensors: dict[str, Tensor], place: int) -> dict[str, Tensor]:
    """One sentence's part, its batch axis of size 1 kept; positions belong to all."""
    found = dict[str, Tensor]()
    for address, tensor in tensors.items():
        axes = site_at(address).axes
        if axes[0] == "batch":
            found[address] = tensor[place : place + 1]
        else:  # segments that are others in each sentence
            found[address] = tensor[place] if tensor.dim() > len(axes) else tensor
    return found


def padding_of(model: Model) -> str:
    """The piece that fills a short text up.

    Args:
        model: whose vocabulary has it.

    Returns:
        The piece, such as `<pad>`.

    Raises:
        GlassformerError: `no_padding` for a model that has no word for it, `no_generator` for one
            that writes none.
    """
    if not model.config.has_generator:
        raise GlassformerError("no_generator", name=model.name)
    if model.config.pad_id < 0:
        raise GlassformerError("no_padding", name=model.name)
    return model.vocabulary[model.config.pad_id]


def padded_sides(config: ModelConfig) -> tuple[Literal["source", "target"], ...]:
    """Whose padding a model masks, what it reads or writes.

    Args:
        config: of the model.

    Returns:
        `source` where it has an encoder, `target` where it has a decoder; () without a word for
        padding.
    """
    if config.pad_id < 0:
        return ()
    has = {"source": config.encoder_layers > 0, "target": config.decoder_layers > 0}
    return tuple(side for side in SIDES if has[side])


def _padded(rows: Sequence[Sequence[str]], padding: str) -> list[tuple[str, ...]]:
    longest = max(map(len, rows))
    return [_long(row, longest, padding) for row in rows]


def _long(words: Sequence[str], length: int, padding: str) -> tuple[str, ...]:
    return (*words, *[padding] * (length - len(words)))


@dataclass(frozen=True)
class InBatch:
    """One sentence in a padded batch; only what a screen shows is kept, and rows of real words.

    `weights` and `masks` are (H, rows, keys) by the address of their attention, padding among the
    keys. `largest` is the largest |difference| of any word's probability to the run alone,
    `divergence` KL(alone ‖ batch) of each row in nats, `chances` the probability of the word that
    each row writes.
    """

    source_tokens: tuple[str, ...]
    target_tokens: tuple[str, ...]
    sources: int  # how many of them are words, not padding
    targets: int
    weights: Mapping[str, Tensor]
    masks: Mapping[str, Tensor]
    chances: Tensor  # (targets,)
    largest: float
    divergence: Tensor  # (targets,)

    @property
    def nbytes(self) -> int:
        """Bytes of all its maps together."""
        return sum(each.nbytes for each in (*self.weights.values(), *self.masks.values()))

    def keys(self, attention: str) -> int:
        """How many keys of an attention are words; the others are padding.

        Args:
            attention: its address, such as `decoder/1/cross_attention`.

        Returns:
            The number of words of the sentence itself.
        """
        return self.targets if Address.of(attention).is_causal else self.sources

    def to_padding(self, attention: str, head: int | None = None) -> Tensor:
        """The share of each row's attention weight that lies on padding.

        Args:
            attention: its address, such as `decoder/1/cross_attention`.
            head: counted from 0; None for the mean of all.

        Returns:
            (rows,), 0..1, of the rows of real words.
        """
        weights = self.weights[attention][..., self.keys(attention) :].sum(dim=-1)  # (H, rows)
        return weights.mean(dim=0) if head is None else weights[head]

    @property
    def most_to_padding(self) -> float:
        """The largest share of any row, of any head."""
        return max(
            float(weights[..., self.keys(each) :].sum(dim=-1).max())
            for each, weights in self.weights.items()
        )


def in_batch(
    model: Model, traces: Sequence[Trace], experiment: Experiment | None = None
) -> tuple[InBatch, ...]:
    """The sentences of runs in one padded batch, each beside its own run.

    Args:
        model: the plain translator that made the runs.
        traces: the plain runs; their words are forced.
        experiment: what is switched in the batch, such as `PaddingOff`; None for nothing.

    Returns:
        One entry for each run, in their order.

    Raises:
        GlassformerError: as `padded_runs`.
    """
    padded = padded_runs(model, traces, experiment)
    return tuple(_beside(alone, found) for alone, found in zip(traces, padded, strict=True))


def word_probabilities(trace: Trace, rows: int) -> Tensor:
    """The probability of the word that stands in each of the first rows.

    Args:
        trace: the run that is read.
        rows: how many.

    Returns:
        (rows,), 0..1, on the CPU.
    """
    return trace["output/probabilities"][0, range(rows), list(trace.output_ids[:rows])].cpu()


def _beside(alone: Trace, found: Trace) -> InBatch:
    sources, targets = len(alone.source_tokens), len(alone.target_tokens)
    size = {"encoder": sources, "decoder": targets}
    attentions = [at.place for at in map(Address.of, found) if at.name == "mask"]

    def own(name: str) -> dict[str, Tensor]:
        return {
            each: found[f"{each}/{name}"][0, :, : size[Address.of(each).stack]].cpu().clone()
            for each in attentions
        }

    words = found["output/probabilities"][0, :targets]
    return InBatch(
        source_tokens=found.source_tokens,
        target_tokens=found.target_tokens,
        sources=sources,
        targets=targets,
        weights=own("weights"),
        masks=own("mask"),
        chances=word_probabilities(found, targets),
        largest=float((words - alone["output/probabilities"][0]).abs().max()),
        divergence=divergences(alone, found),
    )
