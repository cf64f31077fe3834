"""What attention decides: it is turned by hand to the other noun, and the translation is read.

"The animal didn't cross the street because it was too tired": Chinese names the noun again. In
the row that writes it, attention is set to look at the other noun alone, and one sees whether
that noun is written instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from core.corpus import Pair
from core.trace.tape import Edit
from core.training.measures.attention import head_name, layer_name
from core.training.measures.passes import passes
from core.training.measures.sentences import resolved_rows
from core.training.measures.tally import Tally
from core.translator import Translator


@dataclass(frozen=True)
class Case:
    """One reading, and what would make it the other."""

    pair: Pair
    writes: int  # the decoder's row that writes the resolved noun
    pronoun: int  # the encoder's row of the pronoun
    other: int  # position of the other noun in the source
    words: tuple[str, str]  # the noun in Chinese, and the other


@dataclass(frozen=True)
class Turn:
    """Which attention is turned: a layer of a stack (None: all layers), a head (None: all)."""

    stack: str  # "encoder" or "decoder"
    layer: int | None
    head: int | None

    @property
    def name(self) -> str:
        if self.layer is None:
            return f"{self.stack}, all layers"
        if self.head is None:
            return f"{self.stack} {layer_name(self.layer)}, all heads"
        return f"{self.stack} {head_name(self.layer, self.head)}"

    def edit(self, cases: Sequence[Case]) -> Edit:
        """Turns the row in question of each sentence of a batch."""
        encoder = self.stack == "encoder"
        kind = "self_attention" if encoder else "cross_attention"
        heads = slice(None) if self.head is None else slice(self.head, self.head + 1)

        def change(weights: Tensor) -> Tensor:  # (B, H, T, S)
            for index, case in enumerate(cases):
                row = case.pronoun if encoder else case.writes
                weights[index, heads, row] = 0.0
                weights[index, heads, row, case.other] = 1.0
            return weights

        layer = "*" if self.layer is None else str(self.layer)
        return Edit(f"{self.stack}/{layer}/{kind}/weights", change, f"{self.name} turned")


def cases_of(readings: Sequence[tuple[Pair, Pair]]) -> list[Case]:
    """Both readings of each pair whose resolved noun is one word of Chinese."""
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


def redirects(
    translator: Translator, readings: Sequence[tuple[Pair, Pair]]
) -> tuple[Tally, dict[str, Tally]]:
    """How many nouns are resolved rightly, and how many of these flip, by what was turned.

    A noun flips if the row that writes it, after the expected words, prefers the other noun.
    """
    cases = cases_of(readings)
    before = _written(translator, cases, None)
    resolved = Tally(sum(w == c.words[0] for w, c in zip(before, cases, strict=True)), len(cases))
    right = [case for word, case in zip(before, cases, strict=True) if word == case.words[0]]
    flips = {}
    for turn in _turns(translator):
        after = _written(translator, right, turn)
        flipped = sum(w == c.words[1] for w, c in zip(after, right, strict=True))
        flips[turn.name] = Tally(flipped, len(right))
    return resolved, flips


def _turns(translator: Translator) -> list[Turn]:
    config = translator.config
    turns = []
    for stack, layers in (("decoder", config.decoder_layers), ("encoder", config.encoder_layers)):
        turns.append(Turn(stack, None, None))
        for layer in reversed(range(layers)):
            turns.append(Turn(stack, layer, None))
            turns += [Turn(stack, layer, head) for head in range(config.n_heads)]
    return turns


def _written(translator: Translator, cases: Sequence[Case], turn: Turn | None) -> list[str]:
    """The word that the row of the resolved noun prefers, for each case."""
    pieces, found = translator.tokenizer.vocabulary.pieces, list[str]()
    pairs = [case.pair for case in cases]

    def edits(part: Sequence[Pair]) -> Sequence[Edit]:
        start = len(found)  # a batch is turned when all batches before it have been read
        return [turn.edit(cases[start : start + len(part)])] if turn else ()

    for run in passes(translator, pairs, "en-zh", edits=edits):
        preferred = run.preferred.tolist()
        rows = [case.writes for case in cases[len(found) :][: len(preferred)]]
        found += [pieces[words[row]] for words, row in zip(preferred, rows, strict=True)]
    return found
