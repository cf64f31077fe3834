"""What the runs of a lecture's scenes say in a room: texts with their numbers, words, truths.

It comes with the model: the room asks for it only when it must.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from glassformer.app.hall.rooms import later_answer
from glassformer.app.runs.scenes import trace_of
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.words import say
from glassformer.core.errors import GlassformerError
from glassformer.core.lectures.glosses import gloss_words
from glassformer.core.lectures.lecture import Lecture, Scene
from glassformer.core.lectures.truth import Answer, answer_of, fill_texts, find_truth
from glassformer.core.text.vocabulary import RESERVED
from glassformer.core.trace.trace import Trace

MOST_WORDS = 40  # to choose from: the sentence's
CANDIDATES = 8  # of the vocabulary, where the question is for a word that the model writes
TEXTS = ("title", "text", "notes")
BENCHES = ("lab", "training")  # pages that show no sentence
FORMULAS = tuple("=+-@\t\r\n＝＋－＠")  # with which a spreadsheet begins to compute
VOTES_COLUMNS = ("scene", "name", "title", "question", "kind", "value", "votes", "computed")

Told = dict[str, Any]


def prepare_answers(lecture: Lecture, scene: Scene, language: str) -> Told:
    """The texts of a scene in all languages, its sentence with glosses, the words to choose from.

    The numbers are those of the run that a room of `language` shows, whoever reads them.
    Errors: as `core.lectures.truth.fill_texts`.
    """
    told: Told = {name: {} for name in TEXTS}
    for reader in lecture.languages:
        texts = {name: {language: getattr(scene, name).get(reader, "")} for name in TEXTS}
        filled = fill_texts(lecture, replace(scene, **cast(Any, texts)), language, trace_of)
        for name in TEXTS:
            told[name][reader] = getattr(filled, name)
    if scene.page not in BENCHES:
        run = trace_of(scene, language)
        if run.task == "translate":  # what is switched changes what is written, not what words mean
            run = trace_of(scene, language, trained=True)
        told["glossed"] = _glossed(lecture, run)
    if scene.question is not None:
        source = lecture.source(scene, scene.question.truth)
        if source.page not in BENCHES:
            told["sentence"] = trace_of(source, language).line
        if scene.question.kind == "word":
            told["words"] = _words(lecture, scene, language)
    return told


def write_votes(
    table: Sequence[Mapping[str, Any]], columns: Sequence[str] = VOTES_COLUMNS
) -> bytes:
    """The rows of `votes_table`, or of another, as a file; no text is taken for a formula."""
    import pandas as pd

    from glassformer.core.analysis.export import as_csv

    def safe(value: Any) -> Any:
        return f"'{value}" if isinstance(value, str) and value.startswith(FORMULAS) else value

    rows = [{name: safe(value) for name, value in row.items()} for row in table]
    return as_csv(pd.DataFrame(rows, columns=list(columns)))


def _glossed(lecture: Lecture, trace: Trace) -> list[tuple[str, str]]:
    found = [(word, gloss) for word, gloss in gloss_words(lecture, trace) if word not in RESERVED]
    return [(word, gloss if gloss not in RESERVED else "") for word, gloss in found[:MOST_WORDS]]


def answer_of_scene(lecture: Lecture, scene: Scene, language: str) -> Told:
    """The truth of a scene's question as JSON; `error` where the run or the reading failed.

    Of one that is asked again at the end only when it is told: `later`.
    """
    question = scene.question
    assert question is not None
    if scene.asked == "before":
        return {"later": later_answer()}
    try:
        right = answer_of(lecture, scene, language, trace_of)
    except GlassformerError as error:
        why = {each: say(f"errors.{error.key}", each, **error.values) for each in LANGUAGES}
        return {"error": {"key": error.key, "text": why}}
    assert right is not None
    value = int(right.value) if question.kind == "choice" else right.value
    return {"value": value, "text": _text(scene, right), "address": right.address}


def _text(scene: Scene, right: Answer) -> Mapping[str, str]:
    question = scene.question
    assert question is not None
    if question.kind == "choice":
        return question.options[int(right.value)]
    # A percentage has its sign already.
    units = question.unit or dict.fromkeys(LANGUAGES, "")
    return {
        each: right.text + (unit if not right.text.endswith(unit.strip() or " ") else "")
        for each, unit in units.items()
    }


def _words(lecture: Lecture, scene: Scene, language: str) -> list[str]:
    """Each word once, in the order of the sentence; of the vocabulary the likeliest, by letter."""
    question = scene.question
    assert question is not None
    truth = question.truth
    trace = trace_of(lecture.source(scene, truth), language)
    right = find_truth(truth, trace, language)
    axis = next((each for each in trace.axes(truth.address) if each.name == truth.axis), None)
    labels = list(axis.labels or ()) if axis is not None else []
    if truth.axis == "vocabulary":
        likely = trace.pick(truth.address, **right.place).topk(CANDIDATES).indices.tolist()
        labels = sorted(trace.surfaces.get(labels[at], labels[at]) for at in likely)
    words = [word for word in labels if word not in RESERVED][:MOST_WORDS]
    return [*dict.fromkeys([*words, str(right.value)])]
