"""What heads do over many texts: of each, mean and spread of what its rows look at.

Of one text every number is the mean over the head's rows; mean and standard deviation are taken
over the texts, each counted once. Distances and places count positions: across the two texts of a
translator they say where a head looks, not which word that is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from glassformer.core.analysis.attention_views import Kind, attention_at, entropy, kinds_of
from glassformer.core.trace.graph import Stack, layer_count
from glassformer.core.trace.tables import exact_numbers
from glassformer.core.trace.trace import Trace

if TYPE_CHECKING:
    import pandas as pd

MEASURES = ("entropy", "distance", "previous", "same", "first", "end")
HeadMeasures = dict[tuple[Kind, int], NDArray[np.float64]]  # (H, 6) by kind and layer
ENDS = frozenset({
    "<eos>", "</s>", "[SEP]", "<|endoftext|>", "<|end_of_text|>", "<|im_end|>", "<|eot_id|>",
    "<|eom_id|>",
})  # fmt: skip


def measure_heads(trace: Trace) -> HeadMeasures:
    """What the rows of every head look at in one run, means over the rows.

    entropy: nats. distance: of query and key, in positions. The others are the share of a row's
    weight on the word before, on itself, on the first one, on the end marks. NaN: there is no such
    place. Of a text that the model went on with, the rows of the text count, not those of words
    that it wrote itself.

    Args:
        trace: the run that is read, its first sentence.

    Returns:
        By kind and layer (from 0): (H, 6) float64, the `MEASURES` of each head.
    """
    found = {}
    goes_on = trace.task == "continue" and trace.steps
    rows = slice(trace.given + 1) if goes_on else slice(None)
    for kind in kinds_of(trace.config):
        stack: Stack = "encoder" if kind == "encoder" else "decoder"
        pieces = trace.target_pieces if kind == "decoder" else trace.source_pieces
        ends = [at for at, piece in enumerate(pieces[rows]) if piece in ENDS]
        for layer in range(layer_count(trace.config, stack)):
            maps = trace[f"{attention_at(kind, layer)}/weights"][0, :, rows]  # (H, T, S)
            maps = maps[..., rows] if kind == "decoder" else maps
            found[kind, layer] = _of_heads(exact_numbers(maps), ends)
    return found


def head_statistics(runs: Iterable[Trace]) -> pd.DataFrame:
    """What every head looks at over many texts, mean and standard deviation.

    Args:
        runs: of one model; each is looked at once and not kept.

    Returns:
        A row a head: kind, layer and head (from 0), texts, each measure's mean and `…_std`, see
        `tabulate_heads`. Empty without runs.
    """
    return tabulate_heads([measure_heads(trace) for trace in runs])


def tabulate_heads(each: list[HeadMeasures]) -> pd.DataFrame:
    """The table of what `measure_heads` gives of several runs.

    Args:
        each: of each of N runs of one model its measures.

    Returns:
        A row a head: kind, layer and head (from 0), texts (N), each measure's mean and sample
        standard deviation (`…_std`) over the texts that have it. NaN where no text has it, and a
        deviation of fewer than two. Empty without runs.
    """
    import pandas as pd  # slow to import, and no page needs it to begin

    rows = []
    for kind, layer in each[0] if each else ():
        values = np.stack([found[kind, layer] for found in each])  # (N, H, 6)
        for head in range(values.shape[1]):
            place = {"kind": kind, "layer": layer, "head": head, "texts": len(each)}
            rows.append(place | _summary(values[:, head]))
    return pd.DataFrame(rows)


def _of_heads(weights: NDArray[np.float64], ends: list[int]) -> NDArray[np.float64]:
    """The measures of maps (H, T, S): (H, 6)."""
    heads, queries, keys = weights.shape
    far = np.abs(np.arange(queries)[:, None] - np.arange(keys)[None, :])  # (T, S)
    none = np.full(heads, np.nan)

    def along(shift: int) -> NDArray[np.float64]:
        line = weights.diagonal(shift, axis1=1, axis2=2)  # (H, n)
        return line.mean(axis=1) if line.shape[1] else none

    return np.stack(
        [
            entropy(weights.astype(np.float32)).mean(axis=1),
            (weights * far).sum(axis=2).mean(axis=1),
            along(-1),
            along(0),
            weights[:, :, 0].mean(axis=1),
            weights[:, :, ends].sum(axis=2).mean(axis=1) if ends else none,
        ],
        axis=1,
    )


def _summary(values: NDArray[np.float64]) -> dict[str, float]:
    """Mean and sample standard deviation of each measure over the texts that have it."""
    found = {}
    for at, name in enumerate(MEASURES):
        known = values[np.isfinite(values[:, at]), at]
        found[name] = float(known.mean()) if len(known) else float("nan")
        found[f"{name}_std"] = float(known.std(ddof=1)) if len(known) > 1 else float("nan")
    return found
