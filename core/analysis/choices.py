"""What the decoder chose at each row, between what, and how sure of it the model was."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from glassformer.core.trace.tables import as_numpy
from glassformer.core.trace.trace import Candidate, Trace, once_a_run

ROUNDING = 1e-3  # of a probability; a step may be computed in another order
BLANKS = ("[MASK]", "<mask>")  # pieces that stand for a blank to be filled in
UNSURE_BELOW = 0.5  # a word chosen with less had the other words together against it


@dataclass(frozen=True)
class Choice:
    """One step of the translation: the words before it, the word chosen, the runners-up."""

    row: int
    before: tuple[str, ...]
    chosen: Candidate
    others: tuple[Candidate, ...]  # best first, without the chosen one; none without numbers
    guarded: str = ""  # the better word that the repetition guard forbade here


@once_a_run
def probabilities(trace: Trace) -> tuple[float, ...]:
    """The probability of each row's word in the recorded pass.

    Args:
        trace: the run that is read, its first sentence.

    Returns:
        T numbers, 0..1; NaN where the run itself has no number.

    Raises:
        GlassformerError: `unknown_address` for a model that writes no words.
    """
    rows = trace.pick("output/probabilities")  # (T, V)
    return tuple(rows[range(len(rows)), list(trace.output_ids)].tolist())


def blanks(trace: Trace) -> tuple[int, ...]:
    """The positions of a text's blanks.

    Args:
        trace: the run that is read.

    Returns:
        From 0, ascending; () of a run that fills in none.
    """
    pieces = trace.source_pieces if trace.task == "fill_in" else ()
    return tuple(at for at, piece in enumerate(pieces) if piece in ("[MASK]", "<mask>"))


def choice_at(trace: Trace, row: int, others: int = 5) -> Choice:
    """What a row chose, and the next best words.

    Args:
        trace: the run that is read, its first sentence.
        row: of the output, from 0.
        others: how many of the next best words, at most.

    Returns:
        The choice; words whose probability is NaN are not among the others.

    Raises:
        GlassformerError: `out_of_range` for no row, `unknown_address` for a model that writes no
            words.
    """
    best = trace.candidates(row, others + 1)
    piece = trace.output_pieces[row]
    chosen = Candidate(trace.output_tokens[row], piece, probabilities(trace)[row])
    left = tuple(each for each in best if each.piece != piece and not math.isnan(each.probability))
    return Choice(row, trace.output_tokens[:row], chosen, left[:others], guard_stop(trace, row))


def choice_at_temperature(trace: Trace, choice: Choice, temperature: float) -> Choice:
    """The same step as it would be had its scores been divided by a temperature.

    Args:
        trace: the run that is read, its first sentence.
        choice: what `choice_at` found in it.
        temperature: above 0; 1 changes nothing.

    Returns:
        The same words in the same order with softmax(logits / temperature), over all words.

    Raises:
        GlassformerError: `unknown_address` for a model that writes no words.
    """
    scores = as_numpy(trace["output/logits"])[0, choice.row].astype(np.float64)
    highest = float(scores.max())
    plain, tempered = (np.exp((scores - highest) / each).sum() for each in (1, temperature))

    def at(candidate: Candidate) -> Candidate:
        if not candidate.probability:  # too small for a number: nothing is left to divide
            return candidate
        below = math.log(candidate.probability * plain) / temperature
        return replace(candidate, probability=math.exp(below) / float(tempered))

    others = tuple(map(at, choice.others))
    return replace(choice, chosen=at(choice.chosen), others=others)


def rows_by_model(trace: Trace) -> range | tuple[int, ...]:
    """The rows whose word the model chose itself: the others repeat a text that was given.

    Of a text that is continued those after it, of one with blanks the blanks; all of a translation.

    Args:
        trace: the run that is read.

    Returns:
        Rows from 0, ascending.
    """
    if trace.task == "fill_in":
        return tuple(at for at, piece in enumerate(trace.source_pieces) if piece in BLANKS)
    return range(trace.given, len(trace.output_tokens))


def chosen_otherwise(trace: Trace) -> bool:
    """Whether the words were chosen with other probabilities than the recorded pass has.

    Words are chosen one after the other; the recorded pass reads them all at once. The two differ
    where rows look at words that were not written yet, and where only that pass dropped units.

    Args:
        trace: the run that is read, its first sentence.

    Returns:
        True where a probability differs by more than `ROUNDING`; False where the target was given.

    Raises:
        GlassformerError: `unknown_address` for a model that writes no words.
    """
    if not trace.steps:
        return False
    found = zip(trace.steps, probabilities(trace), strict=False)
    return any(abs(step.probability - recorded) > ROUNDING for step, recorded in found)


def guard_stop(trace: Trace, row: int) -> str:
    """The better word that the repetition guard forbade at a row.

    Args:
        trace: the run that is read.
        row: of the output, from 0.

    Returns:
        The word as shown; "" where the guard did not speak, and where the target was given.

    Raises:
        IndexError: no step wrote such a row.
    """
    index = trace.steps[row].guarded if trace.steps else None
    if index is None:
        return ""
    piece = trace.vocabulary[index]
    return trace.surfaces.get(piece, piece)


def least_sure(trace: Trace, rows: Iterable[int]) -> int:
    """The one of some rows whose word was least probable; no number is less than 0.

    Args:
        trace: the run that is read, its first sentence.
        rows: at least one, from 0.

    Returns:
        The row, from 0; of equally probable ones the first that was named.

    Raises:
        GlassformerError: `unknown_address` for a model that writes no words.
        ValueError: there are no rows.
        IndexError: no such row.
    """
    chances = probabilities(trace)
    return min(rows, key=lambda row: -1.0 if math.isnan(chances[row]) else chances[row])


@dataclass(frozen=True)
class TopWord:
    """A word of the vocabulary at one row of the decoder; `chosen` is the one that was taken."""

    index: int
    token: str
    logit: float
    probability: float
    chosen: bool


def top_words(trace: Trace, row: int, count: int = 8) -> tuple[TopWord, ...]:
    """The most probable words of a row, the best first; the chosen one is always among them.

    Args:
        trace: the run that is read, its first sentence.
        row: of the output, from 0.
        count: how many words, at least 1.

    Returns:
        As many as `count`, or V. A chosen word that is not among them takes the last place.

    Raises:
        GlassformerError: `out_of_range` for no row, `unknown_address` for a model that writes no
            words.
    """
    chances = as_numpy(trace.pick("output/probabilities", position=row))  # (V,)
    logits = as_numpy(trace.pick("output/logits", position=row))  # (V,)
    taken = trace.output_ids[row]
    best = [int(index) for index in (-logits).argsort(kind="stable")[:count]]
    if taken not in best:
        best[-1] = taken
    return tuple(
        TopWord(
            index,
            trace.surfaces.get(trace.vocabulary[index], trace.vocabulary[index]),
            float(logits[index]),
            float(chances[index]),
            index == taken,
        )
        for index in best
    )
