"""Layer normalisation's formulas side by side (§5.4), and batch norm beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import torch
from torch import Tensor, nn

from core.config import ModelConfig, NormFormula
from core.lab.inputs import array, number, whole
from core.model.layer_norm import LayerNorm
from core.trace.tape import Recorder

Place = Literal["inside", "outside"]  # of ε: √(variance + ε), or deviation + ε
OWN_PLACE: dict[NormFormula, Place] = {"population": "inside", "sample": "outside"}
SPREADS = tuple(10.0**power for power in range(-6, 3))


@dataclass(frozen=True)
class Formula:
    """One formula, step by step, on one batch."""

    deviation: NormFormula  # σ divides by D, s by D − 1
    place: Place
    of_model: bool  # whether the model can be configured so: the steps are then its own
    mean: Tensor  # (B, S, 1)
    std: Tensor  # (B, S, 1)
    divisor: Tensor  # (B, S, 1) what x − mean is divided by: std with ε in its place
    normalized: Tensor  # (B, S, D)
    output: Tensor  # (B, S, D), γ × normalized + β
    spread: Tensor  # (B, S) population deviation of `normalized`: 1 where ε does not matter


@dataclass(frozen=True)
class Broadcast:
    """A − B with B stretched to A's shape: `source` says which cell of B each cell of A met."""

    key: Literal["mean", "gamma", "beta"]
    shape: tuple[int, ...]
    source: Tensor  # (B, S, D) whole numbers, the flat index into `shape`


@dataclass(frozen=True)
class LayerNorms:
    """Every formula on the same numbers."""

    x: Tensor  # (B, S, D)
    gamma: Tensor  # (D,)
    beta: Tensor  # (D,)
    formulas: tuple[Formula, ...]
    broadcasts: tuple[Broadcast, ...]
    without_keepdim: Tensor | None  # (B, S, D) x − x.mean(-1), wrong; None where torch refuses it
    spreads: Tensor  # (N,) what x is multiplied by for the curve
    curves: Tensor  # (4, N) the deviation each formula gives the first word then, in their order

    def formula(self, deviation: NormFormula, place: Place) -> Formula:
        """One of the four."""
        wanted = (deviation, place)
        return next(each for each in self.formulas if (each.deviation, each.place) == wanted)


def layer_norms(x: Any, gamma: Any = None, beta: Any = None, epsilon: Any = 1e-6) -> LayerNorms:
    """Normalises a batch by the model's two formulas and by the two it does not have.

    Args:
        x: (B, S, D), D at least 2, up to 1024 numbers.
        gamma: (D,); None is ones.
        beta: (D,); None is zeros, the usual start.
        epsilon: 0 to 1.

    Raises:
        GlassformerError: `lab_…` for what is no number, too large or does not fit together.
    """
    batch = array("x", x, 3)  # (B, S, D)
    wide = max(2, batch.size(-1))
    batch = array("x", x, 3, (None, None, wide))
    scale = array("gamma", [1.0] * wide if gamma is None else gamma, 1, (wide,))  # (D,)
    shift = array("beta", [0.0] * wide if beta is None else beta, 1, (wide,))  # (D,)
    tiny = number("epsilon", epsilon, 0, 1)
    formulas = tuple(
        _formula(batch, deviation, place, tiny, scale, shift)
        for deviation in get_args(NormFormula)
        for place in get_args(Place)
    )
    return LayerNorms(
        x=batch,
        gamma=scale,
        beta=shift,
        formulas=formulas,
        broadcasts=_broadcasts(batch),
        without_keepdim=_without_keepdim(batch),
        spreads=torch.tensor(SPREADS, dtype=torch.float64),
        curves=_curves(batch[:1, :1], formulas, tiny),
    )


def model_norm(deviation: NormFormula, epsilon: float, gamma: Tensor, beta: Tensor) -> LayerNorm:
    """The model's own layer, with these γ and β (D,)."""
    config = ModelConfig(
        vocabulary_size=1,
        d_model=gamma.numel(),
        n_heads=1,
        positions="none",
        norm_formula=deviation,
        norm_epsilon=epsilon,
    )
    norm = LayerNorm(config)
    norm.gamma, norm.beta = nn.Parameter(gamma), nn.Parameter(beta)
    return norm.requires_grad_(False)


def _formula(
    x: Tensor, deviation: NormFormula, place: Place, epsilon: float, gamma: Tensor, beta: Tensor
) -> Formula:
    tape = Recorder()
    model_norm(deviation, epsilon, gamma, beta)(x, tape)
    steps = tape.tensors
    own = OWN_PLACE[deviation] == place
    normalized, output = steps["normalized"], steps["output"]  # (B, S, D)
    divisor = _divisor(steps["std"], place, epsilon)  # (B, S, 1)
    if not own:
        normalized = (x - steps["mean"]) / divisor
        output = gamma * normalized + beta
    return Formula(
        deviation=deviation,
        place=place,
        of_model=own,
        mean=steps["mean"],
        std=steps["std"],
        divisor=divisor,
        normalized=normalized,
        output=output,
        spread=normalized.std(dim=-1, correction=0),
    )


def _divisor(std: Tensor, place: Place, epsilon: float) -> Tensor:
    return (std.square() + epsilon).sqrt() if place == "inside" else std + epsilon


def _broadcasts(x: Tensor) -> tuple[Broadcast, ...]:
    batch, words, width = x.shape
    per_word, per_feature = (batch, words, 1), (width,)
    return (
        Broadcast("mean", per_word, torch.arange(batch * words).view(per_word).expand(x.shape)),
        Broadcast("gamma", per_feature, torch.arange(width).expand(x.shape)),
        Broadcast("beta", per_feature, torch.arange(width).expand(x.shape)),
    )


def _without_keepdim(x: Tensor) -> Tensor | None:
    try:
        wrong = x - x.mean(dim=-1)  # (B, S, D) − (B, S): features meet other words' means
    except RuntimeError:
        return None
    return wrong if wrong.shape == x.shape else None


def _curves(word: Tensor, formulas: tuple[Formula, ...], epsilon: float) -> Tensor:
    rows = word * torch.tensor(SPREADS, dtype=word.dtype)[:, None]  # (1, N, D)
    gamma, beta = torch.ones_like(word[0, 0]), torch.zeros_like(word[0, 0])
    found = [
        _formula(rows, each.deviation, each.place, epsilon, gamma, beta).spread[0]
        for each in formulas
    ]
    return torch.stack(found)  # (4, N)


@dataclass(frozen=True)
class Normalised:
    """One normalisation; `mean` and `std` broadcast over x (B, S, D)."""

    mean: Tensor
    std: Tensor  # population deviation
    normalized: Tensor  # (B, S, D)
    moved_by_neighbours: float  # how far sentence 0 moves when it stands alone, largest cell
    moved_by_padding: float  # how far the real words move when padding is no longer counted


@dataclass(frozen=True)
class Norms:
    """Both on the same batch, whose rows after `lengths` are padding."""

    x: Tensor  # (B, S, D)
    real: Tensor  # (B, S) bool, False for padding
    layer: Normalised  # averages the D features of one word
    batch: Normalised  # averages one feature over all B · S places, padding too


def beside_batch_norm(x: Any, lengths: Any = None, epsilon: Any = 1e-6) -> Norms:
    """Layer norm by the model, batch norm as in training (Ioffe & Szegedy 2015).

    Args:
        x: (B, S, D), D at least 2; what stands in the padding counts as it is.
        lengths: (B,) how many words each sentence really has, 1 to S; None: no padding.
        epsilon: 0 to 1.

    Raises:
        GlassformerError: `lab_…` for what is no number, too large or does not fit together.
    """
    cells = array("x", x, 3)  # (B, S, D)
    cells = array("x", x, 3, (None, None, max(2, cells.size(-1))))
    batch, words, _ = cells.shape
    given = array("lengths", [words] * batch if lengths is None else lengths, 1, (batch,))
    sizes = [whole("lengths", each, 1, words) for each in given.tolist()]
    real = torch.arange(words) < torch.tensor(sizes)[:, None]  # (B, S)
    tiny = number("epsilon", epsilon, 0, 1)
    return Norms(cells, real, _layer_side(cells, sizes, tiny), _batch_side(cells, real, tiny))


def _layer_side(x: Tensor, sizes: list[int], epsilon: float) -> Normalised:
    width = x.size(-1)
    norm = model_norm(
        "population", epsilon, torch.ones(width, dtype=x.dtype), torch.zeros(width, dtype=x.dtype)
    )
    normalized: Tensor = norm(x)  # (B, S, D)
    apart = [norm(x[at : at + 1, :size])[0] for at, size in enumerate(sizes)]
    moved = [_most(normalized[at, : len(rows)] - rows) for at, rows in enumerate(apart)]
    return Normalised(
        mean=x.mean(dim=-1, keepdim=True),
        std=x.std(dim=-1, correction=0, keepdim=True),
        normalized=normalized,
        moved_by_neighbours=_most(norm(x[:1])[0] - normalized[0]),
        moved_by_padding=max(moved),
    )


def _batch_side(x: Tensor, real: Tensor, epsilon: float) -> Normalised:
    mean, std = batch_norm_statistics(x)  # (D,) each
    normalized = _divided(x, mean, std, epsilon)  # (B, S, D)
    alone = _divided(x[0], *batch_norm_statistics(x[:1]), epsilon)  # (S, D)
    words = x[real]  # (N, D), without the padding
    unpadded = _divided(words, *batch_norm_statistics(words), epsilon)
    return Normalised(
        mean=mean,
        std=std,
        normalized=normalized,
        moved_by_neighbours=_most(alone - normalized[0]),
        moved_by_padding=_most(unpadded - normalized[real]),
    )


def batch_norm_statistics(x: Tensor) -> tuple[Tensor, Tensor]:
    """What batch norm averages over: mean and population deviation of each feature.

    x (B, S, D) -> two (D,), over batch and positions; layer norm takes them over D instead.
    """
    flat = x.flatten(0, -2)  # (B · S, D)
    return flat.mean(dim=0), torch.std(flat, dim=0, correction=0)


def _divided(x: Tensor, mean: Tensor, std: Tensor, epsilon: float) -> Tensor:
    return (x - mean) / (std.square() + epsilon).sqrt()


def _most(difference: Tensor) -> float:
    return float(difference.abs().max())
