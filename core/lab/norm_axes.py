"""Over which axes each normalisation takes its mean: batch, layer, instance, group and RMS norm.

A tensor has the axes (B, C, P): an image has C channels of P = H · W pixels. A sentence of S words
with D features is (B, S, D); what a channel is there, is a feature.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import torch
from torch import Tensor

from glassformer.core.lab.inputs import array, read_choice, read_number, read_whole_number

Norm = Literal["batch", "layer", "instance", "group", "rms"]
NORMS: tuple[Norm, ...] = get_args(Norm)
Reading = Literal["image", "words"]
EPSILON = 1e-5
GROUPS = (1, 2, 4)  # of group norm
X = (
    ((1.0, 2.0, 3.0, 4.0), (2.0, 0.0, 5.0, 1.0), (-1.0, 1.0, 0.0, 2.0), (4.0, 1.0, 0.0, 3.0)),
    ((6.0, 7.0, 5.0, 9.0), (0.0, 2.0, 1.0, -3.0), (3.0, 3.0, 4.0, 2.0), (-2.0, 0.0, 1.0, 5.0)),
)  # fmt: skip


@dataclass(frozen=True)
class Normed:
    """One norm on a tensor of three axes."""

    key: Norm
    together: Tensor  # bool, of the shape of x: what shares its mean with the cell asked for
    mean: float  # theirs; 0 for RMS norm, which takes none away
    divisor: float  # theirs: √(σ² + ε), of RMS norm √(mean of squares + ε)
    output: Tensor  # of the shape of x
    averages: Tensor  # of the shape of x: the mean that each number shares; of its squares for RMS
    variances: Tensor  # the same of the variance; 0 for RMS norm, which takes none
    by_row: bool  # whether all numbers of a row of x share their mean
    means: int  # how many the whole tensor has
    parameters: int  # γ and β, as torch's layer starts with
    kept: int  # numbers kept from training for later
    operations: int  # multiplications, additions, roots in training


@dataclass(frozen=True)
class NormAxes:
    """All norms on the same tensor."""

    x: Tensor  # image: (B, C, P); words: (B, S, D)
    at: tuple[int, int, int]  # the cell asked for
    norms: dict[Norm, Normed]


def norm_axes(
    x: Any = X, reading: Any = "image", at: Any = 1, groups: Any = 2, epsilon: Any = EPSILON
) -> NormAxes:
    """Normalises one tensor in five ways.

    Args:
        x: (B, C, P) or (B, S, D); the second and third axis have at least 2, the features or
            channels a multiple of the groups.
        reading: "image", (B, C, P), or "words", (B, S, D).
        at: the cell to look at, from 1 to the number of cells, row by row.
        groups: into how many parts group norm takes the channels or features, one of `GROUPS`.
        epsilon: 0 to 1, added to the variance.

    Returns:
        Each norm's output, and what shares its mean with the cell.

    Raises:
        GlassformerError: `lab_…`, as `core.lab.inputs`.
    """
    axis = 1 if read_choice("reading", reading, get_args(Reading)) == "image" else 2
    shape = array("x", x, 3).shape
    needed = [None, *(max(2, size) for size in shape[1:])]
    parts = int(read_choice("groups", str(groups), [str(each) for each in GROUPS]))
    needed[axis] = max(2, parts, shape[axis] + -shape[axis] % parts)
    cells = array("x", x, 3, tuple(needed))
    place = read_whole_number("at", at, 1, cells.numel()) - 1
    tiny = read_number("epsilon", epsilon, 0, 1)
    found = {key: _normed(key, cells, axis, place, parts, tiny) for key in NORMS}
    return NormAxes(cells, _place(place, cells.shape), found)


def mean_axes(key: Norm, axis: int) -> tuple[int, ...]:
    """The axes of x over which a norm takes its mean.

    Group norm takes those of instance norm and a part of the channels. In sentences layer and RMS
    norm take one word at a time; instance and group norm see all words, as torch's own layers do of
    (B, D, S).

    Args:
        key: the norm.
        axis: that of channels or features: 1 in images, 2 in sentences.

    Returns:
        The axes, from 0; of group norm without its part of the channels.
    """
    inside = 3 - axis  # pixels, or words
    if key == "batch":
        return (0, inside)
    if key in ("instance", "group"):
        return (inside,)
    return (1, 2) if axis == 1 else (2,)


def _normed(key: Norm, x: Tensor, axis: int, place: int, parted: int, epsilon: float) -> Normed:
    groups = parted if key == "group" else x.size(axis)
    # Four axes: the channels are split into groups, of one each but for group norm.
    parts = x.reshape(*x.shape[:axis], groups, -1, *x.shape[axis + 1 :])
    over = [at + (at > axis) for at in mean_axes(key, axis)]
    over += [axis + 1] if key == "group" or axis in mean_axes(key, axis) else []
    mean = parts.mean(dim=over, keepdim=True)
    variance = parts.var(dim=over, correction=0, keepdim=True)
    if key == "rms":
        mean, variance = parts.square().mean(dim=over, keepdim=True), torch.zeros_like(variance)
    centred = parts if key == "rms" else parts - mean
    divisor = ((mean if key == "rms" else variance) + epsilon).sqrt()
    numbers = torch.arange(mean.numel()).view(mean.shape).expand(parts.shape).reshape(x.shape)
    together = numbers == numbers.flatten()[place]
    at, channels = _place(place, x.shape), x.size(axis)

    def spread(each: Tensor) -> Tensor:
        return each.expand(parts.shape).reshape(x.shape)

    return Normed(
        key=key,
        together=together,
        mean=0.0 if key == "rms" else float(x[together].mean()),
        divisor=float(spread(divisor)[at]),
        output=(centred / divisor).reshape(x.shape),
        averages=spread(mean),
        variances=spread(variance),
        by_row=axis == 1 or key in ("layer", "rms"),
        means=mean.numel(),
        parameters=_parameters(key, x.shape[1:].numel() if axis == 1 else channels, channels),
        kept=2 * channels if key == "batch" else 0,
        operations=_operations(key, x.numel(), mean.numel()),
    )


def _parameters(key: Norm, normed: int, channels: int) -> int:
    """Layer norm scales every number that it averages, the others a channel; instance nothing."""
    sizes = {"batch": 2 * channels, "group": 2 * channels, "instance": 0, "rms": normed}
    return sizes.get(key, 2 * normed)


def _operations(key: Norm, cells: int, means: int) -> int:
    """For each number, and for each mean.

    A number is added up, centred, squared, added up, divided, scaled and shifted; a mean takes two
    divisions, ε and a root. RMS norm neither centres nor shifts, instance norm has no γ and β.
    """
    each, every = {"rms": (4, 3), "instance": (5, 4)}.get(key, (7, 4))
    return each * cells + every * means


def _place(at: int, shape: Sequence[int]) -> tuple[int, int, int]:
    _, rows, columns = shape
    return at // (rows * columns), at // columns % rows, at % columns
