"""Where a switch takes hold: the sub-layers and norms of a model, by path or pattern."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import ClassVar

from torch import Tensor

from core.config import ModelConfig
from core.edits.switch import Switch
from core.errors import GlassformerError
from core.trace.sites import addresses
from core.trace.tape import Edit

SUBLAYERS = ("self_attention", "cross_attention", "feed_forward")


@dataclass(frozen=True)
class Parts(Switch):
    """A switch for some parts of the model; `where` is a path, or a pattern with `*`.

    Paths are those of addresses without their last name: `decoder/1/cross_attention`,
    `encoder/*`, `*/feed_forward`; `*` is all of them. Raises `edit_unmatched` (in `check`, and
    when the edits are made) for a pattern that names no part.
    """

    where: str = "*"
    endings: ClassVar[tuple[str, ...]] = SUBLAYERS  # what kind of part it is for

    def places(self, config: ModelConfig) -> tuple[str, ...]:
        """The parts that `where` names, in computation order."""
        known = tuple(dict.fromkeys(self._parts(config)))
        found = tuple(each for each in known if fnmatchcase(each, self.where))
        if not found:
            near = difflib.get_close_matches(self.where, known, n=3, cutoff=0.3)
            raise GlassformerError(
                "edit_unmatched", address=self.where, nearest=", ".join(near or known[:3])
            )
        return found

    def each(
        self, config: ModelConfig, site: str, change: Callable[[Tensor], Tensor]
    ) -> Sequence[Edit]:
        """One edit for every part, at `<part><site>`: `/output`, or `_residual/stream`."""
        return [Edit(f"{place}{site}", change, self.text) for place in self.places(config)]

    def check(self, config: ModelConfig, source: int, target: int) -> None:  # noqa: ARG002
        """Raises `edit_unmatched` where the model has no such part."""
        self.places(config)

    def _parts(self, config: ModelConfig) -> Iterator[str]:
        for address in addresses(config):
            part = address.rpartition("/")[0]
            if part.endswith(self.endings):
                yield part
