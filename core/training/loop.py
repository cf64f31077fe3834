"""The training loop: seeded, and interrupted or not, the same weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from core.corpus import Grammar, HeldOut, held_out_pairs
from core.device import choose_device
from core.model.transformer import Transformer
from core.text.tokenizer import Tokenizer
from core.trace.tape import Tape
from core.training.data import Batch, batches_from, corpus_tokenizer
from core.training.loss import translation_loss
from core.training.recipe import Recipe
from core.training.schedule import learning_rate

DROPOUT_SEEDS = 1_000_003  # so that the runs of two seeds drop different units


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    step: int  # steps done
    steps: int
    loss: float  # of the last batch, nats a word, with label smoothing
    rate: float


class Trainer:
    """One run: the model, its optimiser, and the number of steps done."""

    def __init__(self, recipe: Recipe, grammar: Grammar, tokenizer: Tokenizer | None = None):
        self.recipe = recipe
        self.grammar = grammar
        self.tokenizer = tokenizer or corpus_tokenizer(grammar)
        self.held_out: HeldOut = held_out_pairs(grammar, recipe.held_out)
        self.device = choose_device()
        self.model = new_model(recipe, len(self.tokenizer.vocabulary)).to(self.device)
        self.optimizer = torch.optim.Adam(self.model.parameters(), betas=(0.9, 0.98), eps=1e-9)
        self.step = 0

    def train(self, report: Callable[[Progress], None], until: int | None = None) -> None:
        """Runs to the recipe's end, or to step `until`; `report` is called after every step."""
        recipe, last = self.recipe, until or self.recipe.steps
        batches = batches_from(
            self.step,
            self.grammar,
            self.held_out,
            self.tokenizer.vocabulary,
            recipe.seed,
            recipe.batch_size,
        )
        while self.step < last:
            loss = self.update(next(batches).to(self.device))
            rate = learning_rate(self.step, recipe)
            report(Progress(self.step, recipe.steps, loss.item(), rate))

    def update(self, batch: Batch) -> Tensor:
        """One step of Adam (§5.3) with dropout (§5.4); returns the loss before it."""
        self.step += 1
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate(self.step, self.recipe)
        tape = Tape(dropout_seed=self.recipe.seed * DROPOUT_SEEDS + self.step)
        logits = self.model(batch.source, batch.target_input, tape)  # (B, T, V)
        loss = translation_loss(logits, batch.target_output, self.recipe.label_smoothing)
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        return loss.detach()


def new_model(recipe: Recipe, vocabulary_size: int) -> Transformer:
    """A model with fresh weights from the recipe's seed.

    Its one table serves as embedding and as output layer, so it starts with the variance 1 / D
    that gives both scaled embeddings and logits unit variance.
    """
    torch.manual_seed(recipe.seed)
    config = recipe.config(vocabulary_size)
    model = Transformer(config)
    nn.init.normal_(model.generator.weight, std=config.d_model**-0.5)
    return model
