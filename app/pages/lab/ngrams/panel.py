"""Counts of word sequences beside the translator or the small GPT, on the same sentences."""

from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from math import exp
from typing import Any

import streamlit as st
import torch
from torch.nn.functional import cross_entropy

from glassformer.app.pages.lab import kit, whose
from glassformer.app.pages.lab.inputs import Field, inputs_of_reader
from glassformer.app.pages.lab.ngrams.figures import Foreseen, candidates_tables, perplexity_figure
from glassformer.app.panels.words.words_panel import shown_piece
from glassformer.app.plots.labels import visible
from glassformer.app.runs import on_screen
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
from glassformer.core.errors import GlassformerError
from glassformer.core.lab.inputs import read_choice, read_whole_number
from glassformer.core.lab.ngrams import KINDS, LONGEST, NGrams, Words, count_ngrams, read_smoothing
from glassformer.core.text.vocabulary import END
from glassformer.core.text_models.model import Model
from glassformer.core.text_models.translator import Translator
from glassformer.core.trace.trace import Trace
from glassformer.core.training.decoder_alone.documents import held_out_documents, lesson_documents
from glassformer.core.training.decoder_alone.measure import surprises
from glassformer.core.training.evaluation.passes import run_passes
from glassformer.core.weights.load import SMALL_GPT
from glassformer.core.weights.opened_model import OpenedModel

BESIDE = ("translator", "gpt")
COUNTED = ("100", "500", "2000")  # sentences
ORDERS = [str(at + 1) for at in range(LONGEST)]
HELD_OUT = 100
SHOWN = 6  # candidates
BYTES = 450  # of a context with its counts
_counts: BoundedCache[NGrams] = BoundedCache(
    SERVER, lambda found: BYTES * sum(map(len, found.followers))
)
_foreseen_by_gpt: BoundedCache[tuple[list[Words], float]] = BoundedCache(
    SERVER, lambda found: 60 * sum(map(len, found[0]))
)


def show() -> None:
    """Draw the inputs and what comes of them."""
    look, texts = current_look(), kit.draw_bench_head("ngrams")
    beside = inputs_of_reader("ngrams").get("beside", _nearest())
    if beside == "translator":
        whose.tell_stand_in()
    words = len(_run(beside if beside in BESIDE else _nearest()).trace.output_pieces)
    answer = kit.compute_from_inputs("ngrams", _fields(words), _foresee)
    found = answer.result

    def draw(answer: kit.Answer[Foreseen]) -> None:
        figure = perplexity_figure(answer.result, texts, look)
        show_chart(figure, "lab_ngrams_chart", texts["alt"], fill=True)

    before = literal(" ".join(map(visible, found.before))) or say("lab_ngrams.nothing")
    after = texts["after" if found.beside == "translator" else "after_gpt"]
    st.markdown(after.format(before=before, word=literal(visible(found.written))))
    with box("fill", "lab_chart", horizontal=True, gap="medium"):
        with st.container(key="lab_ngrams_candidates", gap=None, width="content"):
            st.html(candidates_tables(found, texts))
        with box("fill", "lab_ngrams_perplexity", gap=None):
            kit.draw_with_foresight(answer, draw)


@dataclass(frozen=True)
class Run:
    """A text of a model, what is counted and held out beside it, and how it foresees the latter.

    before: pieces of the target before what its first row writes. first: the first word of a
    held-out text that is foreseen; end: what ends one, "" where that is not foreseen.
    """

    trace: Trace
    vocabulary: int
    counted: Callable[[int], Sequence[Words]]  # of so many sentences
    tried: Sequence[Words]
    perplexity: float
    key: Hashable
    begins: int
    first: int = 0
    end: str = END


def _nearest() -> str:
    """What the counts stand beside at first: the small GPT where it is on screen."""
    with suppress(GlassformerError):  # a file's run without its model
        return BESIDE[on_screen.made_by()[0] == SMALL_GPT]
    return BESIDE[0]


def _run(beside: str) -> Run:
    return _gpt_run() if beside == "gpt" else _translation()


def _translation() -> Run:
    trace, model = whose.bench_trace(), whose.bench_model()
    if trace.direction not in DIRECTIONS or not isinstance(model, Translator):
        trace, model = get_trace(FIRST_SENTENCE), get_model()
    assert isinstance(model, Translator)
    direction: Direction = "zh-en" if trace.direction == "zh-en" else "en-zh"

    def model_perplexity() -> float:
        return perplexity_of(model, held_out(direction), direction)

    tried = [_target(pair, direction) for pair in held_out(direction)]
    value = store.once(model_perplexity, model, direction)
    return Run(
        trace, len(model.vocabulary), partial(counted_sentences, direction), tried, value,
        direction, begins=1,
    )  # fmt: skip


def _gpt_run() -> Run:
    """The small GPT on its own pieces, and the text on screen if it is of its making."""
    own = _nearest() == "gpt"
    trace = on_screen.trace_on_screen() if own else get_trace(FIRST_SENTENCE, model=SMALL_GPT)
    model = get_model(SMALL_GPT)
    tried, value = _foreseen_by_gpt.get("held out", lambda: gpt_on_held_out(model))
    return Run(
        trace, len(model.vocabulary), partial(counted_documents, model), tried, value, "gpt",
        begins=0, first=1, end="",
    )  # fmt: skip


def pieces_of(model: Model, document: str) -> list[int]:
    """A document in the pieces of the small GPT, as many as it has positions."""
    assert isinstance(model, OpenedModel)
    return model.tokens.plain_ids(document)[: model.config.max_length]


def gpt_on_held_out(model: Model) -> tuple[list[Words], float]:
    """The held-out documents in pieces, and how it foresees all pieces but the first of each."""
    found = [pieces_of(model, each) for each in held_out_documents(load_grammar(), HELD_OUT)]
    with torch.no_grad():
        nats = [surprises(model.transformer, torch.tensor([ids])).flatten() for ids in found]
    words: list[Words] = [[model.vocabulary[at] for at in ids] for ids in found]
    return words, float(torch.cat(nats).mean().exp())


def counted_documents(model: Model, count: int) -> list[Words]:
    """Documents of so many sentences as the small GPT was taught, in its pieces."""
    documents = lesson_documents(load_grammar(), count)
    return [[model.vocabulary[at] for at in pieces_of(model, each)] for each in documents]


def _fields(words: int) -> tuple[Field, ...]:
    return (
        Field("beside", "", _nearest(), "choice", "value", options=BESIDE),
        Field("step", "t", min(4, words), "slider", "data", low=1, high=words, step=1),
        Field("order", "n", "3", "choice", "query", options=ORDERS),
        Field("sentences", "", COUNTED[-1], "choice", "data", options=COUNTED),
        Field("smoothing", "", KINDS[0], "choice", "weights", options=KINDS),
        Field("share", "λ", 0.8, "slider", "weights", low=0, high=1, step=0.05),
        Field("k", "k", 0.01, role="weights"),
    )


def _foresee(
    beside: Any, step: Any, order: Any, sentences: Any, smoothing: Any, share: Any, k: Any
) -> Foreseen:
    """What the counts and a model say of the next word, and of held-out sentences."""
    run, how = _run(read_choice("beside", beside, BESIDE)), read_smoothing(smoothing, k, share)
    trace = run.trace
    row = min(read_whole_number("step", step, 1, 1000), len(trace.output_pieces)) - 1
    most = int(read_choice("order", order, ORDERS))
    count = int(read_choice("sentences", sentences, COUNTED))
    counts = _counts.get(
        (run.key, count, run.vocabulary),
        lambda: count_ngrams(run.counted(count), END, run.vocabulary),
    )
    before = trace.target_pieces[run.begins : row + 1]

    def shown(piece: str) -> str:
        return shown_piece(piece, trace.surfaces.get(piece, piece))

    likeliest = counts.likeliest(before, most, how, SHOWN)
    return Foreseen(
        before=tuple(map(shown, before)),
        written=shown(trace.output_pieces[row]),
        order=most,
        met=counts.after(before, most).total(),
        counted=tuple(replace(each, word=shown(each.word)) for each in likeliest),
        model=tuple(
            replace(each, token=shown_piece(each.piece, each.token))
            for each in trace.candidates(row, SHOWN)
        ),
        perplexities=tuple(
            counts.perplexity(run.tried, run.end, each, how, run.first)
            for each in range(1, LONGEST + 1)
        ),
        model_perplexity=run.perplexity,
        beside=beside,
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
