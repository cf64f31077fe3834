"""What the model has learned, on sentences it has never seen: all measures, or a few in seconds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from torch.nn.functional import cross_entropy

from glassformer.core.corpus import DIRECTIONS, Grammar, Pair
from glassformer.core.text_models.translator import Translator
from glassformer.core.training.evaluation import attention, held_out, interventions, passes, typed
from glassformer.core.training.evaluation.attention import Part, Roles, Sharpness
from glassformer.core.training.evaluation.interventions import Without
from glassformer.core.training.evaluation.passes import (
    Tally,
    best_tally,
    both_right,
    count_true,
    word_for_word,
)
from glassformer.core.training.evaluation.typed import Answer, Calibration
from glassformer.core.training.training_config import TrainingConfig

READINGS = 300  # pairs of readings
PROBED = 250  # held-out pairs translated without each head
ROLES_OF = 500  # held-out pairs whose attention is looked at
PLACES = attention.ROLES[:-1]  # antecedents have sentences of their own
TYPED = 500  # held-out pairs given to the app as text
QUICK_PAIRS = 400  # of the grammar's held-out pairs: the first ones
QUICK_READINGS = 100  # pairs of readings


@dataclass
class Metrics:
    """The figures of one evaluation; what could not be measured is empty."""

    written: held_out.Written
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


def evaluate_translator(
    translator: Translator,
    grammar: Grammar,
    pairs: int = TrainingConfig.held_out,
    readings: int = READINGS,
    sets: Sequence[str] = tuple(typed.SETS),
    progress: Callable[[str], None] = lambda _: None,
) -> Metrics:
    """Measures a translator by all figures of a model card.

    Args:
        translator: the model with its tokenizer.
        grammar: the sentences' grammar.
        pairs: held-out ones of the grammar, to translate in both directions.
        readings: sentences with a pronoun, in both their readings.
        sets: of typed sentences, keys of `typed.SETS`.
        progress: is told what comes next.

    Returns:
        The figures; what could not be measured is empty.

    Raises:
        KeyError: there is no such set of typed sentences.
    """
    unseen = held_out.unseen_pairs(grammar, pairs)
    progress(f"{len(unseen)} held-out pairs, both directions")
    metrics = Metrics(held_out.translate_pairs(translator, unseen))
    progress("cross-attention against the gold alignment")
    for direction in DIRECTIONS:
        taught = [pair for pair in unseen if direction in pair.directions]
        metrics.alignment[direction] = attention.alignment(translator, taught, direction)
        roles = attention.head_roles(translator, taught[:ROLES_OF], direction, PLACES)
        referring = held_out.referring_pairs(grammar, direction, readings)
        found = attention.head_roles(translator, referring, direction, ["antecedent"])
        metrics.roles[direction] = {
            part: roles.get(part, {}) | found.get(part, {}) for part in {**roles, **found}
        }
    progress("how sharp attention is, with and without √d_k")
    metrics.sharpness = attention.measure_sharpness(translator, unseen[:PROBED])
    metrics.unscaled = attention.without_scale(translator, unseen[:PROBED])
    both = held_out.coreference_readings(grammar, readings)
    progress("pronouns with two readings")
    chinese = held_out.referring_pairs(grammar, "zh-en", 2 * len(both))
    metrics.coreference, metrics.antecedent = _pronouns(translator, both, chinese)
    progress("attention turned to the other noun")
    metrics.resolved, metrics.flips = interventions.measure_redirects(translator, both)
    metrics.knock_outs = interventions.knock_outs(translator, both, unseen[:PROBED], progress)
    _typed(translator, sets, unseen, metrics, progress)
    return metrics


def _pronouns(
    translator: Translator, both: Sequence[tuple[Pair, Pair]], chinese: Sequence[Pair]
) -> tuple[Tally, dict[str, dict[str, Tally]]]:
    """How many pronouns are translated rightly in both readings, and the antecedents looked at."""
    flat = [pair for reading in both for pair in reading]
    looks = {
        "en-zh": attention.antecedents(translator, flat),
        "zh-en": attention.antecedents(translator, chinese, "zh-en"),
    }
    return both_right(word_for_word(translator, flat, "en-zh")), looks


def _typed(
    translator: Translator,
    sets: Sequence[str],
    unseen: Sequence[Pair],
    metrics: Metrics,
    progress: Callable[[str], None],
) -> None:
    judgements = typed.read_judgements()
    for name in sets:
        if sentences := list(typed.read_sentences(name)):
            progress(f"{len(sentences)} typed sentences: {name}")
            metrics.typed[name] = typed.judge_translations(translator, sentences, judgements)
    sentences = typed.as_typed(translator, unseen[:TYPED])
    progress(f"{len(sentences)} held-out sentences, as typed")
    given = {**metrics.typed, "held out": typed.judge_translations(translator, sentences, {})}
    for name, found in given.items():
        if calibration := typed.calibrate_badge(found):
            metrics.calibration[name] = calibration


def quick_metrics(
    translator: Translator,
    grammar: Grammar,
    pairs: int = QUICK_PAIRS,
    readings: int = QUICK_READINGS,
) -> dict[str, float]:
    """The figures of a snapshot, on sentences of the grammar that are never trained on.

    Args:
        translator: the model with its tokenizer.
        grammar: the sentences' grammar.
        pairs: how many held-out pairs, the first ones.
        readings: how many sentences with a pronoun in both readings, and Chinese ones with a
            pronoun.

    Returns:
        Those of `metrics_on` for the held-out pairs, and

        - `coreference`: share of sentences translated rightly in both readings of their pronoun;
        - `antecedent`: how often the pronoun looks most at its noun, in the encoder head that
            does
          so most often, in English; `antecedent_zh`: in Chinese.

        What cannot be measured (a grammar without pronouns) is left out.
    """
    metrics = metrics_on(translator, held_out.unseen_pairs(grammar, pairs))
    both = held_out.coreference_readings(grammar, readings)
    chinese = held_out.referring_pairs(grammar, "zh-en", readings)
    coreference, looks = _pronouns(translator, both, chinese)
    if both:
        metrics["coreference"] = coreference.rate
    for name, direction in (("antecedent", "en-zh"), ("antecedent_zh", "zh-en")):
        if head := best_tally(looks[direction]):
            metrics[name] = head[1].rate
    return metrics


def metrics_on(translator: Translator, pairs: Sequence[Pair]) -> dict[str, float]:
    """The figures that any pairs allow.

    Args:
        translator: the model with its tokenizer.
        pairs: what is translated, each in the directions that it teaches.

    Returns:
        By name:

        - `loss`: nats a word, both directions, without label smoothing and dropout;
        - `exact_en_zh`, `exact_zh_en`: share of sentences with every word right;
        - `alignment`: how often the row that writes a word looks most at a word it translates, in
          the cross-attention that does so most often (a head, or the mean of a layer's heads).
          Left out where the pairs have no alignment.

        Without pairs there are none.
    """
    metrics: dict[str, float] = {}
    looks: Roles = {}
    total, words = 0.0, 0
    for direction in DIRECTIONS:
        right: list[bool] = []
        for run in passes.run_passes(
            translator, pairs, direction, keep=attention.is_cross_attention
        ):
            total += run.expected.numel() * cross_entropy(run.logits, run.expected).item()
            words += run.expected.numel()
            right += passes.exact_sentences(translator, run)
            attention.count_looks(run, translator, ["alignment"], looks)
        if right:
            metrics[f"exact_{direction.replace('-', '_')}"] = count_true(right).rate
    if words:
        metrics["loss"] = total / words
    if clearest := best_tally(attention.by_layer(looks, "alignment")):
        metrics["alignment"] = clearest[1].rate
    return metrics
