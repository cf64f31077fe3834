"""One experiment over a list of texts: what each became, and how far its words moved.

experiment = Experiment.from_text("heads_off:encoder/0/self_attention,(1)")
Path("out.csv").write_bytes(as_csv(table([*over_texts(model, texts, experiment)])))
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING

from glassformer.core.errors import GlassformerError
from glassformer.core.interruption import StoppedError, count_parts
from glassformer.core.interventions.causal_tracing import BLANKS
from glassformer.core.interventions.experiment import (
    Experiment,
    mean_contexts,
    prepare_model,
    run,
    setting_of,
)
from glassformer.core.interventions.switch import Setting
from glassformer.core.interventions.translations import kullback_leibler, log_probabilities
from glassformer.core.text_models.decodings import record_words
from glassformer.core.text_models.model import Model, texts_of
from glassformer.core.trace.trace import Trace

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class TextResult:
    """One text, run plainly and as it is switched; where it cannot be read, `error` alone.

    The words that the plain run wrote are forced on the switched model: `log_probabilities` are
    their ln P before and after, summed, `divergence` is KL(plain ‖ switched) of a row, the mean and
    the largest, in nats. Words of a prompt, and those that stood around a blank, do not count.
    """

    text: str
    plain: str = ""
    switched: str = ""
    words: int = 0  # that count
    log_probabilities: tuple[float, float] | None = None
    divergence: tuple[float, float] | None = None
    error: str = ""
    run: Trace | None = field(default=None, repr=False, compare=False)  # the plain one

    @property
    def changed(self) -> bool:
        """Whether another text was written."""
        return self.plain != self.switched


def over_texts(
    model: Model, texts: Sequence[str], experiment: Experiment, asked: Setting | None = None,
    writes: bool = True,
) -> Iterator[TextResult]:  # fmt: skip
    """Every text in turn; an error of one is its result, not the end.

    Args:
        model: the plain model.
        texts: to be run; a tab divides a text in two that are read together, of a model that takes
            such pairs.
        experiment: what is switched; an empty one gives the plain runs.
        asked: as in `core.interventions.experiment.run`; None computes means once for all texts.
        writes: False lets a model that continues texts read them alone: what counts are its own
            words, each after those before it, and `plain` and `switched` are the next word.

    Yields:
        What became of each text, with its plain run where there is one.

    Raises:
        GlassformerError: what the experiment itself raises, before the first text: `config` for
            conventions that the weights do not allow.
        StoppedError: nobody wants the rest any more.
    """
    chosen, asked = prepare_model(experiment, model, asked or setting_with_means(model))
    edits = experiment.edits(asked)
    for text in count_parts(texts, len(texts)):
        try:
            own, text_pair = texts_of(model, text)
            reads = not writes and model.kind == "continue"
            plain = model.run(own) if reads else model.trace(own, text_pair=text_pair)
            if bad := _misfit(experiment, plain):
                raise bad
            switched = plain
            forced = plain
            if experiment:
                if not reads:
                    switched = run(experiment, model, own, asked=asked, text_pair=text_pair)
                forced = record_words(
                    chosen, switched, plain.output_ids, edits, dropout_seed=experiment.seed
                )
                switched = _with_next_word(forced) if reads else switched
            rows = list(range(len(plain.output_pieces))) if reads else written_rows(model, plain)
            yield _result(model, text, (plain, switched, forced), rows)
        except StoppedError:
            raise
        except GlassformerError as error:
            yield TextResult(text, error=str(error))


def setting_with_means(model: Model) -> Setting:
    """What switches may ask of a model, the heads' means computed once for all texts.

    Args:
        model: the plain model.

    Returns:
        The setting; the means are computed when they are asked for first.
    """
    return setting_of(model, means=cache(lambda: mean_contexts(model)))


def written_rows(model: Model, trace: Trace) -> list[int]:
    """The rows whose word the model chose: not those of a prompt, nor those around a blank.

    Args:
        model: the plain model.
        trace: a run of it.

    Returns:
        Rows of the output, counted from 0; all of them where none would be left.
    """
    every = list(range(len(trace.output_pieces)))
    if trace.task == "fill_in":
        blanks = [row for row in every if trace.source_pieces[row] in BLANKS]
        return blanks or every
    return every[len(model.task_of(trace).given) :] or every


def results_table(results: Sequence[TextResult]) -> pd.DataFrame:
    """A row a text.

    Args:
        results: of `over_texts`.

    Returns:
        The columns text, plain, switched, changed, words, log_probability_plain,
        log_probability_switched, kl_mean, kl_max (all in nats) and error.
    """
    import pandas as pd  # slow to import, and no page needs it to begin

    return pd.DataFrame([_row(each) for each in results])


def _row(found: TextResult) -> dict[str, object]:
    before, after = found.log_probabilities or (None, None)
    mean, largest = found.divergence or (None, None)
    return {
        "text": found.text, "plain": found.plain, "switched": found.switched,
        "changed": None if found.error else found.changed, "words": found.words or None,
        "log_probability_plain": before, "log_probability_switched": after,
        "kl_mean": mean, "kl_max": largest, "error": found.error,
    }  # fmt: skip


def _misfit(experiment: Experiment, plain: Trace) -> GlassformerError | None:
    lengths = len(plain.source_tokens), len(plain.target_tokens)
    return next(iter(experiment.misfits(plain.config, *lengths).values()), None)


def _with_next_word(run: Trace) -> Trace:
    """A run over a text whose last row writes the word that it thinks most probable."""
    word = run.vocabulary[int(run["output/logits"][0, -1].argmax())]
    return replace(run, output_pieces=(*run.output_pieces[:-1], word))


def _result(
    model: Model, text: str, runs: tuple[Trace, Trace, Trace], rows: Sequence[int]
) -> TextResult:
    """What became of a text: its plain run, the switched one, that on the plain words.

    rows: those that count.
    """
    plain, switched, forced = runs
    if not plain.config.has_generator:
        error = GlassformerError("no_generator", name=plain.model_name)
        return TextResult(text, error=str(error), run=plain)
    words = [plain.output_ids[row] for row in rows]
    before, after = (log_probabilities(each)[rows] for each in (plain, forced))  # (n, V)
    chances = [float(each[range(len(rows)), words].sum()) for each in (before, after)]
    apart = kullback_leibler(before, after)  # (n,)
    return TextResult(
        text, _said(model, plain), _said(model, switched), len(rows), (chances[0], chances[1]),
        (float(apart.mean()), float(apart.max())), run=plain,
    )  # fmt: skip


def _said(model: Model, trace: Trace) -> str:
    """What the model wrote; of a text that it went on with, what follows the text."""
    if trace.task != "continue":
        return trace.full_text
    return model.reading(trace, [trace.output_ids[row] for row in written_rows(model, trace)]).text
