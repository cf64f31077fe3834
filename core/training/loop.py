"""The training loop: seeded, and interrupted or not, the same weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor, nn

from core.corpus import Grammar, held_out_pairs
from core.device import choose_device
from core.model.transformer import Transformer
from core.text.tokenizer import Tokenizer
from core.training.curve import Curve
from core.training.data import (
    Batch,
    Examples,
    Stream,
    batches_from,
    corpus_tokenizer,
    grammar_stream,
)
from core.training.heads import MapTape, heads_loss, training_tape
from core.training.logit_cap import cap_logits
from core.training.loss import generator_loss
from core.training.optimiser import Optimiser
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
    """One run: the model, its optimiser, the number of steps done and the curve so far.

    `stream` gives the training pairs, `Trainer.of_grammar` those of a grammar.
    """

    def __init__(self, recipe: Recipe, stream: Stream, tokenizer: Tokenizer) -> None:
        self.recipe, self.stream, self.tokenizer = recipe, stream, tokenizer
        self.device = choose_device()
        self.model = new_model(recipe, len(tokenizer.vocabulary)).to(self.device)
        self.optimiser = Optimiser(self.model, recipe.muon, recipe.adam_rate, recipe.weight_decay)
        self.step = 0
        self.curve = Curve()

    @classmethod
    def of_grammar(
        cls, recipe: Recipe, grammar: Grammar, tokenizer: Tokenizer | None = None
    ) -> Self:
        """A run on fresh sentences of a grammar, the test set left out."""
        held_out = held_out_pairs(grammar, recipe.held_out)
        stream = grammar_stream(grammar, held_out)
        return cls(recipe, stream, tokenizer or corpus_tokenizer(grammar))

    def train(self, report: Callable[[Progress], None], until: int | None = None) -> None:
        """Runs to the recipe's end, or to step `until`; `report` is called after every step."""
        recipe, last = self.recipe, until or self.recipe.steps
        examples = Examples(self.tokenizer.vocabulary, places=recipe.teaches)
        batches = batches_from(self.step, self.stream, examples, recipe.seed, recipe.batch_size)
        while self.step < last:
            loss = self.update(next(batches).to(self.device)).item()
            rate = learning_rate(self.step, recipe)
            self.curve.add(self.step, loss, rate, last=self.step == recipe.steps)
            report(Progress(self.step, recipe.steps, loss, rate))

    def update(self, batch: Batch) -> Tensor:
        """One step (§5.3) with dropout (§5.4); returns the translation loss before it."""
        recipe, self.step = self.recipe, self.step + 1
        tape = training_tape(recipe, recipe.seed * DROPOUT_SEEDS + self.step, self.step)
        x = self.model.decode(batch.source, batch.target_input, tape)  # (B, T, D)
        goal, smoothing = batch.target_output, recipe.label_smoothing
        loss = generator_loss(x, self.model.generator, goal, smoothing)
        (loss + heads_loss(tape, batch, recipe)).backward()  # type: ignore[no-untyped-call]
        self.optimiser.step(learning_rate(self.step, recipe))
        if isinstance(tape, MapTape):
            cap_logits(self.model, tape.largest, recipe.logit_cap)
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
