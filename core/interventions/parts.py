"""Where a switch takes hold: sub-layers, norms, the heads of attentions, by path or pattern."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import ClassVar

import torch
from torch import Tensor

from glassformer.core.config import ModelConfig
from glassformer.core.errors import GlassformerError, check_index
from glassformer.core.interventions.switch import Switch
from glassformer.core.trace.address import Address
from glassformer.core.trace.graph import addresses
from glassformer.core.trace.tape import Edit, nearest_addresses


@dataclass(frozen=True)
class Parts(Switch):
    """A switch for some parts of the model; `where` is a path, or a pattern with `*`.

    Paths are those of addresses without their last name: `decoder/1/cross_attention`,
    `encoder/*`, `*/feed_forward`; `*` is all of them. Raises `edit_unmatched` (in `check`, and
    when the edits are made) for a pattern that names no part.
    """

    where: str = "*"
    groups: ClassVar[tuple[str, ...]] = ("attention", "feed_forward")  # what parts it is for

    def places(self, config: ModelConfig) -> tuple[str, ...]:
        """The parts that `where` names, in computation order.

        Args:
            config: of the model.

        Returns:
            Their paths, such as `decoder/1/cross_attention`; one at least.

        Raises:
            GlassformerError: `edit_unmatched` where it names no part, with the nearest.
        """
        known = tuple(dict.fromkeys(self._parts(config)))
        found = tuple(each for each in known if fnmatchcase(each, self.where))
        if not found:
            near = nearest_addresses(self.where, known)
            shown = ", ".join(known[:3]) if near == "-" else near
            raise GlassformerError("edit_unmatched", address=self.where, nearest=shown)
        return found

    def each(
        self, config: ModelConfig, site: str, change: Callable[[Tensor], Tensor]
    ) -> Sequence[Edit]:
        """One edit for every part, at `<part><site>`: `/output`, or `_residual/stream`.

        Args:
            config: of the model.
            site: what is added to the path of a part.
            change: from a tensor, which it may write into, to one of the same shape.

        Returns:
            The edits, named as the switch in a link.

        Raises:
            GlassformerError: `edit_unmatched` where `where` names no part.
        """
        return [Edit(f"{place}{site}", change, self.text) for place in self.places(config)]

    def check(self, config: ModelConfig, source: int, target: int) -> None:  # noqa: ARG002
        """Raises where the model has no such part.

        Args:
            config: of the model.
            source: S; of no consequence, parts are there at every length.
            target: T; of no consequence.

        Raises:
            GlassformerError: `edit_unmatched`.
        """
        self.places(config)

    def _parts(self, config: ModelConfig) -> Iterator[str]:
        for address in addresses(config):
            at = Address.of(address)
            if at.group in self.groups:
                yield at.place


@dataclass(frozen=True)
class OfHeads(Parts):
    """A switch of the heads of some attentions; `heads` count from 0, () is all of them.

    `where` is an attention (`decoder/1/cross_attention`) or a pattern (`encoder/*`, `*`).
    """

    heads: tuple[int, ...] = ()
    groups: ClassVar[tuple[str, ...]] = ("attention",)

    def check(self, config: ModelConfig, source: int, target: int) -> None:
        """Raises for an attention or a head that the model does not have.

        Args:
            config: of the model.
            source: S; of no consequence, heads are there at every length.
            target: T; of no consequence.

        Raises:
            GlassformerError: `edit_unmatched` for an attention, `out_of_range` for a head it does
                not have.
        """
        super().check(config, source, target)
        for place in self.places(config):
            self.chosen(config, place)

    def chosen(self, config: ModelConfig, place: str) -> list[int]:
        """The heads of one of the attentions as a list.

        Args:
            config: of the model.
            place: an attention, or an address in it.

        Returns:
            Heads counted from 0, all of them where the switch names none.

        Raises:
            GlassformerError: `out_of_range` for a head that the attention does not have.
        """
        count = config.of(place).n_heads
        for head in self.heads:
            check_index("head", head, count)
        return list(self.heads or range(count))

    def holds_at(self, config: ModelConfig) -> tuple[str, ...]:
        """The attentions that it is for.

        Args:
            config: of the model.

        Returns:
            Their paths; () where the model lacks them or its heads.
        """
        try:
            OfHeads.check(self, config, 0, 0)
        except GlassformerError:
            return ()
        return self.places(config)

    def in_heads(
        self, config: ModelConfig, site: str, change: Callable[[Tensor], Tensor]
    ) -> Sequence[Edit]:
        """As `each`, for the chosen heads alone.

        Args:
            config: of the model.
            site: what is added to the path of an attention, of a tensor (B, H, …).
            change: gets the part (B, heads, …) and returns it.

        Returns:
            One edit for every attention, named as the switch in a link.

        Raises:
            GlassformerError: `edit_unmatched` for an attention, `out_of_range` for a head it does
                not have.
        """

        def at(place: str) -> Edit:
            heads = self.chosen(config, place)

            def changed(x: Tensor) -> Tensor:
                x[:, heads] = change(x[:, heads])
                return x

            return Edit(f"{place}{site}", changed, self.text)

        return [at(place) for place in self.places(config)]


def attention_extent(place: str, source: int, target: int) -> tuple[int, int]:
    """How many queries and keys an attention has for these lengths in tokens.

    Args:
        place: an attention, such as `decoder/1/cross_attention`.
        source: S, tokens that the encoder reads.
        target: T, tokens that the decoder reads.

    Returns:
        (queries, keys): the decoder's own has T and T, cross-attention T and S.
    """
    at, size = Address.of(place), {"source": source, "target": target}
    return size[at.side], size[at.key_side]


def key_offsets(like: Tensor) -> Tensor:
    """Key − query of every cell of an attention map.

    Args:
        like: a map (…, T, S); only its shape and device count.

    Returns:
        (T, S) int64, 0 on the diagonal, above 0 for later keys.
    """
    queries, keys = like.shape[-2:]
    query = torch.arange(queries, device=like.device)[:, None]
    key = torch.arange(keys, device=like.device)[None, :]
    return key - query
