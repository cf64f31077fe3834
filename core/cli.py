"""`python -m core train | evaluate | translate`: the translator from the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import torch
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from core.checkpoints import CHECKPOINTS, DEFAULT, load_model, save_model
from core.corpus import load_grammar
from core.errors import GlassformerError
from core.training.card import write_card
from core.training.evaluate import evaluate as measure
from core.training.loop import Progress, Trainer
from core.training.recipe import Recipe
from core.training.state import load_state, save_state, stored_recipe

app = typer.Typer(add_completion=False, no_args_is_help=True, help=__doc__)
console = Console()
OUTPUT = CHECKPOINTS / DEFAULT
RUNS = Path("runs")  # where an interrupted run waits to go on, in the working folder

Folder = Annotated[Path, typer.Option(help="Folder of the model.")]


@app.command()
def train(
    output: Folder = OUTPUT,
    steps: Annotated[int, typer.Option(help="Steps of training in all.")] = Recipe.steps,
    seed: Annotated[int, typer.Option(help="Another seed, another model.")] = Recipe.seed,
    resume: Annotated[bool, typer.Option(help="Go on with an interrupted run.")] = False,
    save_every: Annotated[int, typer.Option(help="Steps between two saved states.")] = 250,
    threads: Annotated[int, typer.Option(help="CPU threads; one is the fastest here.")] = 1,
) -> None:
    """Trains a translator on the grammar's sentences and writes it to a folder."""
    torch.set_num_threads(threads)
    state = RUNS / output.name
    recipe = Recipe(steps=steps, seed=seed)
    if resume:
        recipe = recipe.resumed(stored_recipe(state))
    with console.status("Drawing the vocabulary and the test set …"):
        trainer = Trainer(recipe, load_grammar())
    if resume:
        load_state(trainer, state)
    _run(trainer, state, save_every)
    extra = {"training": {**recipe.to_dict(), "steps_done": trainer.step}}
    save_model(output, trainer.model, trainer.tokenizer, extra)
    console.print(f"The model is in {output}. Measure it: python -m core evaluate")


def _run(trainer: Trainer, state: Path, save_every: int) -> None:
    """Trains with a progress bar; interrupted, the last saved state is where it goes on."""
    columns = (
        TextColumn("step"),
        MofNCompleteColumn(),
        BarColumn(None),
        TextColumn("loss {task.fields[loss]:.3f}"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=console) as bar:
        task = bar.add_task("", total=trainer.recipe.steps, completed=trainer.step, loss=0.0)

        def report(progress: Progress) -> None:
            bar.update(task, completed=progress.step, loss=progress.loss)
            if progress.step % save_every == 0 or progress.step == progress.steps:
                save_state(trainer, state)

        try:
            trainer.train(report)
        except KeyboardInterrupt:  # inside a step: the last saved state is the whole one
            console.print("Interrupted. Go on with --resume.")
            raise typer.Exit(130) from None


@app.command()
def evaluate(
    output: Folder = OUTPUT,
    pairs: Annotated[int, typer.Option(help="Held-out pairs to translate.")] = Recipe.held_out,
    threads: Annotated[int, typer.Option(help="CPU threads.")] = 1,
) -> None:
    """Measures a model on held-out sentences; writes metrics.json and CARD.md beside it."""
    torch.set_num_threads(threads)
    translator = load_model(output)
    metrics = measure(translator, load_grammar(), pairs)
    write_card(output, metrics)
    console.print((output / "CARD.md").read_text(encoding="utf-8"))


@app.command()
def translate(
    text: Annotated[str, typer.Argument(help="A sentence in English or Chinese.")],
    model: Annotated[str, typer.Option(help="A bundled model, or a folder.")] = DEFAULT,
) -> None:
    """Translates one sentence; the direction is read off the text."""
    torch.set_num_threads(1)
    console.print(load_model(model).translate(text), markup=False)


def main() -> None:
    """The program: refusals are printed as one sentence, with exit code 2."""
    try:
        app()
    except GlassformerError as error:
        Console(stderr=True).print(str(error), markup=False, style="red")
        raise SystemExit(2) from None
