"""The training loop: seeded, and interrupted or not, the same weights. Never a pickle.

    state.json                    step, recipe, curve, and the name of the tensors' file
    state-000250.safetensors      weights and moments of that step

A run may be killed at any moment: state.json, replaced as a whole, always names a whole file.
"""

import json
import os
import zlib
from collections.abc import Callable
from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import Any, Protocol, Self

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from glassformer.core.corpus import Grammar, held_out_pairs
from glassformer.core.errors import GlassformerError
from glassformer.core.model.device import choose_device
from glassformer.core.model.transformer import Transformer
from glassformer.core.text.tokenizer import Tokenizer
from glassformer.core.text_models.history import CURVE_EVERY, CurvePoint
from glassformer.core.training.data import (
    Batch,
    Examples,
    Stream,
    batches_from,
    corpus_tokenizer,
    grammar_stream,
)
from glassformer.core.training.loss import MapTape, generator_loss, heads_loss, training_tape
from glassformer.core.training.optimiser import MOMENTS, Optimiser, cap_logits, learning_rate
from glassformer.core.training.training_config import TrainingConfig
from glassformer.core.untrusted import UNREADABLE, read_json_file

DIGITS = 5  # of a loss that is written to a file
DROPOUT_SEEDS = 1_000_003  # so that the runs of two seeds drop different units
FACTS = "state.json"


@dataclass
class Curve:
    """The points so far, and the losses that wait for their mean."""

    points: list[CurvePoint] = field(default_factory=list)
    waiting: list[float] = field(default_factory=list)

    def add(self, step: int, loss: float, rate: float, last: bool) -> None:
        """Notes the loss of a step; a run's last point may be the mean of fewer steps.

        Args:
            step: counted from 1.
            loss: of its batch, in nats a word.
            rate: the learning rate of the step.
            last: whether the run ends with it.
        """
        self.waiting.append(loss)
        if step % CURVE_EVERY == 0 or last:
            mean = sum(self.waiting) / len(self.waiting)
            self.points.append(CurvePoint(step, round(mean, DIGITS), rate))
            self.waiting.clear()

    def to_dict(self) -> dict[str, Any]:
        return {"points": list(map(astuple, self.points)), "waiting": self.waiting}

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> "Curve":
        """The curve that `to_dict` gave.

        Args:
            stored: as read from a file.

        Returns:
            The curve.

        Raises:
            KeyError, TypeError, ValueError: it is no such thing.
        """
        points = [CurvePoint(int(s), float(x), float(r)) for s, x, r in stored["points"]]
        return cls(points, [float(loss) for loss in stored["waiting"]])


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    step: int  # steps done
    steps: int
    loss: float  # of the last batch, nats a word, with label smoothing
    rate: float


class Recipe(Protocol):
    """What a run is made of, as it is stored."""

    def to_dict(self) -> dict[str, Any]: ...


class Run(Protocol):
    """What a state is saved of: a run of this file's trainer or of another one."""

    model: Transformer
    optimiser: Optimiser
    step: int
    curve: Curve

    @property
    def recipe(self) -> Recipe: ...

    @property
    def pieces(self) -> tuple[str, ...]: ...  # the vocabulary by id: a run goes on with its own


class Trainer:
    """One run: the model, its optimiser, the number of steps done and the curve so far.

    `stream` gives the training pairs, `Trainer.of_grammar` those of a grammar.
    """

    def __init__(self, recipe: TrainingConfig, stream: Stream, tokenizer: Tokenizer) -> None:
        self.recipe, self.stream, self.tokenizer = recipe, stream, tokenizer
        self.device = choose_device()
        self.model = new_model(recipe, len(tokenizer.vocabulary)).to(self.device)
        self.optimiser = Optimiser(self.model, recipe.muon, recipe.adam_rate, recipe.weight_decay)
        self.step = 0
        self.curve = Curve()

    @classmethod
    def of_grammar(
        cls, recipe: TrainingConfig, grammar: Grammar, tokenizer: Tokenizer | None = None
    ) -> Self:
        """A run on fresh sentences of a grammar, the test set left out.

        Args:
            recipe: what is trained, and how.
            grammar: the sentences' grammar.
            tokenizer: None makes one from a sample of the grammar.

        Returns:
            A trainer before its first step.
        """
        held_out = held_out_pairs(grammar, recipe.held_out)
        stream = grammar_stream(grammar, held_out)
        return cls(recipe, stream, tokenizer or corpus_tokenizer(grammar))

    @property
    def pieces(self) -> tuple[str, ...]:
        """The vocabulary by id."""
        return self.tokenizer.vocabulary.pieces

    @property
    def about(self) -> dict[str, Any]:
        """What config.json says beside the model: its training so far, and the taught heads."""
        training, taught = {**self.recipe.to_dict(), "steps_done": self.step}, self.recipe.taught()
        return {"training": training} | ({"taught": taught} if taught else {})

    def train(self, report: Callable[[Progress], None], until: int | None = None) -> None:
        """Runs to the recipe's end, or to step `until`.

        Args:
            report: called after every step.
            until: the last step, counted from 1; None for the recipe's end.
        """
        recipe, last = self.recipe, until or self.recipe.steps
        examples = Examples(self.tokenizer.vocabulary, places=recipe.teaches)
        batches = batches_from(self.step, self.stream, examples, recipe.seed, recipe.batch_size)
        while self.step < last:
            loss = self.update(next(batches).to(self.device)).item()
            rate = learning_rate(self.step, recipe)
            self.curve.add(self.step, loss, rate, last=self.step == recipe.steps)
            report(Progress(self.step, recipe.steps, loss, rate))

    def update(self, batch: Batch) -> Tensor:
        """One step (§5.3) with dropout (§5.4).

        Args:
            batch: on the model's device.

        Returns:
            A scalar, the translation loss before the step in nats a word, label smoothing included.
        """
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


def new_model(recipe: TrainingConfig, vocabulary_size: int) -> Transformer:
    """A model with fresh weights from the recipe's seed, which also becomes the seed of torch.

    Its one table starts with variance 1 / D: scaled embeddings and logits have unit variance
    then.

    Args:
        recipe: sizes and seed.
        vocabulary_size: V.

    Returns:
        The model, on the CPU.

    Raises:
        GlassformerError: `config`, for sizes that cannot be built.
    """
    torch.manual_seed(recipe.seed)
    config = recipe.config(vocabulary_size)
    model = Transformer(config)
    nn.init.normal_(model.generator.weight, std=config.d_model**-0.5)
    return model


def save_state(trainer: Run, folder: Path) -> None:
    """Writes everything that a run needs to go on as if nothing had happened.

    Args:
        trainer: the run as it is now.
        folder: where state.json and the tensors go; it is made if need be. States of other
            steps in
            it are removed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {}
    for name, parameter in trainer.model.named_parameters():
        tensors[f"weights/{name}"] = parameter.detach().cpu().contiguous()
        for moment, value in trainer.optimiser.moments(parameter).items():
            tensors[f"{moment}/{name}"] = value.cpu().contiguous()
    name = f"state-{trainer.step:06d}.safetensors"
    _replace(folder / name, lambda path: save_file(tensors, path))
    facts = {
        "step": trainer.step,
        "tensors": name,
        "recipe": trainer.recipe.to_dict(),
        "vocabulary": _fingerprint(trainer),
        "curve": trainer.curve.to_dict(),
    }
    text = json.dumps(facts, indent=2) + "\n"
    _replace(folder / FACTS, lambda path: path.write_text(text, encoding="utf-8"))
    for old in folder.glob("state-*.safetensors"):
        if old.name != name:
            old.unlink()


def _replace(path: Path, write: Callable[[Path], object]) -> None:
    """Writes a file beside `path`, down to the disk, and puts it there: nobody sees half of it."""
    unfinished = path.with_name(f"{path.name}.new")
    write(unfinished)
    with unfinished.open("rb+") as file:
        os.fsync(file.fileno())
    unfinished.replace(path)


def stored_recipe(folder: Path) -> dict[str, Any]:
    """The recipe of the run in a folder.

    Args:
        folder: with state.json.

    Returns:
        The recipe's fields as they were stored.

    Raises:
        GlassformerError: `training`, if there is none.
    """
    return dict(_facts(folder)["recipe"])


def load_state(trainer: Run, folder: Path) -> None:
    """Puts a trainer of the same recipe where the stored run stopped.

    Args:
        trainer: gets weights, moments, step and curve.
        folder: where `save_state` wrote.

    Raises:
        GlassformerError: `training`, for a state that is missing, damaged, or of another
        vocabulary.
    """
    facts = _facts(folder)
    if facts["vocabulary"] != _fingerprint(trainer):
        problem = f"the grammar's words have changed since the run in {folder.name} began"
        raise GlassformerError("training", problem=problem)
    try:
        tensors = load_file(folder / Path(facts["tensors"]).name)
        with torch.no_grad():
            for name, parameter in trainer.model.named_parameters():
                parameter.copy_(tensors[f"weights/{name}"])
                found = {m: tensors[f"{m}/{name}"] for m in MOMENTS if f"{m}/{name}" in tensors}
                if found:
                    trainer.optimiser.remember(parameter, int(facts["step"]), found)
        trainer.step = int(facts["step"])
        trainer.curve = Curve.from_dict(facts["curve"])
    except (*UNREADABLE, RuntimeError) as error:
        raise _unreadable(folder, error) from error


def _facts(folder: Path) -> dict[str, Any]:
    try:
        facts = read_json_file(folder / FACTS)
        return {name: facts[name] for name in ("step", "tensors", "recipe", "vocabulary", "curve")}
    except UNREADABLE as error:
        raise _unreadable(folder, error) from error


def _fingerprint(trainer: Run) -> int:
    return zlib.crc32(" ".join(trainer.pieces).encode())


def _unreadable(folder: Path, error: Exception) -> GlassformerError:
    problem = f"no run can be resumed from {folder.name} ({type(error).__name__}: {error})"
    return GlassformerError("training", problem=problem)
