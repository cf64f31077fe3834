"""What a training step makes smaller: the translation loss (§5.4), and losses that teach heads.

A taught head is told by the grammar which word a row belongs to: the row that writes a word, the
source words it translates; the row of a pronoun, the noun that it stands for. That makes a clear
picture. Whether the model also uses what the head finds is another question.
"""

from typing import Any

import torch
from torch import Tensor

from glassformer.core.model.generator import Generator
from glassformer.core.trace.address import Address
from glassformer.core.trace.tape import RootTape, Tape
from glassformer.core.training.data import Batch
from glassformer.core.training.training_config import TrainingConfig

TINY = 1e-37  # the least probability whose logarithm is taken
ROWS = 128  # scored together: so many rows of logits stay in the processor's cache
FLOOR = 1e-9  # of a probability, so that its logarithm is finite


def generator_loss(
    x: Tensor, generator: Generator, target: Tensor, label_smoothing: float, pad_id: int = 0
) -> Tensor:
    """§5.4 Cross-entropy of the generator's logits with label smoothing, without the padding.

    The logits are by far the largest tensor of a training step: here they are made for a few
    rows at a time and turned into their gradient where they lie.

    Args:
        x: (B, T, D), what enters the generator.
        generator: its weight is (V, D), its bias (V,) or None.
        target: (B, T), the ids of the right words.
        label_smoothing: the share that is spread over all words, 0..1.
        pad_id: the id of padding, whose rows do not count.

    Returns:
        A scalar, the mean loss a word in nats; NaN where all is padding.
    """
    words = target != pad_id  # (B, T)
    loss: Tensor = _GeneratorLoss.apply(  # type: ignore[no-untyped-call]
        x[words], generator.weight, generator.bias, target[words], label_smoothing
    )
    return loss


class _GeneratorLoss(torch.autograd.Function):
    """x (N, D), weight (V, D), bias (V,) or None, target (N,) -> scalar."""

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        weight: Tensor,
        bias: Tensor | None,
        target: Tensor,
        label_smoothing: float,
    ) -> Tensor:
        kept, words = 1 - label_smoothing, weight.size(0)
        spread = label_smoothing / words
        all_words = weight.sum(dim=0)  # (D,), what a target that names every word adds up to
        loss = x.new_zeros(())
        gradients = [torch.empty_like(x), torch.zeros_like(weight)]
        ones = x.new_ones(min(ROWS, len(x)))  # (ROWS,)
        bias_gradient = x.new_zeros(words)  # (V,)
        for start in range(0, len(x), ROWS):
            rows, goal = x[start : start + ROWS], target[start : start + ROWS, None]  # (n, D)
            logits = rows @ weight.t() if bias is None else torch.addmm(bias, rows, weight.t())
            p = logits.softmax(dim=-1)  # (n, V)
            log_p = p.gather(1, goal).clamp_(min=TINY).log_()  # (n, 1), of the right words
            total = (logits.gather(1, goal) - log_p).sum()  # of the logarithms of Σ exp(logits)
            loss += spread * (words * total - logits.sum()) - kept * log_p.sum()
            p.scatter_add_(1, goal, p.new_full(goal.shape, -kept))  # d loss / d logits, + spread
            gradients[0][start : start + ROWS] = p @ weight - spread * all_words
            gradients[1].addmm_(p.t(), rows)
            bias_gradient += ones[: len(rows)] @ p
        gradients[1] -= spread * x.sum(dim=0)  # every word's row alike
        bias_gradient -= spread * len(x)
        ctx.save_for_backward(*gradients, bias_gradient if bias is not None else None)
        ctx.words = len(x)
        return loss / len(x)

    @staticmethod
    def backward(ctx: Any, *outer: Tensor) -> tuple[Tensor | None, ...]:
        share = outer[0] / ctx.words
        x, weight, bias = ctx.saved_tensors
        return x * share, weight * share, bias if bias is None else bias * share, None, None


class MapTape(RootTape):
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

    def record(self, address: str, value: Tensor) -> Tensor:
        """Keeps the maps of attention, and silences whole heads where the tape drops them.

        Where scores are asked for, it notes each head's largest one, too.

        Args:
            address: of the value.
            value: what the model has computed there.

        Returns:
            What the model goes on with: the value, or the context with some heads at 0 and
            the others divided by 1 − the share of them that is dropped.
        """
        at = Address.of(address)
        if not at.is_attention:
            return value
        if at.name == "weights":
            self.maps[address] = value
        elif at.name == "context" and self._head_dropout:
            return self._without_some_heads(value)
        elif at.name == "scaled" and self._scores:
            self._scaled = value.detach()
        elif at.name == "mask" and self._scaled is not None:
            allowed = self._scaled.abs().masked_fill(~value, 0.0)
            self.largest[at.place] = allowed.amax(dim=(0, 2, 3))
            self._scaled = None
        return value

    def _without_some_heads(self, context: Tensor) -> Tensor:
        """Context (B, H, T, K) with a share of the heads silenced, others for each sentence."""
        generator = self.generator(context.device)
        drawn = torch.rand(context.shape[:2], device=context.device, generator=generator)
        kept = (drawn >= self._head_dropout)[..., None, None]  # (B, H, 1, 1)
        return context * kept / (1 - self._head_dropout)


def training_tape(recipe: TrainingConfig, dropout_seed: int, step: int) -> Tape:
    """The cheapest tape that hears what the recipe asks for at a step.

    Args:
        recipe: of the training.
        dropout_seed: of the units and heads that are dropped.
        step: counted from 1.

    Returns:
        A `MapTape` where maps or scores are asked for or heads dropped, else a tape
        that keeps nothing.
    """
    caps = recipe.logit_cap > 0 and step % recipe.cap_every == 0
    listens = recipe.teaches or recipe.entropy_weight or recipe.head_dropout or caps
    return MapTape(dropout_seed, recipe.head_dropout, caps) if listens else Tape(dropout_seed)


def heads_loss(tape: Tape, batch: Batch, recipe: TrainingConfig) -> Tensor:
    """What the recipe adds to the translation loss for the maps on the tape.

    Args:
        tape: of this step's pass.
        batch: what the pass ran over; it knows where rows might look.
        recipe: of the training; it weighs each loss.

    Returns:
        A scalar; 0 for a tape that keeps no maps.
    """
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
    """−log of the attention that rows give to their words together: the mean, in nats; 0 for none.

    Args:
        maps: (B, H, T, S) attention weights.
        places: (N, 3), sentence, row and column; several columns of one row count as one place.
        head: which one is taught, from 0; None teaches the mean of all.

    Returns:
        A scalar.
    """
    if not len(places):
        return maps.new_zeros(())
    taught = maps.mean(dim=1) if head is None else maps[:, head]  # (B, T, S)
    right = torch.zeros_like(taught, dtype=torch.bool)
    right[places[:, 0], places[:, 1], places[:, 2]] = True
    share = (taught * right).sum(dim=-1)[right.any(dim=-1)]  # one a row that has a word
    return -(share + FLOOR).log().mean()


def mean_entropy(maps: dict[str, Tensor], batch: Batch) -> Tensor:
    """How blurred the maps are: mean entropy of all rows of words, in nats.

    Args:
        maps: (B, H, T, S) attention weights by address, at least one.
        batch: says which rows are padding.

    Returns:
        A scalar, the mean of the attentions' means.
    """
    entropies = []
    for address, weights in maps.items():  # (B, H, T, S)
        encoder = Address.of(address).stack == "encoder"
        ids = batch.source if encoder else batch.target_input  # (B, T)
        entropy = -(weights * (weights + FLOOR).log()).sum(dim=-1).mean(dim=1)  # (B, T)
        entropies.append(entropy[ids != 0].mean())
    return torch.stack(entropies).mean()
