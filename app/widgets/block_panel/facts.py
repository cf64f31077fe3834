"""The numbers that say what a block did, a handful for each kind, as they are printed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from app.figures.labels import format_number, format_percent, visible
from app.widgets.architecture_map.scene import name_of, percent
from app.widgets.block_panel.pictures import words_of
from core.reading.blocks import Block, blocks, sublayers
from core.reading.choices import least_sure, probabilities
from core.reading.stream_views import (
    Numbers,
    change,
    head_entropies,
    highest_entropy,
    neurons,
    spread,
)
from core.trace.tables import as_numpy
from core.trace.trace import Trace

Say = Callable[..., str]
Fact = tuple[str, str]  # what it is, its value
ROUNDING = 1e-6
NORMS = ("add_norm", "norm", "final_norm")


def facts(trace: Trace, block: Block, say: Say, precision: int = 3) -> list[Fact]:
    """What is measured about a block; values are means over the words unless they name one."""
    found: list[Fact] = []
    if block.is_attention:
        found += _attention(trace, block, say)
    if block.kind == "feed_forward":
        found += _neurons(trace, block, say)
    if block.kind in NORMS:
        found += _spreads(trace, block, say, precision)
    if block.kind == "embedding":
        found += _lengths(trace, block, say, precision)
    if block.kind == "layer":
        found += _parts(trace, block, say)
    if block.kind == "softmax":
        found += _chances(trace, say)
    if block.kind == "linear":
        found += _scores(trace, say, precision)
    return [*_moved(trace, block, say, precision), *found]


def _moved(trace: Trace, block: Block, say: Say, precision: int) -> list[Fact]:
    """Lengths before and after, how far the block moved the vectors, what is left of their way."""
    found = change(trace, block)
    if found is None:
        return []
    before, after = (float(lengths.mean()) for lengths in (found.before, found.after))
    lengths = (format_number(before, precision), format_number(after, precision))
    # "Add & norm" is compared with the sum: what was added is the sub-layer's doing.
    after_sum = block.kind == "add_norm"
    length = say("map.stat_sum_length") if after_sum else say("map.stat_length")
    moved = say("map.stat_norm_moved") if after_sum else say("map.stat_moved")
    return [
        (length, say("map.from_to", before=lengths[0], after=lengths[1])),
        (moved, percent(found.ratio)),
        (say("map.stat_direction"), format_number(float(found.cosine.mean()), precision)),
    ]


def _parts(trace: Trace, block: Block, say: Say) -> list[Fact]:
    """How far each sub-layer of a layer moved the stream."""
    parts = [
        part
        for part in blocks(trace.config)
        if part.id.startswith(f"{block.id}/") and part.kind in sublayers(block.stack)
    ]
    shares = ((part, change(trace, part)) for part in parts)
    return [(name_of(trace.config, part, say), percent(c.ratio)) for part, c in shares if c]


def _attention(trace: Trace, block: Block, say: Say) -> list[Fact]:
    each = "  ".join(format_number(float(value), 2) for value in head_entropies(trace, block))
    most = format_number(highest_entropy(trace, block), 2)
    return [
        (say("map.stat_entropy"), say("map.nats", value=each)),
        (say("map.stat_entropy_most"), say("map.nats", value=most)),
    ]


def _neurons(trace: Trace, block: Block, say: Say) -> list[Fact]:
    fired = neurons(trace, block)
    silent = say("map.stat_of", count=fired.silent, total=fired.width)
    return [
        (say("map.stat_active"), percent(float(fired.active.mean()))),
        (say("map.stat_silent"), silent),
    ]


def _spreads(trace: Trace, block: Block, say: Say, precision: int) -> list[Fact]:
    """Mean and spread of the vectors that the norm reads, and of those that it puts out."""
    ends = block.stream or (block.before, block.after)
    before, after = (spread(trace, address) for address in ends)
    pairs = (
        ("mean", before.mean, after.mean),
        ("std", before.std, after.std),
    )
    return [
        (say(f"map.stat_{name}"), _pair(say, first, last, precision)) for name, first, last in pairs
    ]


def _pair(say: Say, before: Numbers, after: Numbers, precision: int) -> str:
    means = [float(values.mean()) for values in (before, after)]
    # A mean that is 0 but for rounding is said to be 0, not a number of its own.
    shown = ["≈ 0" if abs(mean) < ROUNDING else format_number(mean, precision) for mean in means]
    return say("map.from_to", before=shown[0], after=shown[1])


def _lengths(trace: Trace, block: Block, say: Say, precision: int) -> list[Fact]:
    lengths = np.linalg.norm(as_numpy(trace[block.after][0]).astype(np.float64), axis=1)
    words = words_of(trace, block)
    ends = (("longest", int(lengths.argmax())), ("shortest", int(lengths.argmin())))
    return [
        (
            say(f"map.stat_{name}"),
            _of_word(say, format_number(float(lengths[at]), precision), words, at),
        )
        for name, at in ends
    ]


def _chances(trace: Trace, say: Say) -> list[Fact]:
    chances = probabilities(trace)
    weakest = least_sure(trace, range(len(chances)))
    mean = format_percent(float(np.mean(chances)))
    least = format_percent(chances[weakest])
    return [
        (say("map.stat_chance"), mean),
        (say("map.stat_least"), _of_word(say, least, trace.output_tokens, weakest)),
    ]


def _scores(trace: Trace, say: Say, precision: int) -> list[Fact]:
    logits = trace["output/logits"][0]  # (T, V), where the model is
    ends = [format_number(float(value), precision) for value in (logits.min(), logits.max())]
    return [
        (say("map.stat_scored"), str(logits.shape[1])),
        (say("map.stat_range"), say("map.between", least=ends[0], most=ends[1])),
    ]


def _of_word(say: Say, value: str, words: Sequence[str], at: int) -> str:
    return say("map.of_word", value=value, word=visible(words[at]))
