"""What a head does: the model without it, and with its attention turned by hand.

Two ways to be without a head: its output (`context`) is *zeroed*, or it is replaced in every row
by its *mean* over the test sentences, which takes away what the head says about this sentence
and leaves what it always says.

"The animal didn't cross the street because it was too tired": Chinese names the noun again. In
the row that writes it, attention is set to look at the other noun alone, and one sees whether
that noun is written instead.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import Any, Literal

import torch
from torch import Tensor

from glassformer.core.corpus import DIRECTIONS, Direction, Pair
from glassformer.core.text.vocabulary import PADDING
from glassformer.core.text_models.translator import Translator
from glassformer.core.trace.address import Address
from glassformer.core.trace.tape import Edit
from glassformer.core.training.evaluation.attention import Part, attention_parts
from glassformer.core.training.evaluation.held_out import resolved_rows
from glassformer.core.training.evaluation.passes import (
    Tally,
    both_right,
    count_true,
    run_passes,
    word_for_word,
)

Way = Literal["zeroed", "mean"]
WAYS: tuple[Way, ...] = ("zeroed", "mean")


@dataclass(frozen=True)
class Without:
    """How the model does without a part; `exact` by direction."""

    coreference: Tally
    exact: dict[str, Tally] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Shares, 0..1."""
        shares = {f"exact_{d.replace('-', '_')}": round(t.rate, 4) for d, t in self.exact.items()}
        if self.coreference.total:
            shares["coreference"] = round(self.coreference.rate, 4)
        return shares


def knock_outs(
    translator: Translator,
    readings: Sequence[tuple[Pair, Pair]],
    pairs: Sequence[Pair],
    progress: Callable[[str], None] = lambda _: None,
) -> dict[str, dict[str, Without]]:
    """The model without each attention and each head: an ablation, zeroed and at the mean.

    Args:
        translator: the model with its tokenizer.
        readings: sentences in two versions, in which a pronoun stands for different nouns.
        pairs: what else is translated.
        progress: is told which attention comes next.

    Returns:
        By part and way ("zeroed", "mean"); under "nothing" is the model as it is, "unchanged".
    """
    in_order = sorted(readings, key=lambda both: len(both[0].english))  # less padding
    flat = [pair for both in in_order for pair in both]
    pairs = sorted(pairs, key=lambda pair: (len(pair.english), len(pair.chinese)))
    found = {"nothing": {"unchanged": _without(translator, flat, pairs, None)}}
    means = mean_contexts(translator, [*flat, *pairs])
    for part in attention_parts(translator):
        if part.head is None:
            progress(f"without {part.name}, and without each of its heads")
        found[part.name] = {
            way: _without(
                translator, flat, pairs, part.edit(means[part.address] if way == "mean" else None)
            )
            for way in WAYS
        }
    return found


def _without(
    translator: Translator, flat: Sequence[Pair], pairs: Sequence[Pair], edit: Edit | None
) -> Without:
    def right(some: Sequence[Pair], direction: Direction) -> list[bool]:
        return word_for_word(translator, some, direction, (lambda _: (edit,)) if edit else None)

    exact: dict[str, Tally] = {name: count_true(right(pairs, name)) for name in DIRECTIONS}
    return Without(both_right(right(flat, "en-zh")), exact)


def mean_contexts(translator: Translator, pairs: Sequence[Pair]) -> dict[str, Tensor]:
    """The mean output of each head over all words of all pairs.

    Args:
        translator: the model with its tokenizer.
        pairs: run in the directions that each teaches.

    Returns:
        (H, K) by address of the `context`.
    """
    sums: dict[str, Tensor] = {}
    counts: dict[str, float] = {}
    padding = translator.tokenizer.vocabulary.id(PADDING)

    def wanted(at: Address) -> bool:
        return at.is_attention and at.name == "context"

    for direction in DIRECTIONS:
        for run in run_passes(translator, pairs, direction, keep=wanted):
            for address, context in run.kept.items():
                encoder = Address.of(address).stack == "encoder"
                ids = run.batch.source if encoder else run.batch.target_input
                words = (ids != padding).float()  # (B, T)
                total = torch.einsum("bhtk,bt->hk", context, words)
                sums[address] = sums.get(address, torch.zeros_like(total)) + total
                counts[address] = counts.get(address, 0.0) + float(words.sum())
    return {address: total / counts[address] for address, total in sums.items()}


@dataclass(frozen=True)
class Case:
    """One reading, and what would make it the other."""

    pair: Pair
    writes: int  # the decoder's row that writes the resolved noun
    pronoun: int  # the encoder's row of the pronoun
    other: int  # position of the other noun in the source
    words: tuple[str, str]  # the noun in Chinese, and the other


def turn_name(part: Part) -> str:
    """What was turned: `decoder layer 2 head 1`, `decoder layer 2, all heads`.

    Args:
        part: one head or a whole attention; a pattern such as `decoder/*/cross_attention` is all
            layers.

    Returns:
        The name; layers and heads count from 1.
    """
    at = Address.of(part.stack)
    if at.layer is None:
        return f"{at.stack}, all layers"
    return f"{at.stack} {part.where}{', all heads' if part.head is None else ''}"


def turn_rows(part: Part, cases: Sequence[Case]) -> Edit:
    """Turns the row in question of each sentence of a batch: all its weight goes to the other noun.

    Args:
        part: the heads that are turned; in an encoder the pronoun's row, in a decoder the row
            that
            writes the noun.
        cases: those of the batch, in its order.

    Returns:
        An edit of the attention's weights.
    """
    encoder = Address.of(part.stack).stack == "encoder"

    def change(weights: Tensor) -> Tensor:  # (B, H, T, S)
        for index, case in enumerate(cases):
            row = case.pronoun if encoder else case.writes
            weights[index, part.heads, row] = 0.0
            weights[index, part.heads, row, case.other] = 1.0
        return weights

    return Edit(f"{part.stack}/weights", change, f"{turn_name(part)} turned")


def cases_of(readings: Sequence[tuple[Pair, Pair]]) -> list[Case]:
    """Both readings of each pair whose resolved noun is one word of Chinese.

    Args:
        readings: sentences in two versions, in which a pronoun stands for different nouns.

    Returns:
        Two cases for each that is used.
    """
    found = []
    for one, other in readings:
        rows, other_rows = resolved_rows(one), resolved_rows(other)
        if len(rows) != 1 or len(other_rows) != 1:
            continue
        nouns = one.chinese[rows[0]], other.chinese[other_rows[0]]
        found += [_case(one, other, rows[0], nouns), _case(other, one, other_rows[0], nouns[::-1])]
    return found


def _case(pair: Pair, other: Pair, writes: int, words: tuple[str, str]) -> Case:
    return Case(pair, writes, pair.antecedents[0][0], other.antecedents[0][1], words)


def measure_redirects(
    translator: Translator, readings: Sequence[tuple[Pair, Pair]]
) -> tuple[Tally, dict[str, Tally]]:
    """How many nouns are resolved rightly, and how many of these flip, by what was turned.

    A noun flips if the row that writes it, after the expected words, prefers the other noun.

    Args:
        translator: the model with its tokenizer.
        readings: sentences in two versions, in which a pronoun stands for different nouns.

    Returns:
        The tally of resolved nouns, and tallies of flips by `turn_name`.
    """
    cases = cases_of(readings)
    before = zip(_written(translator, cases, None), cases, strict=True)
    resolved = [word == case.words[0] for word, case in before]
    right, flips = list(compress(cases, resolved)), {}
    for part in _turns(translator):
        after = zip(_written(translator, right, part), right, strict=True)
        flips[turn_name(part)] = count_true(word == case.words[1] for word, case in after)
    return count_true(resolved), flips


def _turns(translator: Translator) -> Iterator[Part]:
    """All layers at once, then each layer and its heads, the last layer first."""
    config = translator.config
    for where, layers in (
        ("decoder/{}/cross_attention", config.decoder_layers),
        ("encoder/{}/self_attention", config.encoder_layers),
    ):
        yield Part(where.format("*"), None)
        for layer in reversed(range(layers)):
            yield from (Part(where.format(layer), h) for h in (None, *range(config.n_heads)))


def _written(translator: Translator, cases: Sequence[Case], part: Part | None) -> list[str]:
    """The word that the row of the resolved noun prefers, for each case."""
    pieces, found = translator.tokenizer.vocabulary.pieces, list[str]()
    pairs = [case.pair for case in cases]

    def edits(batch: Sequence[Pair]) -> Sequence[Edit]:
        start = len(found)  # a batch is turned when all batches before it have been read
        return [turn_rows(part, cases[start : start + len(batch)])] if part else ()

    for run in run_passes(translator, pairs, "en-zh", edits=edits):
        preferred = run.preferred.tolist()
        rows = [case.writes for case in cases[len(found) :][: len(preferred)]]
        found += [pieces[words[row]] for words, row in zip(preferred, rows, strict=True)]
    return found
