"""Attention as a soft dictionary: a query answered by an exact, the nearest, or all entries."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from glassformer.core.lab.inputs import array, read_number
from glassformer.core.lab.parts import attention_stages

TEMPERATURES = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
KEYS = ((3.0, 0.0), (2.4, 0.4), (-1.0, 3.0))  # apple, banana, chair
VALUES = ((10.0,), (5.0,), (2.0,))
QUERY = (1.0, -0.1)  # fruit


@dataclass(frozen=True)
class LookUp:
    """One query against S entries, answered three ways; a value has V numbers."""

    query: Tensor  # (K,)
    keys: Tensor  # (S, K)
    values: Tensor  # (S, V)
    scores: Tensor  # (S,) q · k
    scaled: Tensor  # (S,) q · k / √K
    weights: Tensor  # (S,) softmax(scaled / temperature)
    terms: Tensor  # (S, V) weight × value
    soft: Tensor  # (V,) their sum
    exact: int | None  # the first entry whose key is the query; a hard dictionary knows no other
    nearest: int  # the entry with the largest score
    hard: Tensor  # (V,) its value: the soft answer at temperature 0
    mean: Tensor  # (V,) of all values: the soft answer at temperature ∞
    temperatures: Tensor  # (N,) those of the curve, with the one asked for
    by_temperature: Tensor  # (N, S) the weights at each
    answers: Tensor  # (N, V)


def look_up(
    query: Any = QUERY,
    keys: Any = KEYS,
    values: Any = VALUES,
    temperature: Any = 1.0,
    sizes: tuple[int | None, int | None] = (None, None),
) -> LookUp:
    """Asks a dictionary of S entries, by the attention of §3.2.1 with the query / temperature.

    Args:
        query: (K,).
        keys: (S, K), up to 256 numbers.
        values: (S, V), up to 256 numbers.
        temperature: 0.001 to 1000; 1 is the paper's attention.
        sizes: what K and V must be, None for any.

    Returns:
        The answers of exact, nearest and soft look-up, and the soft ones over temperature.

    Raises:
        GlassformerError: `lab_…`, as `core.lab.inputs`.
    """
    k = array("keys", keys, 2, (None, sizes[0]), limit=256)
    q = array("query", query, 1, (k.size(1),))
    v = array("values", values, 2, (k.size(0), sizes[1]), limit=256)
    now = read_number("temperature", temperature, 1e-3, 1e3)
    heats = torch.tensor(sorted({*TEMPERATURES, now}), dtype=torch.float64)
    stages = attention_stages(q[None], k)  # (1, S) each
    weights = attention_stages(q[None] / now, k)["weights"][0]
    curve = attention_stages(q / heats[:, None], k)["weights"]
    nearest = int(stages["scores"][0].argmax())
    return LookUp(
        query=q,
        keys=k,
        values=v,
        scores=stages["scores"][0],
        scaled=stages["scaled"][0],
        weights=weights,
        terms=weights[:, None] * v,
        soft=weights @ v,
        exact=next(iter((k == q).all(dim=1).nonzero().flatten().tolist()), None),
        nearest=nearest,
        hard=v[nearest],
        mean=v.mean(dim=0),
        temperatures=heats,
        by_temperature=curve,
        answers=curve @ v,
    )
