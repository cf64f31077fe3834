"""Causal tracing: which vector, of which layer and word, makes two translations differ.

Two sentences of one length, `… too tired` and `… too wide`. The first runs again and again, each
time with one vector taken from the run of the other, and one sees how far that turns the word
which it writes into the word which the other would write (Vig et al. 2020, Meng et al. 2022).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import torch
from torch import Tensor

from core.config import ModelConfig
from core.errors import GlassformerError
from core.trace.tape import Edit, Recorder
from core.trace.trace import Trace
from core.translator import Translator

Side = Literal["encoder", "decoder"]
What = Literal["state", "self_attention", "cross_attention", "feed_forward"]
AT_ONCE = 32  # patched runs in one batch


@dataclass(frozen=True)
class Question:
    """The row of the decoder that is watched, and the two words it decides between, as ids."""

    row: int
    answer: int  # what the row would write after reading the other sentence
    rival: int  # what it wrote


@dataclass(frozen=True)
class Sweep:
    """What was found so far; of the last one that a sweep gives, `done` is `total`.

    Scores are log p(answer) − log p(rival), in nats; all runs were given the same target.
    """

    question: Question
    addresses: tuple[str, ...]  # one a row, in computation order
    tokens: tuple[str, ...]  # one a column: the words of the side that is patched
    plain: float  # score of the sentence left alone
    other: float  # score of the other sentence
    scores: Tensor  # (addresses done, positions), each with one vector patched
    probabilities: Tensor  # the same of p(answer), 0..1

    @property
    def done(self) -> int:
        """How many addresses have been swept."""
        return len(self.scores)

    @property
    def total(self) -> int:
        """How many there are."""
        return len(self.addresses)

    @property
    def restored(self) -> Tensor:
        """(done, positions): 0, nothing came across; 1, as after reading the other sentence."""
        return (self.scores - self.plain) / (self.other - self.plain)


@dataclass(frozen=True)
class _Pair:
    """Both runs, in ids; the target is that of the first."""

    model: Translator
    source: Tensor  # (1, S)
    other: Tensor  # (1, S)
    target: Tensor  # (1, T)


@torch.no_grad()
def sweep(
    model: Translator,
    plain: Trace,
    other: Trace,
    row: int | None = None,
    side: Side = "encoder",
    what: What = "state",
) -> Iterator[Sweep]:
    """Patches every vector of `side` once, and reports after each layer.

    Args:
        model: the shared model; it is only run.
        plain: its run of the sentence that is patched.
        other: its run of the sentence that the vectors come from; its own target does not count.
        row: which word of the translation is watched; None takes the first that would change.
        side: the stack whose vectors are patched, at every word.
        what: the `state` that enters the stack and leaves each layer, or what a sub-layer adds.

    Raises:
        GlassformerError: `sweep_lengths` for sources of different lengths, `sweep_same` where the
            row writes the same after both, `out_of_range` for a row that is not there,
            `unknown_address` for a sub-layer that the side does not have.
    """
    pair = _pair(model, plain, other)
    places = swept_addresses(model.config, side, what)
    question, start, end = _question(pair, plain, row)
    donor = Recorder(keep=lambda address: address in places)
    model.transformer.decode(pair.other, pair.target, donor)
    nothing = torch.empty(0, donor.tensors[places[0]].size(1))
    tokens = plain.source_tokens if side == "encoder" else plain.target_tokens
    found = Sweep(question, places, tokens, start, end, nothing, nothing)
    for address in places:
        logs = _patched(pair, address, donor.tensors[address], question.row)  # (positions, V)
        scores = (logs[:, question.answer] - logs[:, question.rival]).cpu()
        found = replace(
            found,
            scores=torch.cat([found.scores, scores[None]]),
            probabilities=torch.cat(
                [found.probabilities, logs[:, question.answer].exp().cpu()[None]]
            ),
        )
        yield found


def swept_addresses(config: ModelConfig, side: Side, what: What) -> tuple[str, ...]:
    """Where a sweep patches, in computation order; all are (B, positions, D)."""
    layers = range(config.encoder_layers if side == "encoder" else config.decoder_layers)
    if what != "state":
        if (side, what) == ("encoder", "cross_attention"):
            near = "encoder/0/self_attention/output"
            raise GlassformerError(
                "unknown_address", address="encoder/0/cross_attention/output", nearest=near
            )
        return tuple(f"{side}/{layer}/{what}/output" for layer in layers)
    last = "norm/output" if config.norm_place == "post" else "residual/summed"
    start = "source/input" if side == "encoder" else "target/input"
    return (start, *(f"{side}/{layer}/feed_forward_{last}" for layer in layers))


def _pair(model: Translator, plain: Trace, other: Trace) -> _Pair:
    if len(plain.source_tokens) != len(other.source_tokens):
        given, needed = (len(each.source_tokens) - 1 for each in (other, plain))  # no <eos>
        raise GlassformerError("sweep_lengths", given=given, needed=needed)

    def ids(pieces: Sequence[str]) -> Tensor:
        known = [model.tokenizer.vocabulary.id(piece) for piece in pieces]
        return torch.tensor([known], device=model.device)

    return _Pair(
        model, ids(plain.source_pieces), ids(other.source_pieces), ids(plain.target_pieces)
    )


@torch.no_grad()
def questions(model: Translator, plain: Trace, other: Trace) -> tuple[Question, ...]:
    """Every word of the translation that a sweep can watch, in its order; the first is its own.

    Raises `GlassformerError`: `sweep_lengths`, and `sweep_same` where no word would change.
    """
    pair = _pair(model, plain, other)
    _, words = _both(pair, plain)
    differ = (words[0] != words[1]).nonzero()[:, 0].tolist()
    if not differ:
        raise GlassformerError("sweep_same", text=plain.source_text)
    rivals, answers = words.tolist()
    return tuple(Question(row, answers[row], rivals[row]) for row in differ)


def _both(pair: _Pair, plain: Trace) -> tuple[Tensor, Tensor]:
    """Log-probabilities of both sentences left alone, (2, T, V), and the words they write."""
    both = torch.cat([pair.source, pair.other])  # (2, S)
    logs = pair.model.transformer(both, pair.target.expand(2, -1)).log_softmax(dim=-1)  # (2, T, V)
    language = plain.direction.partition("-")[2]
    barred = pair.model.forbidden(plain.source_pieces, language)
    words = logs.index_fill(-1, torch.tensor(barred, device=logs.device), -torch.inf).argmax(-1)
    return logs, words


def _question(pair: _Pair, plain: Trace, row: int | None) -> tuple[Question, float, float]:
    """What is watched, and the scores of both sentences left alone."""
    logs, words = _both(pair, plain)
    differ: list[int] = (words[0] != words[1]).nonzero()[:, 0].tolist()
    if row is not None and not 0 <= row < words.size(1):
        raise GlassformerError("out_of_range", name="row", given=row, last=words.size(1) - 1)
    if not differ or (row is not None and row not in differ):
        raise GlassformerError("sweep_same", text=plain.source_text)
    asked = differ[0] if row is None else row
    rival, answer = words[:, asked].tolist()
    scores: list[float] = (logs[:, asked, answer] - logs[:, asked, rival]).tolist()
    return Question(asked, answer, rival), scores[0], scores[1]


def _patched(pair: _Pair, address: str, given: Tensor, row: int) -> Tensor:
    """Log-probabilities of the row, (positions, V): run p has its vector p from `given`."""
    found = []
    everywhere = torch.arange(given.size(1), device=given.device)
    for places in torch.split(everywhere, AT_ONCE):
        many = len(places)
        tape = Recorder([Edit(address, partial(_one_each, given=given, places=places))], _nothing)
        x = pair.model.transformer.decode(
            pair.source.expand(many, -1), pair.target.expand(many, -1), tape
        )  # (many, T, D)
        found.append(pair.model.transformer.generator(x[:, row]).log_softmax(dim=-1))
    return torch.cat(found)


def _one_each(x: Tensor, given: Tensor, places: Tensor) -> Tensor:
    """X (positions, S, D), of which sentence i takes one vector of `given` (1, S, D)."""
    rows = torch.arange(len(places), device=x.device)
    x[rows, places] = given[0, places]
    return x


def _nothing(_: str) -> bool:
    return False
