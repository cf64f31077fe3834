"""One run of the small GPT: the next token of every place, interrupted or not the same weights."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

from glassformer.core.corpus import Grammar
from glassformer.core.model.device import choose_device
from glassformer.core.model.embedding import position_encoding
from glassformer.core.model.stack import model_of
from glassformer.core.model.transformer import Transformer
from glassformer.core.training.decoder_alone.byte_pairs import batches_of, learn_byte_pairs, rows_of
from glassformer.core.training.decoder_alone.documents import held_out_sentences, training_documents
from glassformer.core.training.decoder_alone.recipe import GptRecipe
from glassformer.core.training.loop import Curve, Progress
from glassformer.core.training.optimiser import Optimiser

BATCHES_A_POOL = 24  # of one pool of documents
SPREAD = 0.02  # of the weights at the start, as GPT-2's
SAMPLE = 12_000  # documents that the byte pairs are learned from
Documents = Callable[[str, float], Iterator[str]]  # of a seed and a share of lists


class GptTrainer:
    """The model, its optimiser, the number of steps done and the curve so far."""

    def __init__(self, recipe: GptRecipe, documents: Documents, tokenizer: Tokenizer) -> None:
        self.recipe, self.documents, self.tokenizer = recipe, documents, tokenizer
        self.device = choose_device()
        self.model = new_gpt(recipe).to(self.device)
        self.optimiser = Optimiser(self.model, True, 1.0, recipe.weight_decay)
        self.step = 0
        self.curve = Curve()

    @property
    def pieces(self) -> tuple[str, ...]:
        """The vocabulary by id: a run goes on with the same alone."""
        by_id = range(self.tokenizer.get_vocab_size())
        return tuple(str(self.tokenizer.id_to_token(each)) for each in by_id)

    def train(self, report: Callable[[Progress], None], until: int | None = None) -> None:
        """Runs to the recipe's end, or to step `until`.

        Args:
            report: called after every step.
            until: the last step, counted from 1; None for the recipe's end.
        """
        recipe, last = self.recipe, until or self.recipe.steps
        batches = self._batches()
        while self.step < last:
            loss = self.update(next(batches).to(self.device)).item()
            rate = recipe.rate_of(self.step)
            self.curve.add(self.step, loss, rate, last=self.step == recipe.steps)
            report(Progress(self.step, recipe.steps, loss, rate))

    def update(self, ids: Tensor) -> Tensor:
        """One step.

        Args:
            ids: (B, T) on the model's device.

        Returns:
            A scalar, the loss before the step in nats a token.
        """
        self.step += 1
        with torch.autocast(ids.device.type, torch.bfloat16):  # products in half the time
            loss = next_token_loss(self.model, ids)
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimiser.step(self.recipe.rate_of(self.step))
        return loss.detach()

    def _batches(self) -> Iterator[Tensor]:
        """The batches of the next step and of all after it."""
        recipe = self.recipe
        pool, skipped = divmod(self.step, BATCHES_A_POOL)
        while True:
            lists = recipe.lists_later if pool * BATCHES_A_POOL >= recipe.later else recipe.lists
            documents = self.documents(f"{recipe.seed} pool {pool}", lists)
            rows = rows_of(documents, self.tokenizer, recipe.length)
            found = batches_of(rows, recipe.batch_size)
            for number in range(BATCHES_A_POOL):
                batch = next(found)
                if number >= skipped:
                    yield batch
            pool, skipped = pool + 1, 0


def new_run(recipe: GptRecipe, grammar: Grammar) -> GptTrainer:
    """A run on documents of a grammar, the test set left out.

    Args:
        recipe: what is trained, and how.
        grammar: the sentences' grammar.

    Returns:
        A trainer before its first step, its byte pairs learned.
    """
    kept = frozenset(held_out_sentences(grammar, recipe.held_out))

    def documents(seed: str, lists: float) -> Iterator[str]:
        return training_documents(grammar, kept, seed, lists)

    sample = islice(documents("byte pairs", recipe.lists), SAMPLE)
    return GptTrainer(recipe, documents, learn_byte_pairs(sample, recipe.vocabulary))


def next_token_loss(model: Transformer, ids: Tensor) -> Tensor:
    """How surprised a model is of what it reads, from each row's second token on.

    Args:
        model: a decoder alone.
        ids: (B, T).

    Returns:
        A scalar, in nats a token.
    """
    logits = model(ids[:, :0], ids[:, :-1])  # (B, T − 1, V)
    return functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())


def new_gpt(recipe: GptRecipe) -> Transformer:
    """A model with fresh weights from the recipe's seed, which also becomes the seed of torch.

    They start as GPT-2's do, the maps that write to the stream smaller, as there are many; but the
    table of positions starts as the paper's waves (§3.5), so that one place back is soon found.

    Args:
        recipe: sizes and seed.

    Returns:
        The model, on the CPU.

    Raises:
        GlassformerError: `config`, for sizes that cannot be built.
    """
    torch.manual_seed(recipe.seed)
    model = model_of(recipe.config())
    for name, part in model.named_modules():
        if isinstance(part, nn.Linear | nn.Embedding):
            writes = name.endswith(("w_o", "w_2"))
            spread = SPREAD * ((2 * recipe.layers) ** -0.5 if writes else 1)
            nn.init.normal_(part.weight, std=spread)
    waves = position_encoding(recipe.length, recipe.d_model)  # (S, D), of spread √½
    with torch.no_grad():
        model.target_embedding.position_table.weight.copy_(waves * SPREAD * 2**0.5)
    return model


def facts_of(trainer: GptTrainer) -> dict[str, Any]:
    """What config.json says of the training so far.

    Args:
        trainer: the run.

    Returns:
        The recipe and the steps done.
    """
    return {**trainer.recipe.to_dict(), "steps_done": trainer.step}
