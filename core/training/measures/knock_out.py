"""What a head does: the model without it, on the same sentences.

Two ways to be without a head: its output (`context`) is *zeroed*, or it is replaced in every row
by its *mean* over the test sentences, which takes away what the head says about this sentence
and leaves what it always says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import torch
from torch import Tensor

from core.corpus import DIRECTIONS, Direction, Pair
from core.text.vocabulary import PADDING
from core.trace.tape import Edit
from core.training.measures.attention import head_name, layer_name
from core.training.measures.passes import passes, word_for_word
from core.training.measures.tally import Tally, both_right, tally
from core.translator import Translator

Way = Literal["zeroed", "mean"]
WAYS: tuple[Way, ...] = ("zeroed", "mean")


@dataclass(frozen=True)
class Part:
    """One head, or all heads of an attention where `head` is None."""

    stack: str  # encoder/0/self_attention
    head: int | None

    @property
    def address(self) -> str:
        return f"{self.stack}/context"

    @property
    def name(self) -> str:
        side, layer, kind = self.stack.split("/")
        where = layer_name(int(layer)) if self.head is None else head_name(int(layer), self.head)
        return f"{side} {kind.replace('_', '-')} {where}"

    def edit(self, filling: Tensor | None) -> Edit:
        """Zeroes the part, or gives it this filling, (H, K), in every row."""

        def change(context: Tensor) -> Tensor:  # (B, H, T, K)
            heads = slice(None) if self.head is None else slice(self.head, self.head + 1)
            context[:, heads] = 0.0 if filling is None else filling[heads, None]
            return context

        return Edit(self.address, change, f"without {self.name}")


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


def parts(translator: Translator) -> Iterator[Part]:
    """Every attention of the model as a whole, each followed by its heads."""
    config = translator.config
    stacks = [f"encoder/{i}/self_attention" for i in range(config.encoder_layers)]
    for kind in ("self_attention", "cross_attention"):
        stacks += [f"decoder/{i}/{kind}" for i in range(config.decoder_layers)]
    for stack in stacks:
        yield Part(stack, None)
        yield from (Part(stack, head) for head in range(config.n_heads))


def knock_outs(
    translator: Translator,
    readings: Sequence[tuple[Pair, Pair]],
    pairs: Sequence[Pair],
    progress: Callable[[str], None] = lambda _: None,
) -> dict[str, dict[str, Without]]:
    """By part and way ("zeroed", "mean"); under "nothing" is the model as it is."""
    in_order = sorted(readings, key=lambda both: len(both[0].english))  # less padding
    flat = [pair for both in in_order for pair in both]
    pairs = sorted(pairs, key=lambda pair: (len(pair.english), len(pair.chinese)))
    found = {"nothing": {"unchanged": _without(translator, flat, pairs, None)}}
    means = mean_contexts(translator, [*flat, *pairs])
    for part in parts(translator):
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
        taught = [pair for pair in some if direction in pair.directions]
        return word_for_word(translator, taught, direction, (lambda _: (edit,)) if edit else None)

    exact: dict[str, Tally] = {name: tally(right(pairs, name)) for name in DIRECTIONS}
    return Without(both_right(right(flat, "en-zh")), exact)


def mean_contexts(translator: Translator, pairs: Sequence[Pair]) -> dict[str, Tensor]:
    """The mean output of each head over all words of all pairs, (H, K) by address."""
    sums: dict[str, Tensor] = {}
    counts: dict[str, float] = {}
    padding = translator.tokenizer.vocabulary.id(PADDING)
    for direction in DIRECTIONS:
        taught = [pair for pair in pairs if direction in pair.directions]
        for run in passes(translator, taught, direction, keep=_is_context):
            for address, context in run.kept.items():
                encoder = address.startswith("encoder/")
                ids = run.batch.source if encoder else run.batch.target_input
                words = (ids != padding).float()  # (B, T)
                total = torch.einsum("bhtk,bt->hk", context, words)
                sums[address] = sums.get(address, torch.zeros_like(total)) + total
                counts[address] = counts.get(address, 0.0) + float(words.sum())
    return {address: total / counts[address] for address, total in sums.items()}


def _is_context(address: str) -> bool:
    return address.endswith("attention/context")
