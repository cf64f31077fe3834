"""Counts of the grammar's word sequences beside the translator, on the same sentences."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from math import exp
from typing import Any

import streamlit as st
from torch.nn.functional import cross_entropy

from glassformer.app.pages.lab import kit, whose
from glassformer.app.pages.lab.inputs import Field
from glassformer.app.pages.lab.ngrams.figures import Foreseen, candidates_tables, perplexity_figure
from glassformer.app.plots.labels import visible
from glassformer.app.runs.cache import SERVER, BoundedCache
from glassformer.app.runs.models import get_model
from glassformer.app.runs.traces import get_trace
from glassformer.app.session import store
from glassformer.app.session.state import FIRST_SENTENCE
from glassformer.app.ui.chart import current_look, show_chart
from glassformer.app.ui.layout import box
from glassformer.app.ui.text import literal
from glassformer.app.words import say
from glassformer.core.corpus import (
    DIRECTIONS,
    Direction,
    Pair,
    held_out_pairs,
    load_grammar,
    training_pairs,
)
from glassformer.core.lab.inputs import read_choice, read_whole_number
from glassformer.core.lab.ngrams import KINDS, LONGEST, NGrams, count_ngrams, read_smoothing
from glassformer.core.text.vocabulary import END
from glassformer.core.text_models.translator import Translator
from glassformer.core.trace.trace import Trace
from glassformer.core.training.evaluation.passes import run_passes

COUNTED = ("100", "500", "2000")  # sentences
ORDERS = [str(at + 1) for at in range(LONGEST)]
HELD_OUT = 100
SHOWN = 6  # candidates
BYTES = 450  # of a context with its counts
_counts: BoundedCache[NGrams] = BoundedCache(
    SERVER, lambda found: BYTES * sum(map(len, found.followers))
)


def show() -> None:
    """Draw the inputs and what comes of them."""
    look, texts = current_look(), kit.draw_bench_head("ngrams")
    whose.tell_stand_in()
    run = _run()
    answer = kit.compute_from_inputs(
        "ngrams", _fields(len(run.trace.output_pieces)), partial(_foresee, run)
    )
    found = answer.result

    def draw(answer: kit.Answer[Foreseen]) -> None:
        figure = perplexity_figure(answer.result, texts, look)
        show_chart(figure, "lab_ngrams_chart", texts["alt"], fill=True)

    before = literal(" ".join(map(visible, found.before))) or say("lab_ngrams.nothing")
    st.markdown(say("lab_ngrams.after", before=before, word=literal(visible(found.written))))
    with box("fill", "lab_chart", horizontal=True, gap="medium"):
        with st.container(key="lab_ngrams_candidates", gap=None, width="content"):
            st.html(candidates_tables(found, texts))
        with box("fill", "lab_ngrams_perplexity", gap=None):
            kit.draw_with_foresight(answer, draw)


@dataclass(frozen=True)
class Run:
    """A translation, its translator, and what the translator foresees of held-out sentences."""

    trace: Trace
    model: Translator
    direction: Direction
    perplexity: float


def _run() -> Run:
    trace, model = whose.bench_trace(), whose.bench_model()
    if trace.direction not in DIRECTIONS or not isinstance(model, Translator):
        trace, model = get_trace(FIRST_SENTENCE), get_model()
    assert isinstance(model, Translator)
    direction: Direction = "zh-en" if trace.direction == "zh-en" else "en-zh"

    def model_perplexity() -> float:
        return perplexity_of(model, held_out(direction), direction)

    return Run(trace, model, direction, store.once(model_perplexity, model, direction))


def _fields(words: int) -> tuple[Field, ...]:
    return (
        Field("step", "t", min(4, words), "slider", "data", low=1, high=words, step=1),
        Field("order", "n", "3", "choice", "query", options=ORDERS),
        Field("sentences", "", COUNTED[-1], "choice", "data", options=COUNTED),
        Field("smoothing", "", KINDS[0], "choice", "weights", options=KINDS),
        Field("share", "λ", 0.8, "slider", "weights", low=0, high=1, step=0.05),
        Field("k", "k", 0.01, role="weights"),
    )


def _foresee(
    run: Run, step: Any, order: Any, sentences: Any, smoothing: Any, share: Any, k: Any
) -> Foreseen:
    """What the counts and the translator say of the next word, and of held-out sentences."""
    trace, how = run.trace, read_smoothing(smoothing, k, share)
    row = min(read_whole_number("step", step, 1, 1000), len(trace.output_pieces)) - 1
    most = int(read_choice("order", order, ORDERS))
    count, vocabulary = int(read_choice("sentences", sentences, COUNTED)), len(run.model.vocabulary)
    key = (run.direction, count, vocabulary)
    counts = _counts.get(
        key, lambda: count_ngrams(counted_sentences(run.direction, count), END, vocabulary)
    )
    before = trace.target_pieces[1 : row + 1]
    tried = [_target(pair, run.direction) for pair in held_out(run.direction)]
    written = trace.output_pieces[row]
    return Foreseen(
        before=tuple(trace.surfaces.get(each, each) for each in before),
        written=trace.surfaces.get(written, written),
        order=most,
        met=counts.after(before, most).total(),
        counted=counts.likeliest(before, most, how, SHOWN),
        model=trace.candidates(row, SHOWN),
        perplexities=tuple(
            counts.perplexity(tried, END, each, how) for each in range(1, LONGEST + 1)
        ),
        model_perplexity=run.perplexity,
    )


def counted_sentences(direction: Direction, count: int) -> list[tuple[str, ...]]:
    """The target's side of so many sentences of the grammar, none of them held out."""
    grammar = load_grammar()
    pairs = training_pairs(grammar, held_out_pairs(grammar, HELD_OUT), "ngrams")
    taught = (pair for pair in pairs if direction in pair.directions)
    return [_target(pair, direction) for pair in islice(taught, count)]


def held_out(direction: Direction) -> list[Pair]:
    """The held-out pairs that teach a direction."""
    pairs = held_out_pairs(load_grammar(), HELD_OUT).pairs
    return [pair for pair in pairs if direction in pair.directions]


def perplexity_of(model: Translator, pairs: Sequence[Pair], direction: Direction) -> float:
    """How well a translator foresees the target's words, each after the right ones before it."""
    runs = list(run_passes(model, pairs, direction))
    loss = sum(float(cross_entropy(run.logits, run.expected, reduction="sum")) for run in runs)
    return exp(loss / sum(len(run.expected) for run in runs))


def _target(pair: Pair, direction: Direction) -> tuple[str, ...]:
    return pair.sides(direction)[1]
