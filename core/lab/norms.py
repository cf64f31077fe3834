"""Layer normalisation's formulas side by side (§5.4), and batch norm beside it."""

from dataclasses import dataclass
from typing import Any, Literal, get_args

import torch
from torch import Tensor, nn

from glassformer.core.config import ModelConfig
from glassformer.core.lab.inputs import array, read_number, read_whole_number
from glassformer.core.model.layer_norm import LayerNorm
from glassformer.core.trace.tape import Recorder

Deviation = Literal["population", "sample"]  # of the model's formulas, those set side by side
Place = Literal["inside", "outside"]  # of ε: √(variance + ε), or deviation + ε
OWN_PLACE: dict[Deviation, Place] = {"population": "inside", "sample": "outside"}
SPREADS = tuple(10.0**power for power in range(-6, 3))


@dataclass(frozen=True)
class Formula:
    """One formula, step by step, on one batch."""

    deviation: Deviation  # σ divides by D, s by D − 1
    place: Place
    of_model: bool  # whether the model can be configured so: the steps are then its own
    mean: Tensor  # (B, S, 1)
    std: Tensor  # (B, S, 1)
    divisor: Tensor  # (B, S, 1) what x − mean is divided by: std with ε in its place
    normalized: Tensor  # (B, S, D)
    output: Tensor  # (B, S, D), γ × normalized + β
    spread: Tensor  # (B, S) population deviation of `normalized`: 1 where ε does not matter


@dataclass(frozen=True)
class LayerNorms:
    """Every formula on the same numbers."""

    x: Tensor  # (B, S, D)
    gamma: Tensor  # (D,)
    beta: Tensor  # (D,)
    formulas: dict[tuple[Deviation, Place], Formula]
    keepdim_missed: bool  # whether torch takes x − x.mean(-1) for (B, S, D), or refuses it
    curves: Tensor  # (4, N) what each formula leaves the first word when multiplied by `SPREADS`


def layer_norms(x: Any, gamma: Any = None, beta: Any = None, epsilon: Any = 1e-6) -> LayerNorms:
    """Normalises a batch by the model's two formulas and by the two it does not have (§5.4).

    Args:
        x: (B, S, D), D at least 2, up to 1024 numbers.
        gamma: (D,), ones where None.
        beta: (D,), zeros where None.
        epsilon: 0 to 1.

    Returns:
        The steps of every formula, and what each leaves of larger and smaller inputs.

    Raises:
        GlassformerError: `lab_…`, as `core.lab.inputs`.
    """
    batch = _batch(x)
    width = batch.size(-1)
    scale = array("gamma", [1.0] * width if gamma is None else gamma, 1, (width,))
    shift = array("beta", [0.0] * width if beta is None else beta, 1, (width,))
    tiny = read_number("epsilon", epsilon, 0, 1)
    spread = batch[:1, :1] * torch.tensor(SPREADS, dtype=batch.dtype)[:, None]  # (1, N, D)
    plain = torch.ones_like(scale), torch.zeros_like(shift)
    ways = [(sigma, place) for sigma in get_args(Deviation) for place in get_args(Place)]
    formulas = {way: _formula(batch, *way, tiny, scale, shift) for way in ways}
    curves = torch.stack([_formula(spread, *way, tiny, *plain).spread[0] for way in ways])
    return LayerNorms(batch, scale, shift, formulas, _keepdim_missed(batch), curves)


def _batch(x: Any) -> Tensor:
    """(B, S, D), D at least 2."""
    width = array("x", x, 3).size(-1)
    return array("x", x, 3, (None, None, max(2, width)))


def model_norm(deviation: Deviation, epsilon: float, gamma: Tensor, beta: Tensor) -> LayerNorm:
    """The model's own layer normalisation, with some γ and β.

    Args:
        deviation: "population", divided by D, with ε inside the root; "sample", divided by D − 1,
            with ε outside.
        epsilon: ε.
        gamma: (D,).
        beta: (D,).

    Returns:
        The layer, without gradients.
    """
    config = ModelConfig(
        vocabulary_size=1, d_model=gamma.numel(), n_heads=1, positions="none",
        norm_formula=deviation, norm_epsilon=epsilon,
    )  # fmt: skip
    norm = LayerNorm(config)
    norm.gamma, norm.beta = nn.Parameter(gamma), nn.Parameter(beta)
    return norm.requires_grad_(False)


def _formula(
    x: Tensor, deviation: Deviation, place: Place, epsilon: float, gamma: Tensor, beta: Tensor
) -> Formula:
    tape = Recorder()
    model_norm(deviation, epsilon, gamma, beta)(x, tape)
    steps = tape.tensors
    std, own = steps["std"], OWN_PLACE[deviation] == place
    normalized, output = steps["normalized"], steps["output"]  # (B, S, D)
    divisor = (std.square() + epsilon).sqrt() if place == "inside" else std + epsilon  # (B, S, 1)
    if not own:
        normalized = (x - steps["mean"]) / divisor
        output = gamma * normalized + beta
    spread = normalized.std(dim=-1, correction=0)
    return Formula(deviation, place, own, steps["mean"], std, divisor, normalized, output, spread)


def _keepdim_missed(x: Tensor) -> bool:
    """Whether (B, S, D) − (B, S) is (B, S, D): features meet other words' means."""
    try:
        return (x - x.mean(dim=-1)).shape == x.shape
    except RuntimeError:
        return False


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

    Returns:
        Both norms of the batch, and how far neighbours and padding move each.

    Raises:
        GlassformerError: `lab_…`, as `core.lab.inputs`.
    """
    cells = _batch(x)
    batch, words, _ = cells.shape
    given = array("lengths", [words] * batch if lengths is None else lengths, 1, (batch,))
    sizes = [read_whole_number("lengths", each, 1, words) for each in given.tolist()]
    real = torch.arange(words) < torch.tensor(sizes)[:, None]  # (B, S)
    tiny = read_number("epsilon", epsilon, 0, 1)
    return Norms(cells, real, _layer_side(cells, sizes, tiny), _batch_side(cells, real, tiny))


def _layer_side(x: Tensor, sizes: list[int], epsilon: float) -> Normalised:
    norm = model_norm("population", epsilon, torch.ones_like(x[0, 0]), torch.zeros_like(x[0, 0]))
    normalized: Tensor = norm(x)  # (B, S, D)
    apart = [norm(x[at : at + 1, :size])[0] for at, size in enumerate(sizes)]
    moved = [_most(normalized[at, : len(rows)] - rows) for at, rows in enumerate(apart)]
    mean, std = x.mean(dim=-1, keepdim=True), x.std(dim=-1, correction=0, keepdim=True)
    return Normalised(mean, std, normalized, _most(norm(x[:1])[0] - normalized[0]), max(moved))


def _batch_side(x: Tensor, real: Tensor, epsilon: float) -> Normalised:
    mean, std = batch_norm_statistics(x)  # (D,) each
    normalized = _divided(x, mean, std, epsilon)  # (B, S, D)
    alone = _divided(x[0], *batch_norm_statistics(x[:1]), epsilon)  # (S, D)
    words = x[real]  # (N, D), without the padding
    unpadded = _divided(words, *batch_norm_statistics(words), epsilon)
    moved = _most(alone - normalized[0]), _most(unpadded - normalized[real])
    return Normalised(mean, std, normalized, *moved)


def batch_norm_statistics(x: Tensor) -> tuple[Tensor, Tensor]:
    """What batch norm averages over: mean and population deviation of each feature.

    Layer norm takes them over D instead.

    Args:
        x: (B, S, D), or (N, D) words.

    Returns:
        Two (D,), over batch and positions: mean, deviation.
    """
    flat = x.flatten(0, -2)  # (B · S, D)
    return flat.mean(dim=0), torch.std(flat, dim=0, correction=0)


def _divided(x: Tensor, mean: Tensor, std: Tensor, epsilon: float) -> Tensor:
    return (x - mean) / (std.square() + epsilon).sqrt()


def _most(difference: Tensor) -> float:
    return float(difference.abs().max())
