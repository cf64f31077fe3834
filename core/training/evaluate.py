"""What the model has learned, on sentences it has never seen: all measures, one after another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from core.corpus import DIRECTIONS, Grammar, Pair
from core.training.measures.attention import alignment, antecedents
from core.training.measures.calibration import Calibration, as_typed, calibrate
from core.training.measures.free_typed import (
    SETS,
    Answer,
    answers,
    read_judgements,
    read_sentences,
)
from core.training.measures.knock_out import Part, Without, knock_outs
from core.training.measures.passes import word_for_word
from core.training.measures.redirect import redirects
from core.training.measures.roles import ROLES, Roles, head_roles
from core.training.measures.saturation import Sharpness, sharpness, without_scale
from core.training.measures.sentences import (
    coreference_readings,
    referring_pairs,
    unseen_pairs,
)
from core.training.measures.tally import Tally, both_right
from core.training.measures.written import Written, written
from core.training.recipe import Recipe
from core.translator import Translator

READINGS = 300  # pairs of readings
PROBED = 250  # held-out pairs translated without each head
ROLES_OF = 500  # held-out pairs whose attention is looked at
PLACES = [role for role in ROLES if role != "antecedent"]  # that one has sentences of its own
TYPED = 500  # held-out pairs given to the app as text


@dataclass
class Metrics:
    """The figures of one evaluation; what could not be measured is empty."""

    written: Written
    coreference: Tally = field(default_factory=Tally)
    alignment: dict[str, dict[str, Tally]] = field(default_factory=dict)  # by direction, by head
    antecedent: dict[str, dict[str, Tally]] = field(default_factory=dict)  # by direction, by head
    roles: dict[str, Roles] = field(default_factory=dict)  # by direction, by head
    sharpness: dict[Part, Sharpness] = field(default_factory=dict)
    unscaled: dict[Part, Tally] = field(default_factory=dict)  # changed without √d_k
    knock_outs: dict[str, dict[str, Without]] = field(default_factory=dict)  # by part, by way
    resolved: Tally = field(default_factory=Tally)
    flips: dict[str, Tally] = field(default_factory=dict)  # by what was turned
    typed: dict[str, list[Answer]] = field(default_factory=dict)  # by set
    calibration: dict[str, Calibration] = field(default_factory=dict)  # by set


def evaluate(
    translator: Translator,
    grammar: Grammar,
    pairs: int = Recipe.held_out,
    readings: int = READINGS,
    sets: Sequence[str] = tuple(SETS),
    progress: Callable[[str], None] = lambda _: None,
) -> Metrics:
    """Measures a translator.

    Args:
        translator: left as it is; edits live in their runs.
        grammar: makes the held-out sentences.
        pairs: held-out pairs to translate in both directions.
        readings: sentences with a pronoun to translate in both their readings.
        sets: the sets of typed sentences, keys of `free_typed.SETS`.
        progress: is told what comes next.
    """
    unseen = unseen_pairs(grammar, pairs)
    progress(f"{len(unseen)} held-out pairs, both directions")
    metrics = Metrics(written(translator, unseen))
    progress("cross-attention against the gold alignment")
    for direction in DIRECTIONS:
        taught = [pair for pair in unseen if direction in pair.directions]
        metrics.alignment[direction] = alignment(translator, taught, direction)
        metrics.roles[direction] = head_roles(translator, taught[:ROLES_OF], direction, PLACES)
        referring = referring_pairs(grammar, direction, readings)
        for part, found in head_roles(translator, referring, direction, ["antecedent"]).items():
            metrics.roles[direction].setdefault(part, {}).update(found)
    progress("how sharp attention is, with and without √d_k")
    metrics.sharpness = sharpness(translator, unseen[:PROBED])
    metrics.unscaled = without_scale(translator, unseen[:PROBED])
    both = coreference_readings(grammar, readings)
    _coreference(translator, grammar, both, unseen, metrics, progress)
    _typed(translator, sets, unseen, metrics, progress)
    return metrics


def _coreference(
    translator: Translator,
    grammar: Grammar,
    both: Sequence[tuple[Pair, Pair]],
    unseen: Sequence[Pair],
    metrics: Metrics,
    progress: Callable[[str], None],
) -> None:
    progress("pronouns with two readings")
    flat = [pair for reading in both for pair in reading]
    metrics.coreference = both_right(word_for_word(translator, flat, "en-zh"))
    metrics.antecedent = {"en-zh": antecedents(translator, flat)}
    chinese = referring_pairs(grammar, "zh-en", 2 * len(both))
    metrics.antecedent["zh-en"] = antecedents(translator, chinese, "zh-en")
    progress("attention turned to the other noun")
    metrics.resolved, metrics.flips = redirects(translator, both)
    metrics.knock_outs = knock_outs(translator, both, unseen[:PROBED], progress)


def _typed(
    translator: Translator,
    sets: Sequence[str],
    unseen: Sequence[Pair],
    metrics: Metrics,
    progress: Callable[[str], None],
) -> None:
    judgements = read_judgements()
    for name in sets:
        sentences = read_sentences(name)
        if sentences:
            progress(f"{len(sentences)} typed sentences: {name}")
            metrics.typed[name] = answers(translator, sentences, judgements)
    held_out = as_typed(translator, unseen[:TYPED])
    progress(f"{len(held_out)} held-out sentences, as typed")
    given = {**metrics.typed, "held out": answers(translator, held_out, {})}
    for name, found in given.items():
        calibration = calibrate(found)
        if calibration:
            metrics.calibration[name] = calibration
