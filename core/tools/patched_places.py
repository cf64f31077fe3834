"""Places that tools patch: an address or a pattern, and after a `#` one of its heads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from glassformer.core.config import ModelConfig
from glassformer.core.errors import GlassformerError, check_index
from glassformer.core.interventions.tensors import addresses_matching
from glassformer.core.trace.address import Address
from glassformer.core.trace.hook_names import addresses_of_hook
from glassformer.core.trace.shapes import letter_sizes, shape_letters
from glassformer.core.trace.sites import site_at

HEADS = "HG"  # the letters of axes that heads stand along


@dataclass(frozen=True)
class Place:
    """An address, or one head of the tensor there."""

    address: str
    head: int | None = None

    def put(self, x: Tensor, given: Tensor) -> Tensor:
        """The tensor with what is given at this place.

        Args:
            x: (B, …); it may be written to.
            given: of the same shape.

        Returns:
            `given` where the whole tensor is meant, else x with its head.
        """
        if self.head is None:
            return given.to(x)
        x[:, self.head] = given[:, self.head].to(x)
        return x

    def __str__(self) -> str:
        return self.address if self.head is None else f"{self.address}#{self.head}"


def find_places(patterns: str | Sequence[str], config: ModelConfig) -> tuple[Place, ...]:
    """The places that patterns name: those with numbers of each text.

    Args:
        patterns: addresses, "*" standing for anything, such as `encoder/1/*` or, for one head,
            `decoder/0/self_attention/context#3`; one, or several.
        config: of the model.

    Returns:
        Each place once, in the order of the patterns; ids, masks and what all texts of a batch
        share (positions) are passed over.

    Raises:
        GlassformerError: `unknown_address` for a pattern that fits nothing,
            `gradient_of_marks` for one that fits no tensor of numbers, `unknown_axis`
            for a head of a tensor without heads, `out_of_range` for one that it has not.
    """
    found = dict[Place, None]()
    for pattern in (patterns,) if isinstance(patterns, str) else patterns:
        path, _, head = pattern.partition("#")
        named = (
            address
            for each in addresses_of_hook(path, config)
            for address in addresses_matching(each, config)
        )
        fitting = [each for each in named if _has_numbers(each)]
        if not fitting:
            raise GlassformerError("gradient_of_marks", address=path)
        for address in fitting:
            found[Place(address, _head_of(address, head, config))] = None
    return tuple(found)


def _has_numbers(address: str) -> bool:
    name = Address.of(address).last
    return site_at(address).axes[0] == "batch" and name not in ("ids", "mask", "position_bias")


def _head_of(address: str, head: str, config: ModelConfig) -> int | None:
    if not head:
        return None
    letters = shape_letters(address, config)
    if letters[1] not in HEADS:
        axes = ", ".join(site_at(address).axes)
        raise GlassformerError("unknown_axis", address=address, axis="head", axes=axes)
    if not head.isdecimal():
        raise GlassformerError(
            "unknown_address", address=f"{address}#{head}", nearest=f"{address}#0"
        )
    size = letter_sizes(config.of(address), 1, 1)[letters[1]]
    check_index("head", int(head), size)
    return int(head)
