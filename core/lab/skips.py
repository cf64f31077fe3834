"""What the residual stream is made of, layer by layer: the input, and what each sub-layer added.

§3.1. A sub-layer adds to the stream, and a norm on the stream is, at the deviation that it
measured, a multiplication: so every part can be followed to the end, and the parts still add up.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from glassformer.core.lab.depth import HEADS, WORDS, encoder
from glassformer.core.lab.inputs import read_choice, read_whole_number
from glassformer.core.lab.parts import EVERYTHING
from glassformer.core.model.device import to_float64
from glassformer.core.model.encoder import Encoder
from glassformer.core.trace.tape import Recorder

PARTS = ("self_attention", "feed_forward")
FIRST = 2  # parts before those of the sub-layers: the input, and the norms' β


@dataclass(frozen=True)
class Skips:
    """L layers, 2 L sub-layers; shares of a vector are along it, so they sum to 1.

    A share is below 0 where a part points against the whole.
    """

    place: str  # of the norm: "post" or "pre"
    shares: Tensor  # (2 L + 1, 2 L + 2) row n: after n sub-layers; columns: input, β, sub-layers
    around: Tensor  # (2 L,) share of what went around a sub-layer in the sum behind it
    longer: Tensor  # (2 L,) ‖f(x)‖ / ‖x‖, mean over the words
    rest: float  # the largest difference between the sum of all parts and the stream itself


def skips(layers: Any = 6, width: Any = 64, seed: Any = 0, place: Any = "post") -> Skips:
    """The parts of the residual stream in an untrained encoder of the paper's shape.

    It reads six random words.

    Args:
        layers: L, 1 to 8.
        width: d_model, a multiple of 4 from 8 to 128.
        seed: 0 to 2³¹, of the weights and the words.
        place: of the norm, "post" or "pre".

    Returns:
        The share of each part after every sub-layer.

    Raises:
        GlassformerError: `lab_…`, as `core.lab.inputs`.
    """
    many, start = (
        read_whole_number("layers", layers, 1, 8),
        read_whole_number("seed", seed, 0, 2**31),
    )
    wide = read_whole_number("width", width, 8, 128, multiple_of=HEADS)
    model = encoder(many, wide, start, read_choice("place", place, ("post", "pre")))
    x = torch.randn(1, WORDS, wide, generator=torch.Generator().manual_seed(start))
    return follow_skips(model, x)


@torch.no_grad()
def follow_skips(model: Encoder, x: Tensor) -> Skips:
    """The parts of the residual stream in any encoder, for one sentence's input.

    Args:
        model: not written to.
        x: (1, S, D).

    Returns:
        The share of each part after every sub-layer, mean over the words, float64.
    """
    tape = Recorder()
    model(x, EVERYTHING.to(x.device), tape)
    found = {name: to_float64(each[0]) for name, each in tape.tensors.items() if each.size(0) == 1}
    first = to_float64(x[0])
    parts = torch.stack([first, torch.zeros_like(first)])  # (C, S, D), their sum is the stream
    shares, around, longer = [_shares(parts)], [], []
    rest, place = 0.0, "post"
    for index, layer in enumerate(model.layers):
        for name in PARTS:
            connection = getattr(layer, f"{name}_residual")
            place = connection.config.norm_place
            at = f"{index}/{name}"
            stream, summed = found[f"{at}_residual/stream"], found[f"{at}_residual/summed"]
            branch = summed - stream  # (S, D)
            around.append(_shares(torch.stack([stream, branch]))[0])
            longer.append((branch.norm(dim=-1) / stream.norm(dim=-1)).mean())
            parts = torch.cat([parts, branch[None]])
            onward = summed
            if place == "post":
                norm = {key: found[f"{at}_norm/{key}"] for key in ("mean", "normalized", "output")}
                parts = _normed(parts, summed, norm, connection.norm)
                onward = norm["output"]
            rest = max(rest, float((parts.sum(dim=0) - onward).abs().max()))
            shares.append(_shares(parts))
    width = parts.size(0)
    rows = [torch.cat([row, row.new_zeros(width - len(row))]) for row in shares]
    return Skips(place, torch.stack(rows), torch.stack(around), torch.stack(longer), rest)


def _normed(parts: Tensor, summed: Tensor, found: dict[str, Tensor], norm: Any) -> Tensor:
    """Each part (C, S, D) as the norm leaves it: γ times the part over the sum's deviation."""
    if found["mean"].any():  # a formula without a mean records 0
        parts = parts - parts.mean(dim=-1, keepdim=True)
    centred = summed - found["mean"]  # (S, D)
    divisor = centred.norm(dim=-1) / found["normalized"].norm(dim=-1)  # (S,), whatever formula
    parts = to_float64(norm.gamma) * parts / divisor[:, None]
    parts[1] += to_float64(norm.beta)
    return parts


def _shares(parts: Tensor) -> Tensor:
    """How much of their sum each part is (C, S, D) -> (C,), mean over the words."""
    whole_one = parts.sum(dim=0)  # (S, D)
    along = (parts * whole_one).sum(dim=-1) / whole_one.square().sum(dim=-1)  # (C, S)
    return along.mean(dim=-1)
