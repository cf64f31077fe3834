"""What is to be decoded, as one value for every strategy, and what one step chose from."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import torch
from torch import Tensor

from glassformer.core.decoding.no_repeat import NoRepeat, Watch
from glassformer.core.errors import GlassformerError
from glassformer.core.model.transformer import Transformer

Forced = Mapping[int, int]  # position of the output -> the id that is written there, whatever comes
NOTHING: Forced = MappingProxyType({})


@dataclass(frozen=True)
class Task:
    """One sentence to write.

    source: its ids, (S,). start: the begin token, here the language to write. end: the end token,
    the first where a model has several: more_ends are the others, −1 is none.
    limit: most words to write, the end token included. forbidden: ids that are never chosen.
    guard: forbids words that would close a circle; None lets the decoder loop. given: words that
    are written before anything is chosen, of a text that is continued: the limit counts them, and
    the end among them ends nothing.
    """

    source: tuple[int, ...]
    start: int
    end: int
    limit: int
    forbidden: frozenset[int] = frozenset()
    guard: NoRepeat | None = None
    given: tuple[int, ...] = ()
    more_ends: tuple[int, ...] = ()

    @property
    def every_end(self) -> frozenset[int]:
        """The ids that end a sentence."""
        return frozenset({self.end, *self.more_ends} - {-1})

    @property
    def beginning(self) -> tuple[int, ...]:
        """What stands before the first choice, with the begin token."""
        return (self.start, *self.given)

    @property
    def forced_first(self) -> int:
        """How many of the given words are the first of a translation, not a text to go on with."""
        return len(self.given) if self.source else 0

    def ends(self, word: int, length: int) -> bool:
        """Whether a word ends the sentence, as the last of so many."""
        return word in self.every_end and length > len(self.given)

    def forced(self, further: Forced) -> Forced:
        """What is written whatever the model prefers: the given words, and further ones."""
        return {**further, **dict(enumerate(self.given))} if self.given else further

    def source_ids(self, model: Transformer) -> Tensor:
        """The source where the model is: (1, S)."""
        device = model.generator.weight.device
        return torch.tensor([self.source], dtype=torch.long, device=device)

    def check(
        self, model: Transformer, words: Iterable[int], positions: Iterable[int] = ()
    ) -> None:
        """Raises `out_of_range` for an id the vocabulary lacks, a position beyond the limit."""
        for word in words:
            _check("word", word, model.config.vocabulary_size - 1)
        for position in positions:
            _check("position", position, self.limit - 1)


def most_words(source_length: int, max_length: int) -> int:
    """How many words a translation may take, the end token included."""
    return min(2 * source_length + 12, max_length)


def check_number(name: str, given: float, low: float, high: float) -> None:
    """Raises `decoding_range` for a setting that is no number between these, both allowed."""
    if not low <= given <= high:  # not a number is neither
        raise GlassformerError("decoding_range", name=name, given=given, low=low, high=high)


def _check(name: str, given: int, last: int) -> None:
    if not 0 <= given <= last:
        raise GlassformerError("out_of_range", name=name, given=given, last=last)


@dataclass(frozen=True)
class Step:
    """One row of the decoder: the best candidates, the chosen one, how undecided it was."""

    chosen: int  # id
    probability: float  # of the chosen one, 0..1
    entropy: float  # of the whole distribution, in nats
    candidates: tuple[tuple[int, float], ...]  # (id, probability), best first
    guarded: int | None = None  # the better id that the repetition guard forbade here

    @property
    def alike(self) -> float:
        """As unsure as between so many words of equal probability: e to the entropy."""
        return math.exp(self.entropy)

    @property
    def rest(self) -> float:
        """The probability of all words together that are not among the candidates."""
        return max(0.0, 1.0 - math.fsum(share for _, share in self.candidates))


def step_from(
    logits: Tensor,
    forbidden: Collection[int] = (),
    watch: Watch | None = None,
    written: Sequence[int] = (),
    keep: int = 10,
) -> Step:
    """The step read off one row of logits (V,): the most probable word is taken.

    `forbidden` ids are never taken, nor one that a `watch` stops after the ids `written`, but all
    keep their place among the candidates: what the model thinks stays as it is.
    """
    log_probabilities = logits.float().log_softmax(dim=-1)  # (V,)
    probabilities = log_probabilities.exp()
    best = probabilities.topk(min(keep, len(probabilities)))
    taken, guarded = _best(probabilities, forbidden), None
    if watch is not None:
        taken, guarded = watch.choose(
            taken, lambda also: _best(probabilities, {*forbidden, *also}), written
        )
    entropy = -(probabilities * log_probabilities).nan_to_num().sum()
    return Step(
        chosen=taken,
        probability=float(probabilities[taken]),
        entropy=float(entropy),
        candidates=tuple(zip(best.indices.tolist(), best.values.tolist(), strict=True)),
        guarded=guarded,
    )


def step_of(logits: Tensor, chosen: int, keep: int = 10, guarded: int | None = None) -> Step:
    """The step of one row of logits (V,) where something else chose: a hand, a dice, a beam."""
    probability = logits.float().log_softmax(dim=-1).exp()[chosen]
    step = step_from(logits, keep=keep)
    return replace(step, chosen=chosen, probability=float(probability), guarded=guarded)


def largest_difference(one: Tensor, other: Tensor) -> float:
    """The largest difference between the probabilities of two rows of logits (V,)."""
    return float((one.float().softmax(dim=-1) - other.float().softmax(dim=-1)).abs().max())


def _best(probabilities: Tensor, forbidden: Collection[int]) -> int:
    best = int(probabilities.argmax())
    if best not in forbidden:
        return best
    index = torch.tensor(list(forbidden), dtype=torch.long, device=probabilities.device)
    return int(probabilities.index_fill(0, index, -1.0).argmax())
