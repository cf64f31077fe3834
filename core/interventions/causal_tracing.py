"""Causal tracing: which vector, of which layer and word, makes two translations differ.

Two sentences of one length, `… too tired` and `… too wide`. The first runs again and again, each
time with one vector taken from the run of the other, and one sees how far that turns the word
which it writes into the word which the other would write (Vig et al. 2020, Meng et al. 2022).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

import torch
from torch import Tensor

from glassformer.core.config import ModelConfig
from glassformer.core.errors import GlassformerError, check_index
from glassformer.core.interventions.experiment import ids_of, segments_of
from glassformer.core.text_models.model import Model
from glassformer.core.trace.graph import addresses, layer_count, layer_end, sublayers
from glassformer.core.trace.tape import Edit, Recorder
from glassformer.core.trace.trace import Trace

Side = Literal["encoder", "decoder"]
AT_ONCE = 32  # patched runs in one batch
BLANKS = ("[MASK]", "<mask>")
ENDS = ("<eos>", "</s>", "[CLS]", "[SEP]", "<s>")  # no words of a text


@dataclass(frozen=True)
class Question:
    """The row of the decoder that is watched, and the two words it decides between, as ids."""

    row: int
    answer: int  # what the row would write after reading the other sentence
    rival: int  # what it wrote


@dataclass(frozen=True)
class Grid:
    """One stack: a row a patched tensor, in computation order, a column a word."""

    addresses: tuple[str, ...]
    tokens: tuple[str, ...]
    restored: Tensor  # (addresses, positions): 0 nothing came across, 1 all of it
    probabilities: Tensor  # the same of p(answer), 0..1


@dataclass(frozen=True)
class Tracing:
    """What was found so far, as values that are never written to.

    Scores are log p(answer) − log p(rival), in nats; all runs were given the same target.
    """

    config: ModelConfig
    question: Question
    tokens: Mapping[Side, tuple[str, ...]]
    plain: float  # score of the sentence left alone
    other: float  # score of the other sentence
    scores: Mapping[str, Tensor] = field(default_factory=dict)  # by address, (positions,)
    probabilities: Mapping[str, Tensor] = field(default_factory=dict)  # the same of p(answer)

    @property
    def done(self) -> int:
        """How many tensors were patched, at every word."""
        return len(self.scores)

    @property
    def total(self) -> int:
        """How many there are."""
        return len(patched_addresses(self.config))

    def grid(self, side: Side) -> Grid | None:
        """The rows of a stack that are done.

        Args:
            side: the stack, encoder or decoder.

        Returns:
            The patched tensors of the stack in computation order, by position; None before the
            first.
        """
        own = set(self.scores) & set(_of_stack(self.config, side))
        if not own:
            return None
        ordered = tuple(address for address in addresses(self.config) if address in own)
        scores = torch.stack([self.scores[each] for each in ordered])
        return Grid(
            ordered,
            self.tokens[side],
            (scores - self.plain) / (self.other - self.plain),
            torch.stack([self.probabilities[each] for each in ordered]),
        )


@torch.no_grad()
def causal_tracing(
    model: Model, plain: Trace, other: Trace, row: int | None = None, so_far: Tracing | None = None
) -> Iterator[Tracing]:
    """Patches every vector of `patched_addresses` once, and reports after each tensor.

    Args:
        model: the shared model; it is only run.
        plain: its run of the sentence that is patched.
        other: its run of the sentence that the vectors come from; its own target does not count.
        row: which word of the translation is watched, counted from 0; None takes the first that
            would change.
        so_far: a tracing of the same question that was interrupted; None begins anew.

    Yields:
        What was found so far, after each tensor was patched at every word; where `so_far` is
        complete, that alone.

    Raises:
        GlassformerError: `patching_lengths` for texts of different lengths, `patching_same` where
            the row writes the same after both, `out_of_range` for a row that is not there,
            `no_generator` for a model that writes no words.
    """
    own, given = _ids(model, plain, other)
    found = so_far or _start(model, plain, other, row)
    left = [each for each in patched_addresses(model.config) if each not in found.scores]
    if not left:
        yield found
        return
    donor = Recorder(keep=lambda address: address in left)
    model.transformer.decode(*given, donor, segments_of(model, other))
    segments = segments_of(model, plain)
    for address in left:
        read = donor.tensors[address]
        patch = address, read
        logs = _patched(model, own, segments, patch, found.question.row)  # (positions, V)
        answer = logs[:, found.question.answer]
        scores = (answer - logs[:, found.question.rival]).cpu()
        found = replace(
            found,
            scores={**found.scores, address: scores},
            probabilities={**found.probabilities, address: answer.exp().cpu()},
        )
        yield found


def patched_addresses(config: ModelConfig) -> tuple[str, ...]:
    """Where every vector is patched once: what enters a stack, leaves its layers and sub-layers.

    Args:
        config: of the model.

    Returns:
        Addresses of tensors (B, positions, D), in the order in which they are patched.
    """
    return (*_of_stack(config, "encoder"), *_of_stack(config, "decoder"))


def _of_stack(config: ModelConfig, side: Side) -> tuple[str, ...]:
    """What enters the stack and leaves each layer, then what each kind of sub-layer adds."""
    layers = range(layer_count(config, side))
    if not layers:
        return ()
    states = (layer_end(config, side, layer) for layer in (-1, *layers))
    added = (
        f"{side}/{layer}/{part}/output" for part in sublayers(config, side) for layer in layers
    )
    return (*states, *added)


def _ids(model: Model, plain: Trace, other: Trace) -> list[tuple[Tensor, Tensor]]:
    """Source (1, S) and target (1, T) of both; raises `patching_lengths`, `no_generator`.

    A translator is given the target of the first both times; of a text that is continued what was
    typed is the target; where blanks are filled in there is none.
    """
    if not model.config.has_generator:
        raise GlassformerError("no_generator", name=model.name)
    if model.kind == "continue":
        typed = [each.target_pieces[: _typed(model, each)] for each in (plain, other)]
        _check_lengths(*typed)
        return [(ids_of(model, "source", ()), ids_of(model, "target", each)) for each in typed]
    both = [each.source_pieces for each in (plain, other)]
    _check_lengths(*both)
    sources = [ids_of(model, "source", each) for each in both]
    if model.kind == "fill_in":
        return [(each, each) for each in sources]
    target = ids_of(model, "target", plain.target_pieces)
    return [(each, target) for each in sources]


def _typed(model: Model, trace: Trace) -> int:
    """How many of the rows of a continued text have read what was typed alone."""
    return 1 + len(model.task_of(trace).given)


def _check_lengths(plain: Sequence[str], other: Sequence[str]) -> None:
    if len(plain) != len(other):
        given, needed = (
            sum(piece not in ENDS for piece in each) for each in (other, plain)
        )  # no <eos>
        raise GlassformerError("patching_lengths", given=given, needed=needed)


@torch.no_grad()
def tracing_questions(model: Model, plain: Trace, other: Trace) -> tuple[Question, ...]:
    """Every word of the translation that a tracing can watch.

    Args:
        model: the shared model; it is only run.
        plain: its run of the sentence that is patched.
        other: its run of the sentence that the vectors come from.

    Returns:
        The questions in the order of their rows; the first is the one of a tracing without a row.

    Raises:
        GlassformerError: `patching_lengths`, `no_generator`, and `patching_same` where no word
            would change.
    """
    return tuple(each.question for each in _untraced(model, plain, other))


def _untraced(model: Model, plain: Trace, other: Trace) -> list[Tracing]:
    """A tracing for every word that would change, with the scores of both sentences left alone."""
    own, given = _ids(model, plain, other)
    sources, targets = (torch.cat(each) for each in zip(own, given, strict=True))  # (2, S), (2, T)
    scores = model.transformer(sources, targets, segments=segments_of(model, plain, other))
    logs = scores.log_softmax(dim=-1)  # (2, T, V)
    barred = sorted(model.task_of(plain).forbidden) if model.kind != "fill_in" else []
    words = logs.index_fill(
        -1, torch.tensor(barred, dtype=torch.long, device=logs.device), -torch.inf
    ).argmax(-1)
    tokens: dict[Side, tuple[str, ...]] = {
        "encoder": plain.source_tokens, "decoder": plain.target_tokens[: targets.size(1)]
    }  # fmt: skip
    blanks = [row for row, piece in enumerate(plain.source_pieces) if piece in BLANKS]
    found = []
    for row, (rival, answer) in enumerate(words.T.tolist()):
        if answer != rival and (not blanks or row in blanks):
            scores = (logs[:, row, answer] - logs[:, row, rival]).tolist()
            found.append(Tracing(model.config, Question(row, answer, rival), tokens, *scores))
    if not found:
        raise GlassformerError("patching_same", text=plain.source_text)
    return found


def _start(model: Model, plain: Trace, other: Trace, row: int | None) -> Tracing:
    """The tracing of a row, or the first one."""
    found = _untraced(model, plain, other)
    if row is None:
        return found[0]
    check_index("row", row, len(plain.target_pieces))
    for each in found:
        if each.question.row == row:
            return each
    raise GlassformerError("patching_same", text=plain.source_text)


def _patched(
    model: Model, own: tuple[Tensor, Tensor], segments: Tensor | None, patch: tuple[str, Tensor],
    row: int,
) -> Tensor:  # fmt: skip
    """Log-probabilities of the row, (positions, V): run p has its vector p from the patch."""
    found, (address, given) = [], patch
    everywhere = torch.arange(given.size(1), device=given.device)
    for places in torch.split(everywhere, AT_ONCE):
        edit = Edit(address, partial(_one_each, given=given, places=places))
        sources, targets = (each.expand(len(places), -1) for each in own)
        tape = Recorder([edit], keep=lambda _: False)
        x = model.transformer.decode(sources, targets, tape, segments)  # (places, T, D)
        found.append(model.transformer.generator(x[:, row]).log_softmax(dim=-1))
    return torch.cat(found)


def _one_each(x: Tensor, given: Tensor, places: Tensor) -> Tensor:
    """X (positions, S, D), of which sentence i takes one vector of `given` (1, S, D)."""
    rows = torch.arange(len(places), device=x.device)
    x[rows, places] = given[0, places]
    return x
