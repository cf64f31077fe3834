"""A few figures in a few seconds: what a training run notes beside each of its snapshots."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from torch.nn.functional import cross_entropy

from core.corpus import DIRECTIONS, Direction, Grammar, Pair
from core.training.measures.attention import alignment_in, antecedents, is_cross_attention
from core.training.measures.passes import exactly, passes, word_for_word
from core.training.measures.sentences import (
    coreference_readings,
    referring_pairs,
    unseen_pairs,
)
from core.training.measures.tally import Tally, best, both_right, tally
from core.translator import Translator

PAIRS = 400  # of the grammar's held-out pairs: the first ones
READINGS = 100  # pairs of readings


def quick_metrics(
    translator: Translator, grammar: Grammar, pairs: int = PAIRS, readings: int = READINGS
) -> dict[str, float]:
    """The figures of a snapshot, on sentences of the grammar that are never trained on.

    Those of `metrics_on` for the first held-out pairs, and

    - `coreference`: share of sentences translated rightly in both readings of their pronoun;
    - `antecedent`: how often the pronoun looks most at its noun, in the encoder head that does
      so most often, in English; `antecedent_zh`: in Chinese.

    What cannot be measured (a grammar without pronouns) is left out.
    """
    metrics = metrics_on(translator, unseen_pairs(grammar, pairs))
    both = coreference_readings(grammar, readings)
    if both:
        flat = [pair for reading in both for pair in reading]
        metrics["coreference"] = both_right(word_for_word(translator, flat, "en-zh")).rate
        head = best(antecedents(translator, flat))
        if head is not None:
            metrics["antecedent"] = head[1].rate
    head = best(antecedents(translator, referring_pairs(grammar, "zh-en", readings), "zh-en"))
    if head is not None:
        metrics["antecedent_zh"] = head[1].rate
    return metrics


def metrics_on(translator: Translator, pairs: Sequence[Pair]) -> dict[str, float]:
    """The figures that any pairs allow.

    - `loss`: nats a word, both directions, without label smoothing and dropout;
    - `exact_en_zh`, `exact_zh_en`: share of sentences with every word right;
    - `alignment`: how often the row that writes a word looks most at a word it translates, in
      the cross-attention that does so most often (a head, or the mean of a layer's heads).
      Left out where the pairs have no alignment.
    """
    metrics: dict[str, float] = {}
    looks: dict[str, Tally] = defaultdict(Tally)
    total, words = 0.0, 0
    for direction in DIRECTIONS:
        taught = [pair for pair in pairs if direction in pair.directions]
        right: list[bool] = []
        for run in passes(translator, taught, direction, keep=is_cross_attention):
            total += run.expected.numel() * cross_entropy(run.logits, run.expected).item()
            words += run.expected.numel()
            right += exactly(translator, run)
            alignment_in(run, looks)
        if right:
            metrics[exact_key(direction)] = tally(right).rate
    if words:
        metrics["loss"] = total / words
    clearest = best(looks)
    if clearest is not None:
        metrics["alignment"] = clearest[1].rate
    return metrics


def exact_key(direction: Direction) -> str:
    """`exact_en_zh` or `exact_zh_en`."""
    return f"exact_{direction.replace('-', '_')}"
