"""What attention makes of a sentence whose words change places, with and without positions.

Without positions the encoder is equivariant: permuted words give the same rows, permuted (§3.5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

import torch
from torch import Tensor

from core.config import Positions
from core.errors import GlassformerError
from core.lab.inputs import array, choice, whole
from core.model.embedding import position_encoding
from core.model.transformer import Transformer
from core.trace.address import Address
from core.trace.tape import Edit, Recorder

Variant = Literal["own", "none", "paper", "notes", "halves"]  # own: the model's positions as it is
VARIANTS: tuple[Variant, ...] = get_args(Variant)
MOST = 32  # words
POSITIONS_AT = "source/positions"


@dataclass(frozen=True)
class EncoderPass:
    """One pass through the encoder."""

    ids: Tensor  # (S,)
    weights: Tensor  # (L, H, S, S) self-attention
    output: Tensor  # (S, D), the memory


@dataclass(frozen=True)
class Permuted:
    """A sentence and the same words in another order: row t of `moved` is word order[t]."""

    variant: Variant
    order: tuple[int, ...]
    still: EncoderPass
    moved: EncoderPass

    @property
    def output_apart(self) -> Tensor:
        """`moved.output` less what an equivariant encoder would give, (S, D)."""
        return self.moved.output - self.still.output[list(self.order)]

    @property
    def weights_apart(self) -> Tensor:
        """The same for the attention maps, both of whose axes permute, (L, H, S, S)."""
        places = list(self.order)
        return self.moved.weights - self.still.weights[:, :, places][:, :, :, places]

    @property
    def output_error(self) -> float:
        """The largest of `output_apart`."""
        return float(self.output_apart.abs().max())

    @property
    def weights_error(self) -> float:
        """The largest of `weights_apart`."""
        return float(self.weights_apart.abs().max())

    @property
    def relative_error(self) -> float:
        """How long `output_apart` is, beside the output itself."""
        return float(self.output_apart.norm() / self.still.output.norm())

    @property
    def is_moved(self) -> bool:
        """Whether the order is another one at all."""
        return list(self.order) != sorted(self.order)

    @property
    def equivariant(self) -> bool:
        """Whether nothing but float32 rounding tells the two apart."""
        return self.relative_error < 1e-4


def permutation(
    model: Transformer, ids: Any, order: Any, variants: Sequence[Any] = ("own", "none")
) -> tuple[Permuted, ...]:
    """Encodes a sentence in both orders, once for each kind of positions.

    Args:
        model: any, such as the bundled translator's `.transformer`; not written to.
        ids: (S,) token ids, up to 32, as the model reads them.
        order: (S,) each of 0 to S − 1 once: which word stands at each place.
        variants: "own" changes nothing, "none" takes positions away, the others put those of
            §3.5, the notes or Marian in their place.

    Raises:
        GlassformerError: `lab_…` for an id or an order that does not exist.
    """
    vocabulary = model.config.vocabulary_size
    row = array("ids", ids, limit=MOST)  # (S,)
    words = [whole("ids", each, 0, vocabulary - 1) for each in row.tolist()]
    places = _places(order, len(words))
    kinds = [cast(Variant, choice("variants", each, VARIANTS)) for each in variants]
    _check_length(model, len(words))
    sentence = torch.tensor(words, device=model.generator.weight.device)
    moved = sentence[places]
    return tuple(
        Permuted(kind, tuple(places), _run(model, sentence, kind), _run(model, moved, kind))
        for kind in kinds
    )


def reversed_order(length: Any) -> tuple[int, ...]:
    """Last word first."""
    return tuple(reversed(range(whole("length", length, 1, MOST))))


def _places(order: Any, length: int) -> list[int]:
    found = array("order", order, 1, (length,), limit=MOST).tolist()
    places = [whole("order", each, 0, length - 1) for each in found]
    if len(set(places)) < length:
        given = ", ".join(map(str, places))
        needed = f"0 … {length - 1}"
        raise GlassformerError("lab_shape", name="order", given=given, needed=needed)
    return places


def _check_length(model: Transformer, length: int) -> None:
    if model.config.positions == "learned" and length > model.config.max_length:
        limit = model.config.max_length
        raise GlassformerError("lab_large", name="ids", given=length, limit=limit)


def _run(model: Transformer, ids: Tensor, variant: Variant) -> EncoderPass:
    def other(table: Tensor) -> Tensor:
        kind = cast(Positions, variant)
        return position_encoding(table.size(0), table.size(1), kind).to(table)  # (S, D)

    edits = () if variant == "own" else (Edit(POSITIONS_AT, other, variant),)
    tape = Recorder(edits, keep=lambda address: Address.of(address).name == "weights")
    with torch.no_grad():
        output = model.encode(ids[None], tape)[0]  # (S, D)
    return EncoderPass(ids, torch.cat(list(tape.tensors.values())), output)
