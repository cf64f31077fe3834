"""What attention makes of a sentence whose words change places, with and without positions.

Without positions the encoder is equivariant: permuted words give the same rows, permuted (§3.5).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

import torch
from torch import Tensor

from glassformer.core.config import Positions
from glassformer.core.errors import GlassformerError
from glassformer.core.lab.inputs import array, read_choice, read_whole_number
from glassformer.core.model.embedding import position_encoding
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.address import Address
from glassformer.core.trace.tape import Edit, Recorder

Variant = Literal["own", "none", "paper", "notes", "halves"]  # own: the model's positions as it is
VARIANTS: tuple[Variant, ...] = get_args(Variant)
MOST = 32  # words
POSITIONS_AT = "source/positions"


@dataclass(frozen=True)
class Moved:
    """One tensor of the encoder for both orders."""

    still: Tensor
    moved: Tensor
    apart: Tensor  # `moved` less what an equivariant encoder would give

    @property
    def error(self) -> float:
        """The largest of `apart`."""
        return float(self.apart.abs().max())


@dataclass(frozen=True)
class Permuted:
    """A sentence and the same words in another order: row t of `moved` is word order[t]."""

    variant: Variant
    is_moved: bool  # whether the order is another one at all
    output: Moved  # (S, D) the memory
    weights: Moved  # (L, H, S, S) self-attention; both axes of words permute

    @property
    def relative_error(self) -> float:
        """How long the difference of the outputs is, beside the output itself."""
        return float(self.output.apart.norm() / self.output.still.norm())

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
        ids: (S,) up to 32, as the model reads them.
        order: (S,) each of 0 to S − 1 once: which word stands at each place.
        variants: "own" changes nothing, "none" takes positions away, the others put those of §3.5,
            the notes or Marian in their place.

    Returns:
        One a variant: the memory and the attention weights of both orders, and how far they are
        from equivariant.

    Raises:
        GlassformerError: `lab_…`, as `core.lab.inputs`; `lab_shape` for an order that names a word
            twice.
    """
    vocabulary = model.config.vocabulary_size
    row = array("ids", ids, limit=MOST)  # (S,)
    words = [read_whole_number("ids", each, 0, vocabulary - 1) for each in row.tolist()]
    places = _places(order, len(words))
    kinds = [cast(Variant, read_choice("variants", each, VARIANTS)) for each in variants]
    sentence = torch.tensor(words, device=model.generator.weight.device)
    return tuple(_permuted(model, sentence, places, kind) for kind in kinds)


def _permuted(
    model: Transformer, sentence: Tensor, places: list[int], variant: Variant
) -> Permuted:
    output, weights = _run(model, sentence, variant)
    other, attended = _run(model, sentence[places], variant)
    return Permuted(
        variant,
        places != sorted(places),
        Moved(output, other, other - output[places]),
        Moved(weights, attended, attended - weights[:, :, places][:, :, :, places]),
    )


def reversed_order(length: int) -> tuple[int, ...]:
    """Last word first.

    Args:
        length: S.

    Returns:
        (S − 1, …, 1, 0).
    """
    return tuple(reversed(range(length)))


def _places(order: Any, length: int) -> list[int]:
    found = array("order", order, 1, (length,), limit=MOST).tolist()
    places = [read_whole_number("order", each, 0, length - 1) for each in found]
    if len(set(places)) < length:
        given = ", ".join(map(str, places))
        needed = f"0 … {length - 1}"
        raise GlassformerError("lab_shape", name="order", given=given, needed=needed)
    return places


def _run(model: Transformer, ids: Tensor, variant: Variant) -> tuple[Tensor, Tensor]:
    """The memory (S, D) and the weights of self-attention (L, H, S, S)."""

    def other(table: Tensor) -> Tensor:
        kind = cast(Positions, variant)
        return position_encoding(table.size(0), table.size(1), kind).to(table)  # (S, D)

    edits = () if variant == "own" else (Edit(POSITIONS_AT, other, variant),)
    tape = Recorder(edits, keep=lambda address: Address.of(address).name == "weights")
    with torch.no_grad():
        output = model.encode(ids[None], tape)[0]  # (S, D)
    return output, torch.cat(list(tape.tensors.values()))
