"""The small GPT's training as a folder, and the finished model beside the translators.

snapshots/, state.json, state-….safetensors  while it runs: where it goes on after an interruption
config.json, tokenizer.json, model.safetensors, history.json, metrics.json, README.md  at the end
"""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import torch

from glassformer.core.corpus import Grammar, load_grammar
from glassformer.core.errors import GlassformerError
from glassformer.core.model.transformer import Transformer
from glassformer.core.settings import keep_freed_memory
from glassformer.core.text_models.checkpoints import SNAPSHOTS, WEIGHTS, save_snapshot
from glassformer.core.text_models.history import HISTORY, History, SnapshotMetrics, save_history
from glassformer.core.training.decoder_alone.byte_pairs import END
from glassformer.core.training.decoder_alone.card import CARD, METRICS, write_gpt_card
from glassformer.core.training.decoder_alone.documents import held_out_documents
from glassformer.core.training.decoder_alone.measure import foresee, random_rows, score_heads
from glassformer.core.training.decoder_alone.recipe import GptRecipe
from glassformer.core.training.decoder_alone.trainer import GptTrainer, facts_of, new_run
from glassformer.core.training.loop import Progress, load_state, save_state, stored_recipe
from glassformer.core.training.run import can_resume, remove_old_run
from glassformer.core.weights.save_gpt2 import save_gpt2_about, save_gpt2_weights
from glassformer.core.weights.snapshots import open_snapshot

KEPT = (0, 100, 400, 1500)  # steps whose snapshots are kept beside the end
QUICK = 150  # held-out documents that a snapshot is measured on
DIGITS = 4
PUBLISHED = ("config.json", "tokenizer.json", "tokenizer_config.json", WEIGHTS, HISTORY, CARD,
             METRICS)  # fmt: skip


def train_gpt(
    recipe: GptRecipe, run: Path, output: Path, report: Callable[[Progress], None],
    save_every: int = 250, resume: bool = False,
) -> None:  # fmt: skip
    """Trains, measures, and puts the model where it is found.

    Args:
        recipe: of the run; resumed, the stored one with this one's steps.
        run: the run's own folder.
        output: the finished model's folder; what lay there is replaced.
        report: called after every step.
        save_every: steps between two saved states.
        resume: goes on from a stored state where there is one, else begins anew.

    Raises:
        GlassformerError: `training`, for an output that is the run's own folder, and for a state
            that cannot be read.
    """
    if output.resolve() == run.resolve():
        problem = f"{output} holds the run itself; choose another folder for the finished model"
        raise GlassformerError("training", problem=problem)
    keep_freed_memory()
    torch.set_num_threads(1)  # more threads are slower with matrices of this size
    resume, grammar = resume and can_resume(run), load_grammar()
    if resume:
        recipe = recipe.resumed(stored_recipe(run))
    trainer = new_run(recipe, grammar)
    run_gpt_in(run, trainer, report, save_every, resume)
    measure_steps(run, trainer, grammar)
    write_gpt_card(run, grammar, recipe.held_out)
    publish_gpt(run, output)


def run_gpt_in(
    folder: Path, trainer: GptTrainer, report: Callable[[Progress], None],
    save_every: int = 250, resume: bool = False,
) -> None:  # fmt: skip
    """Trains a new trainer to the end of its recipe.

    Args:
        folder: the run's own; what an earlier run left there is replaced unless this resumes it.
        trainer: a new one.
        report: called after every step, when its snapshot and state are on disk.
        save_every: steps between saved states.
        resume: goes on from the state in the folder.

    Raises:
        GlassformerError: `training`, where there is no state to go on from.
    """
    if resume:
        load_state(trainer, folder)
    else:
        remove_old_run(folder)
    folder.mkdir(parents=True, exist_ok=True)

    def keep(progress: Progress | None) -> None:
        if trainer.step in KEPT and trainer.step < trainer.recipe.steps:
            save_snapshot(folder, trainer.model, trainer.step)
        if progress is not None:
            if progress.step % save_every == 0 or progress.step == progress.steps:
                save_state(trainer, folder)
            report(progress)

    keep(None)
    trainer.train(keep)
    facts = {"training": facts_of(trainer)}
    save_gpt2_about(folder, trainer.model.config, trainer.tokenizer, END, facts)
    save_gpt2_weights(folder, trainer.model)
    write_history(folder, trainer, ())


def snapshot_steps_of(recipe: GptRecipe) -> tuple[int, ...]:
    """The steps of a run that are kept.

    Args:
        recipe: of the run.

    Returns:
        Those of `KEPT` before the end, and the end.
    """
    return (*(step for step in KEPT if step < recipe.steps), recipe.steps)


def write_history(folder: Path, trainer: GptTrainer, measured: Sequence[SnapshotMetrics]) -> None:
    """Writes the curve and the steps that are kept, with what was measured of them.

    Args:
        folder: of the run.
        trainer: at its end.
        measured: the first of the steps, with their figures.
    """
    steps = snapshot_steps_of(trainer.recipe)[len(measured) :]
    further = (SnapshotMetrics(step) for step in steps)
    save_history(folder, History(tuple(trainer.curve.points), (*measured, *further)))


def measure_steps(folder: Path, trainer: GptTrainer, grammar: Grammar) -> None:
    """Measures the model of each kept step into history.json.

    Args:
        folder: of the run.
        trainer: at its end.
        grammar: whose held-out sentences are read.

    Raises:
        GlassformerError: a snapshot is damaged or missing.
    """
    texts = held_out_documents(grammar, trainer.recipe.held_out)[:QUICK]
    measured = list[SnapshotMetrics]()
    for step in snapshot_steps_of(trainer.recipe):
        model = open_snapshot(folder, step).transformer
        measured.append(SnapshotMetrics(step, quick_figures(model, trainer, texts)))
        write_history(folder, trainer, measured)


def quick_figures(
    model: Transformer, trainer: GptTrainer, texts: Sequence[str]
) -> dict[str, float]:
    """What a model of one step can do.

    Args:
        model: of the step.
        trainer: has the tokenizer.
        texts: held-out documents.

    Returns:
        `loss` in nats a piece, and the scores of the clearest heads, `previous_word` and
        `induction`.
    """
    heads = score_heads(model, random_rows(trainer.tokenizer))
    loss = foresee(model, trainer.tokenizer, texts).loss
    found = {
        "loss": loss,
        "previous_word": float(heads.previous_word.max()),
        "induction": float(heads.induction.max()),
    }
    return {name: round(value, DIGITS) for name, value in found.items()}


def publish_gpt(run: Path, output: Path) -> None:
    """Replaces a model by that of a finished run.

    Args:
        run: the folder of the run.
        output: the model's folder; it is made if need be.

    Raises:
        OSError: the run lacks one of the files of a finished model.
    """
    shutil.rmtree(output, ignore_errors=True)
    shutil.copytree(run / SNAPSHOTS, output / SNAPSHOTS)
    for name in PUBLISHED:
        shutil.copyfile(run / name, output / name)
