"""What the model has learned, on sentences it has never seen."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from core.corpus import DIRECTIONS, Direction, Grammar, Pair, draw_pair, held_out_pairs
from core.corpus.split import is_held_out
from core.trace.tape import Recorder
from core.training.batched import batches_in_order, translations
from core.training.data import collate
from core.training.recipe import Recipe
from core.translator import Translator

EVERYDAY = Path(__file__).resolve().parents[2] / "assets" / "sentences" / "everyday.json"
TRIPLES = 300
MISTAKES_SHOWN = 40  # a direction


@dataclass
class Tally:
    """So many right of so many."""

    right: int = 0
    total: int = 0

    def add(self, right: bool) -> None:
        self.right, self.total = self.right + right, self.total + 1

    @property
    def mistakes(self) -> int:
        return self.total - self.right

    @property
    def rate(self) -> float:
        return self.right / self.total if self.total else float("nan")

    def to_dict(self) -> dict[str, Any]:
        return {"right": self.right, "total": self.total, "rate": round(self.rate, 4)}


@dataclass
class Metrics:
    """The figures of one evaluation."""

    exact: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    by_template: dict[str, dict[str, Tally]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(Tally))
    )
    coreference: Tally = field(default_factory=Tally)
    alignment: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    everyday: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    mistakes: list[dict[str, str]] = field(default_factory=list)


def evaluate(
    translator: Translator, grammar: Grammar, pairs: int = Recipe.held_out, triples: int = TRIPLES
) -> Metrics:
    """Translates held-out pairs in both directions and compares, word by word."""
    metrics = Metrics()
    held_out = held_out_pairs(grammar, pairs).pairs
    for direction in DIRECTIONS:
        taught = [pair for pair in held_out if direction in pair.directions]
        for pair, words in zip(taught, translations(translator, taught, direction), strict=True):
            right = words == pair.sides(direction)[1]
            metrics.exact[direction].add(right)
            metrics.by_template[pair.template][direction].add(right)
            if not right and metrics.exact[direction].mistakes <= MISTAKES_SHOWN:
                metrics.mistakes.append(_mistake(pair, words, direction))
        _count_alignment(translator, taught, direction, metrics.alignment)
    _count_coreference(translator, grammar, triples, metrics.coreference)
    _count_everyday(translator, metrics)
    return metrics


def _count_everyday(translator: Translator, metrics: Metrics) -> None:
    """Sentences written by hand, as people type them, with the translations that are right."""
    for row in json.loads(EVERYDAY.read_text(encoding="utf-8")):
        given = translator.translate(row["text"], row["direction"])
        metrics.everyday[row["direction"]].add(given in row["accepted"])
        if given not in row["accepted"]:
            expected = row["accepted"][0]
            found = {"source": row["text"], "expected": expected, "given": given}
            metrics.mistakes.insert(0, {"template": "(by hand)", **found})


def _mistake(pair: Pair, words: tuple[str, ...], direction: Direction) -> dict[str, str]:
    source, target = pair.sides(direction)
    return {
        "template": pair.template,
        "source": " ".join(source),
        "expected": " ".join(target),
        "given": " ".join(words),
    }


def _count_coreference(
    translator: Translator, grammar: Grammar, triples: int, tally: Tally
) -> None:
    """Two readings of one sentence, differing in the last word alone: right if both are."""
    readings = coreference_readings(grammar, triples)
    flat = [pair for both in readings for pair in both]
    words = list(translations(translator, flat, "en-zh"))
    right = [words[i] == pair.chinese for i, pair in enumerate(flat)]
    for i in range(0, len(right), 2):
        tally.add(right[i] and right[i + 1])


def coreference_readings(grammar: Grammar, count: int) -> list[tuple[Pair, Pair]]:
    """Held-out sentences with "it" in two versions, in which it stands for different nouns."""
    rng = random.Random("coreference")
    waiting: dict[tuple[str, ...], Pair] = {}
    found: dict[tuple[str, ...], tuple[Pair, Pair]] = {}
    while len(found) < count:
        pair = draw_pair(grammar, rng)
        if pair.template != "coreference" or not is_held_out(pair):
            continue
        stem = pair.english[:-1]
        other = waiting.setdefault(stem, pair)
        if stem not in found and other.antecedents != pair.antecedents:
            found[stem] = (other, pair)
    return list(found.values())


@torch.no_grad()
def _count_alignment(
    translator: Translator,
    pairs: Sequence[Pair],
    direction: Direction,
    tallies: dict[str, Tally],
) -> None:
    """Whether the row that writes a word looks most at a word it translates, layer by layer.

    The weights are the mean of the layer's heads.
    """
    names = [
        f"decoder/{i}/cross_attention/weights" for i in range(translator.config.decoder_layers)
    ]
    done = 0
    for examples in batches_in_order(translator, pairs, direction):
        batch = collate(examples).to(translator.device)
        recorder = Recorder(keep=lambda address: address in names)
        translator.transformer(batch.source, batch.target_input, recorder)
        for layer, name in enumerate(names):
            looked = recorder.tensors[name].mean(dim=1).argmax(dim=-1).tolist()  # (B, T)
            for pair, rows in zip(pairs[done : done + len(examples)], looked, strict=True):
                for position, partners in _partners(pair, direction).items():
                    tallies[f"{direction} layer {layer + 1}"].add(rows[position] in partners)
        done += len(examples)


def _partners(pair: Pair, direction: Direction) -> dict[int, set[int]]:
    """For each target word that has any: the source words that it translates."""
    partners: dict[int, set[int]] = defaultdict(set)
    for english, chinese in pair.alignment:
        source, target = (english, chinese) if direction == "en-zh" else (chinese, english)
        partners[target].add(source)
    return partners
