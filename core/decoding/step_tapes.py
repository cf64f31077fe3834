"""A tape for each step of decoding, and one run of what they all recorded.

A step records its own row; of attention maps that row ends where the words end. The run of one pass
has square maps, so what no step computed, what hidden keys would have scored, is computed here.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import torch
from torch import Tensor

from glassformer.core.config import ModelConfig
from glassformer.core.decoding.rows import EditTapes
from glassformer.core.model.attention import attention_maps
from glassformer.core.model.grouped import for_each_query
from glassformer.core.model.masks import target_mask
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.address import Address
from glassformer.core.trace.graph import addresses, inputs
from glassformer.core.trace.shapes import shape_letters
from glassformer.core.trace.sites import site_at
from glassformer.core.trace.tape import Edit, Recorder

IDS, KEYS = "target/ids", "decoder/0/self_attention/k"
Tensors = Mapping[str, Tensor]


@dataclass(frozen=True)
class StepTapes(EditTapes):
    """Makes tapes that keep what each step records (`keep`: see `Recorder`).

    A pass over all words takes the place of what was recorded before; of keys and values, which
    each step has whole, the last ones stay.
    """

    keep: Callable[[str], bool] | None = None
    made: list[Recorder] = field(default_factory=list, compare=False)

    def __call__(self) -> Recorder:
        self._drop_earlier()
        self.made.append(Recorder(self.edits, self.keep))
        return self.made[-1]

    def join(self, model: Transformer) -> dict[str, Tensor]:
        """One run of all steps.

        Args:
            model: the Transformer that was run.

        Returns:
            The tensors by address, equal up to rounding to those of one pass over the same words.
        """
        self._drop_earlier()
        return _join(model, [each.tensors for each in self.made], self.edits)

    def _drop_earlier(self) -> None:
        if not self.made or IDS not in (last := self.made[-1].tensors):
            return
        *earlier, newest = self.made
        if last[KEYS].size(-2) == last[IDS].size(-1):
            sources = [each for each in earlier if IDS not in each.tensors]
            self.made[:] = [*sources, newest]
        else:
            before = earlier[-1].tensors
            for address in [each for each in before if each.endswith(WHOLE)]:
                if address.startswith("decoder/"):
                    del before[address]


WHOLE = ("/k", "/v", "/k_normed", "/k_rotated")  # a step has them of all positions


@torch.no_grad()
def _join(model: Transformer, steps: Sequence[Tensors], edits: Sequence[Edit]) -> dict[str, Tensor]:
    config, found, squares = model.config, dict[str, Tensor](), dict[str, Tensor]()
    for address in addresses(config):
        parts = [each[address] for each in steps if address in each]
        rows, is_square = _axes(config, address)
        if not parts:
            continue
        if rows is None or len(parts) == 1:
            found[address] = parts[-1]
        elif not is_square:
            found[address] = torch.cat(parts, dim=rows)
        else:
            if address not in squares:
                squares = _squares(model, Address.of(address), found, edits)
            found[address] = _fill(squares[address], () if site_at(address).is_view else parts)
    return found


@lru_cache(maxsize=4096)
def _axes(config: ModelConfig, address: str) -> tuple[int | None, bool]:
    """Which axis has a place for each row of the decoder, and whether its keys are as many."""
    letters, names = shape_letters(address, config), site_at(address).axes
    named = list(zip(names, letters, strict=True))
    rows = [at for at, (name, letter) in enumerate(named) if letter == "T" and name != "key"]
    return (rows[0] if rows else None), ("key", "T") in named


def _squares(
    model: Transformer, at: Address, found: Tensors, edits: Sequence[Edit]
) -> dict[str, Tensor]:
    """All maps of a self-attention, (B, H, T, T), from its queries and keys."""
    config, tape = model.config, Recorder(edits)
    q, k = (found[each] for each in inputs(config, at.sibling("scores")))
    mask = target_mask(found[IDS], config.pad_id)  # (B, 1, T, T)
    relative, rows = model.decoder.relative, q.size(-2)
    bias = relative(rows, rows) if relative is not None else None
    place = tape / at.stack / (at.layer or 0) / at.part
    heads = for_each_query(k, q)  # (B, H, T, K)
    attention_maps(q, heads, mask, config.mask_fill, place, bias, config.score_scale)
    return tape.tensors


def _fill(square: Tensor, parts: Sequence[Tensor]) -> Tensor:
    """A map with the rows that the steps recorded, each up to its own keys."""
    row, square = 0, square.clone() if parts else square
    for part in parts:
        end = row + part.size(-2)
        square[..., row:end, : part.size(-1)] = part
        row = end
    return square
