"""Teaching heads where to look: the attention maps of a training pass, and losses on them.

A taught head is told by the grammar which word a row belongs to: the row that writes a word, the
source words it translates; the row of a pronoun, the noun that it stands for. That makes a clear
picture. Whether the model also uses what the head finds is another question.
"""

from __future__ import annotations

import torch
from torch import Tensor

from core.trace.tape import Tape
from core.training.data import Batch
from core.training.recipe import Recipe

FLOOR = 1e-9  # of a probability, so that its logarithm is finite


class MapTape(Tape):
    """Training's tape: dropout, whole heads dropped, and the attention maps with their graph.

    `scores` asks for `largest`: (H,) by address of an attention, each head's largest absolute
    scaled score among those that no mask forbids.
    """

    def __init__(self, dropout_seed: int, head_dropout: float = 0.0, scores: bool = False) -> None:
        super().__init__(dropout_seed)
        self.maps: dict[str, Tensor] = {}  # (B, H, T, S) by address
        self.largest: dict[str, Tensor] = {}
        self._scaled: Tensor | None = None  # (B, H, T, S) of the attention that is at work
        self._head_dropout, self._scores = head_dropout, scores

    def __truediv__(self, step: str | int) -> Tape:
        return _Branch(self, f"{step}/")

    def hear(self, address: str, value: Tensor) -> Tensor:
        if address.endswith("attention/weights"):
            self.maps[address] = value
        elif address.endswith("attention/context") and self._head_dropout:
            return self._without_some_heads(value)
        elif self._scores and address.endswith("attention/scaled"):
            self._scaled = value.detach()
        elif self._scaled is not None and address.endswith("attention/mask"):
            allowed = self._scaled.abs().masked_fill(~value, 0.0)
            self.largest[address.removesuffix("/mask")] = allowed.amax(dim=(0, 2, 3))
            self._scaled = None
        return value

    def _without_some_heads(self, context: Tensor) -> Tensor:
        """Context (B, H, T, K) with a share of the heads silenced, others for each sentence."""
        generator = self.generator(context.device)
        drawn = torch.rand(context.shape[:2], device=context.device, generator=generator)
        kept = (drawn >= self._head_dropout)[..., None, None]  # (B, H, 1, 1)
        return context * kept / (1 - self._head_dropout)


class _Branch(Tape):
    """The tape seen from further down: the same run, a longer path."""

    def __init__(self, root: MapTape, prefix: str) -> None:
        self._root, self._prefix = root, prefix

    def __call__(self, name: str, value: Tensor) -> Tensor:
        return self._root.hear(self._prefix + name, value)

    def __truediv__(self, step: str | int) -> Tape:
        return _Branch(self._root, f"{self._prefix}{step}/")

    @property
    def drops(self) -> bool:
        return self._root.drops

    def generator(self, device: torch.device) -> torch.Generator:
        return self._root.generator(device)


def training_tape(recipe: Recipe, dropout_seed: int, step: int) -> Tape:
    """The cheapest tape that hears what the recipe asks for at a step."""
    caps = recipe.logit_cap > 0 and step % recipe.cap_every == 0
    listens = recipe.teaches or recipe.entropy_weight or recipe.head_dropout or caps
    return MapTape(dropout_seed, recipe.head_dropout, caps) if listens else Tape(dropout_seed)


def heads_loss(tape: Tape, batch: Batch, recipe: Recipe) -> Tensor:
    """What the recipe adds to the translation loss for the maps on the tape: a scalar."""
    loss = batch.source.new_zeros((), dtype=torch.float32)
    if not isinstance(tape, MapTape):
        return loss
    if recipe.teach_alignment:
        for site in recipe.alignment_sites:
            look = look_loss(tape.maps[site], batch.alignment, recipe.alignment_head)
            loss = loss + recipe.teach_alignment * look
    if recipe.teach_antecedent:
        maps = tape.maps[recipe.antecedent_site]
        look = look_loss(maps, batch.antecedents, recipe.antecedent_head)
        loss = loss + recipe.teach_antecedent * look
    if recipe.entropy_weight:
        loss = loss + recipe.entropy_weight * mean_entropy(tape.maps, batch)
    return loss


def look_loss(maps: Tensor, places: Tensor, head: int | None) -> Tensor:
    """−log of the attention that rows give to their words together, mean over these rows.

    Args:
        maps: (B, H, T, S).
        places: (N, 3), sentence, row and column; several columns of one row count as one place.
        head: which one is taught; None teaches the mean of all.

    Returns:
        A scalar in nats, 0 where there are no places.
    """
    if not len(places):
        return maps.new_zeros(())
    taught = maps.mean(dim=1) if head is None else maps[:, head]  # (B, T, S)
    right = torch.zeros_like(taught, dtype=torch.bool)
    right[places[:, 0], places[:, 1], places[:, 2]] = True
    share = (taught * right).sum(dim=-1)[right.any(dim=-1)]  # one a row that has a word
    return -(share + FLOOR).log().mean()


def mean_entropy(maps: dict[str, Tensor], batch: Batch) -> Tensor:
    """How blurred the maps are: mean entropy of all rows of words, in nats."""
    entropies = []
    for address, weights in maps.items():  # (B, H, T, S)
        ids = batch.source if address.startswith("encoder/") else batch.target_input  # (B, T)
        entropy = -(weights * (weights + FLOOR).log()).sum(dim=-1).mean(dim=1)  # (B, T)
        entropies.append(entropy[ids != 0].mean())
    return torch.stack(entropies).mean()
