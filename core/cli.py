"""The commands: what needs no screen. Without one, `glassformer` opens the app."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import torch
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from glassformer.core.analysis.export import as_csv
from glassformer.core.corpus import load_grammar
from glassformer.core.errors import GlassformerError
from glassformer.core.text_models.checkpoints import CHECKPOINTS, DEFAULT, list_models, load_model
from glassformer.core.training.calibrate import PAIRS, fit_calibration
from glassformer.core.training.card import write_card
from glassformer.core.training.data import corpus_tokenizer
from glassformer.core.training.decoder_alone.recipe import GptRecipe
from glassformer.core.training.decoder_alone.run import train_gpt as train_small_gpt
from glassformer.core.training.evaluate import evaluate_translator as measure
from glassformer.core.training.evaluation.typed import SEALED, SETS, read_sentences
from glassformer.core.training.evaluation.typed import to_judge as rows_to_judge
from glassformer.core.training.loop import Progress
from glassformer.core.training.run import News, bundled_job, train_bundle
from glassformer.core.training.training_config import BUNDLED, TrainingConfig
from glassformer.core.untrusted import problem_of
from glassformer.core.weights.load import FETCHED, SMALL_GPT

if TYPE_CHECKING:
    import pandas as pd

    from glassformer.core.analysis.head_statistics import HeadMeasures
    from glassformer.core.interventions.over_texts import TextResult

app = typer.Typer(add_completion=False, no_args_is_help=True, help=__doc__)
console = Console()
RUNS = Path("runs")  # in the working folder


@app.command()
def train(
    name: Annotated[
        list[str] | None, typer.Option(help="translator or translator-plain; both by default.")
    ] = None,
    output: Annotated[Path, typer.Option(help="Folder that gets the models.")] = CHECKPOINTS,
    runs: Annotated[Path, typer.Option(help="Folder where interrupted runs wait.")] = RUNS,
    steps: Annotated[int, typer.Option(help="Steps of training in all.")] = TrainingConfig.steps,
    seed: Annotated[int, typer.Option(help="Another seed, another model.")] = TrainingConfig.seed,
    resume: Annotated[bool, typer.Option(help="Go on with an interrupted run.")] = False,
    save_every: Annotated[int, typer.Option(help="Steps between two saved states.", min=1)] = 250,
) -> None:
    """Trains the bundled translators on the grammar's sentences, with snapshots on the way."""
    names = name or list(BUNDLED)
    jobs = [bundled_job(n, steps, seed, runs, output, save_every, resume) for n in names]
    with console.status("Drawing the vocabulary …"):
        tokenizer = corpus_tokenizer(load_grammar())
    columns = (
        TextColumn("{task.fields[job]}"),
        TextColumn("{task.description}"),
        MofNCompleteColumn(),
        BarColumn(None),
        TextColumn("loss {task.fields[loss]:.3f}"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=console) as bar:
        tasks = {n: bar.add_task("starting", total=None, job=n, loss=0.0) for n in names}

        def tell(news: News) -> None:
            bar.update(
                tasks[news.name],
                description=news.doing,
                completed=news.done,
                total=news.total,
                loss=news.loss,
            )

        try:
            train_bundle(jobs, tokenizer, tell)
        except KeyboardInterrupt:  # inside a step: the last saved state is the whole one
            console.print("Interrupted. Go on with --resume.")
            raise typer.Exit(130) from None
    console.print(f"The models are in {output}. Next: glassformer calibrate, then evaluate")


@app.command()
def train_gpt(
    output: Annotated[Path, typer.Option(help="Folder that gets the model's.")] = CHECKPOINTS,
    runs: Annotated[Path, typer.Option(help="Folder where an interrupted run waits.")] = RUNS,
    steps: Annotated[int, typer.Option(help="Steps of training in all.", min=1)] = GptRecipe.steps,
    seed: Annotated[int, typer.Option(help="Another seed, another model.")] = GptRecipe.seed,
    resume: Annotated[bool, typer.Option(help="Go on with an interrupted run.")] = False,
    save_every: Annotated[int, typer.Option(help="Steps between two saved states.", min=1)] = 250,
) -> None:
    """Trains the bundled small GPT on documents of the grammar's English; writes its model card."""
    recipe = GptRecipe(steps=steps, seed=seed)
    columns = (MofNCompleteColumn(), BarColumn(None), TextColumn("loss {task.fields[loss]:.3f}"),
               TimeRemainingColumn())  # fmt: skip
    with Bar(*columns, console=console) as bar:
        task = bar.add_task("training", total=steps, loss=0.0)

        def tell(progress: Progress) -> None:
            bar.update(task, completed=progress.step, loss=progress.loss)

        try:
            train_small_gpt(
                recipe, runs / SMALL_GPT, output / SMALL_GPT, tell, save_every, resume
            )  # fmt: skip
        except KeyboardInterrupt:
            console.print("Interrupted. Go on with --resume.")
            raise typer.Exit(130) from None
    console.print(f"The model is in {output / SMALL_GPT}")


@app.command()
def evaluate(
    models: Annotated[
        list[str] | None, typer.Argument(help="Names or folders; all bundled ones by default.")
    ] = None,
    pairs: Annotated[
        int, typer.Option(help="Held-out pairs to translate.", min=1)
    ] = TrainingConfig.held_out,
    sealed: Annotated[bool, typer.Option(help="Off while the grammar is worked on.")] = True,
    to_judge: Annotated[
        Path | None, typer.Option(help="Where outputs without a verdict are listed, as JSON.")
    ] = None,
    threads: Annotated[int, typer.Option(help="CPU threads.", min=1)] = 1,
) -> None:
    """Measures models; writes CARD.md, metrics.json and lists of typed sentences beside each."""
    torch.set_num_threads(threads)
    sets = tuple(name for name in SETS if sealed or name not in SEALED)
    unjudged: list[dict[str, str]] = []
    for name in models or list_models():
        folder, start = _model_folder(name), time.monotonic()
        translator = load_model(name)

        def told(text: str, name: str = name, start: float = start) -> None:
            console.print(
                f"{name}  {time.monotonic() - start:4.0f} s  {text}", markup=False, soft_wrap=True
            )

        metrics = measure(translator, load_grammar(), pairs, sets=sets, progress=told)
        write_card(folder, metrics)
        told(f"written: {folder / 'CARD.md'}")
        for found in metrics.typed.values():
            unjudged += (row for row in rows_to_judge(found) if row not in unjudged)
    if to_judge:
        to_judge.write_text(json.dumps(unjudged, ensure_ascii=False, indent=1), encoding="utf-8")


@app.command()
def calibrate(
    models: Annotated[
        list[str] | None, typer.Argument(help="Names or folders; all bundled ones by default.")
    ] = None,
    pairs: Annotated[int, typer.Option(help="Held-out pairs to learn from.", min=1)] = PAIRS,
) -> None:
    """Fits how sure to be of each model's translations; writes confidence.json beside it."""
    torch.set_num_threads(1)
    for name in models or list_models():
        folder = _model_folder(name)
        found = fit_calibration(load_model(name), load_grammar(), folder, pairs)
        badged = f"{found.wrong_badged:.0%} of the wrong, {found.right_badged:.0%} of the right"
        console.print(f"{name}  badged of typed sentences left out of the fit: {badged}")


def _model_folder(name: str) -> Path:
    """Where what is found out about a model is written; a step of a training has no such place."""
    for folder in (CHECKPOINTS / name, Path(name)):
        if (folder / "config.json").is_file():
            return folder
    raise GlassformerError("checkpoint_missing", path=name)


@app.command()
def translate(
    text: Annotated[str, typer.Argument(help="A sentence in English or Chinese.")],
    model: Annotated[str, typer.Option(help="A bundled model, or a folder.")] = DEFAULT,
) -> None:
    """Translates one sentence; the direction is read off the text."""
    torch.set_num_threads(1)
    console.print(load_model(model).translate(text), markup=False)


@app.command("run")
def run_over_texts(
    texts: Annotated[Path, typer.Option(help="A file with a text on every line.")],
    model: Annotated[str, typer.Option(help="A bundled model, or a folder.")] = DEFAULT,
    experiment: Annotated[
        str, typer.Option(help="Switches as in a link, such as heads_off:encoder/0/self_attention.")
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option(help="Where the table goes: .csv or .json; the screen by default."),
    ] = None,
    heads: Annotated[
        Path | None, typer.Option(help="Where a table of all heads of the plain runs goes.")
    ] = None,
    write: Annotated[
        bool, typer.Option(help="Whether a model that continues texts goes on with each.")
    ] = True,
) -> None:
    """Runs an experiment over many texts: before, after, probabilities, KL, a row a text."""
    from glassformer.core.interventions.over_texts import (
        results_table,  # with pandas: slow to import, and wanted here alone
    )

    torch.set_num_threads(1)
    results, looked = _over_file(texts, model, experiment, heads is not None, write)
    found = results_table(results)
    failed = sum(1 for each in results if each.error)
    if out:
        _write_table(found, out)
    else:
        console.print(found.to_string(index=False), markup=False, soft_wrap=True)
    if heads:
        from glassformer.core.analysis.head_statistics import tabulate_heads

        _write_table(tabulate_heads(looked), heads)
    changed = sum(1 for each in results if not each.error and each.changed)
    console.print(f"{len(results)} texts, {changed} changed, {failed} could not be run")


def _over_file(
    texts: Path, model: str, experiment: str, with_heads: bool, writes: bool
) -> tuple[list[TextResult], list[HeadMeasures]]:
    """The results of a file of texts, told as they come, and what its heads do."""
    from glassformer.core.analysis.head_statistics import measure_heads
    from glassformer.core.interventions import Experiment
    from glassformer.core.interventions.over_texts import over_texts
    from glassformer.core.weights.load import load_model as load_any

    lines = [line.strip() for line in read_lines(texts) if line.strip()]
    chosen = load_any(model)
    results: list[TextResult] = []
    looked: list[HeadMeasures] = []
    columns = (TextColumn("{task.description}"), BarColumn(None), MofNCompleteColumn())
    with Bar(*columns, TimeRemainingColumn(), console=Console(stderr=True)) as bar:
        shown = bar.add_task("texts", total=len(lines))
        for each in over_texts(chosen, lines, Experiment.from_text(experiment), writes=writes):
            bar.advance(shown)
            if with_heads and each.run is not None:
                looked.append(measure_heads(each.run))
            results.append(replace(each, run=None))  # a run holds every tensor
    return results, looked


def read_lines(path: Path) -> list[str]:
    """The lines of a text file.

    Args:
        path: of the file, in UTF-8.

    Returns:
        The lines without their ends, empty ones included.

    Raises:
        GlassformerError: `texts_file` for one that cannot be read.
    """
    try:
        return path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise GlassformerError("texts_file", path=path, problem=problem_of(error)) from error


def _write_table(found: pd.DataFrame, path: Path) -> None:
    try:
        if path.suffix == ".json":
            found.to_json(path, orient="records", force_ascii=False, indent=1)
        else:
            path.write_bytes(as_csv(found))
    except OSError as error:
        raise GlassformerError("takeaway_write", path=path, problem=problem_of(error)) from error
    console.print(f"Written: {path}", markup=False)


@app.command()
def fetch(
    name: Annotated[str, typer.Argument(help="Such as Helsinki-NLP/opus-mt-en-zh or gpt2.")],
    to: Annotated[Path | None, typer.Option(help="Folder; models/NAME by default.")] = None,
) -> None:
    """Fetches a model to open, the only step that goes online; says what it is."""
    from glassformer.core.weights.fetch import (
        fetch_model as fetched,  # what goes online is loaded for this alone
    )

    folder = fetched(name, to or FETCHED / name.rpartition("/")[2])
    describe_folder(folder)


@app.command()
def convert(
    folder: Annotated[Path, typer.Argument(help="A folder whose weights are a pickle.")],
) -> None:
    """Writes the weights of a pickle as safetensors; nothing but tensors is read of it."""
    from glassformer.core.weights.fetch import as_safetensors

    as_safetensors(folder)
    describe_folder(folder)


@app.command()
def export(
    folder: Annotated[Path, typer.Argument(help="Folder that gets config, weights, tokenizer.")],
    model: Annotated[str, typer.Option(help="A bundled model, or a folder.")] = DEFAULT,
    language: Annotated[str, typer.Option(help="What it writes by itself: en or zh.")] = "zh",
) -> None:
    """Writes one of our translators as a Marian model, which `transformers` opens."""
    from glassformer.core.weights.save import save_marian

    open_sets = (name for name in SETS if name not in SEALED)
    texts = [each.text for name in open_sets for each in read_sentences(name)]
    written = save_marian(load_model(model), folder, language, texts)
    console.print(f"Written: {written}", markup=False)
    console.print((written / "README.md").read_text("utf-8"), markup=False, soft_wrap=True)


def describe_folder(folder: Path) -> None:
    """Prints what a folder of a model holds, in one line.

    Args:
        folder: of the model.

    Raises:
        GlassformerError: as `look_into_folder`, for a folder that cannot be opened.
    """
    from glassformer.core.weights.model_folder import look_into_folder

    found = look_into_folder(folder)
    size = (
        f"{found.parameters / 1e6:,.1f} million weights, {found.nbytes() / 2**20:,.0f} MB of memory"
    )
    licence = found.licence or "no licence named"
    line = f"{folder}: {found.kind}, {found.task}, {size}, {licence}"
    line = "; ".join(filter(None, [line, str(found.left_aside)]))
    console.print(line, markup=False, soft_wrap=True)


def main() -> None:
    """The program: refusals are printed as one sentence.

    Raises:
        SystemExit: with code 2 for a refusal, else as the command ends.
    """
    try:
        app(prog_name="glassformer")
    except GlassformerError as error:
        Console(stderr=True).print(str(error), markup=False, style="red")
        raise SystemExit(2) from None
