"""What a run answers: the number or the word at the place that a lecture names."""

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from torch import Tensor

from glassformer.core.errors import GlassformerError
from glassformer.core.lectures.lecture import PLACE, Form, Lecture, Question, Scene, Truth
from glassformer.core.model.device import to_float64
from glassformer.core.text.number_format import MINUS, format_number, format_percent
from glassformer.core.trace.sites import Axis
from glassformer.core.trace.trace import Trace

BESIDE = 3  # numbers that say why the largest is the answer
SHARES = ("weights", "probabilities")  # tensors whose rows add up to 1
TraceOf = Callable[[Scene, str], Trace]  # the run that a scene shows in a language


@dataclass(frozen=True)
class Answer:
    """What was found: a number (of percent: 0 to 100), a word, or of a choice the option's index.

    text: as the screens show it; address and place: where it was read, axis → index.
    """

    value: float | str
    text: str
    address: str
    place: Mapping[str, int]


def find_truth(truth: Truth, trace: Trace, language: str) -> Answer:
    """The number or the word at the place that a lecture names.

    Args:
        truth: the address, the axes that are held, and what is read of the rest.
        trace: the run.
        language: whose index counts where the sentences differ.

    Returns:
        The number (of percent: 0 to 100) or the word, as text too, and where it was read.

    Raises:
        GlassformerError: `unknown_address`, `unknown_axis`, `out_of_range`, `lecture_word` for a
            word that the sentence has not, `trail_cell` where the place is not one number.
    """
    axes = trace.axes(truth.address)
    place = _place(truth, axes, language)
    tensor = trace.pick(truth.address, **place)
    left = [axis for axis in axes if axis.name not in {"batch", *place}]
    wanted = {"value": [], "argmax": [truth.axis]}.get(truth.read)
    if wanted is not None and [axis.name for axis in left] != wanted:
        _refuse(truth, axes, place)
    value: float | str
    if truth.read == "size":
        value = next((axis.size for axis in axes if axis.name == truth.axis), -1)
        if value < 0:
            _refuse(truth, axes, place)
    elif truth.read == "argmax":
        best = int(tensor.argmax())
        value = _label(trace, left[0], best, place)
    else:
        value = _number(truth, tensor)
    if isinstance(value, str):
        return Answer(value, value, truth.address, place)
    if truth.form == "percent":
        value *= 100
    return Answer(value, format_value(value, truth.form), truth.address, place)


def truth(question: Question, trace: Trace, language: str) -> Answer:
    """The answer to a question.

    Args:
        question: what the audience is asked.
        trace: the run of the scene that `Lecture.source` gives.
        language: of the audience.

    Returns:
        What was found; of a choice the index of the right option, from 0, and its text.

    Raises:
        GlassformerError: as `find_truth`, and `lecture_answer` where no option fits.
    """
    answer = find_truth(question.truth, trace, language)
    if question.kind != "choice":
        return answer
    index = _option(question.truth, answer.value)
    if index is None or index >= len(question.options):
        raise GlassformerError("lecture_answer", given=answer.text)
    return Answer(index, question.options[index][language], answer.address, answer.place)


def answer_of(lecture: Lecture, scene: Scene, language: str, trace_of: TraceOf) -> Answer | None:
    """The answer to a scene's question.

    Args:
        lecture: that has the scene.
        scene: whose question it is.
        language: of the audience.
        trace_of: the run that a scene shows in a language.

    Returns:
        As `truth`, without an address where the file gives the answer; None for a scene without a
        question.

    Raises:
        GlassformerError: as `truth`, and what `trace_of` raises.
    """
    if scene.question is None:
        return None
    if (right := scene.question.right) is not None:
        return Answer(right, scene.question.options[right][language], "", {})
    source = lecture.source(scene, scene.question.truth)
    return truth(scene.question, trace_of(source, language), language)


@dataclass(frozen=True)
class Reason:
    """What decided an answer: names with their numbers, the largest first, and where it stands.

    cell: the place of the one number that decided, axis → index; {} where it is made of several.
    """

    rows: tuple[tuple[str, str], ...]
    address: str
    cell: Mapping[str, int]


def find_reason(truth: Truth, trace: Trace, language: str) -> Reason:
    """Why a run answers as it does.

    Args:
        truth: where the answer is read.
        trace: the run that it is read in.
        language: whose index counts where the sentences differ.

    Returns:
        Of the largest along an axis the `BESIDE` largest, by their words; of anything else its
        number alone, without a name.

    Raises:
        GlassformerError: as `find_truth`.
    """
    answer = find_truth(truth, trace, language)
    place = dict(answer.place)
    if truth.read != "argmax":
        cell = place if truth.read == "value" else {}
        return Reason((("", answer.text),), truth.address, cell)
    axis = next(each for each in trace.axes(truth.address) if each.name == truth.axis)
    numbers = to_float64(trace.pick(truth.address, **place))
    best = numbers.topk(min(BESIDE, len(numbers))).indices.tolist()
    form: Form = "percent" if truth.address.rpartition("/")[2] in SHARES else "number"
    rows = tuple(
        (
            str(_label(trace, axis, at, place)),
            format_value(float(numbers[at]) * (100 if form == "percent" else 1), form),
        )
        for at in best
    )
    return Reason(rows, truth.address, {**place, axis.name: best[0]})


@dataclass(frozen=True)
class Said:
    """The texts of a scene in one language, with the run's numbers in them."""

    title: str
    text: str
    notes: str


def fill_texts(lecture: Lecture, scene: Scene, language: str, trace_of: TraceOf) -> Said:
    """What is said of a scene, every `{name}` filled in.

    Args:
        lecture: that has the scene.
        scene: whose texts they are.
        language: of the texts.
        trace_of: the run that a scene shows in a language; asked only for what the texts name.

    Returns:
        Title, text and notes; "" for what the scene has not.

    Raises:
        GlassformerError: as `truth`, and what `trace_of` raises.
    """
    parts = [each.get(language, "") for each in (scene.title, scene.text, scene.notes)]
    names = {name for part in parts for name in PLACE.findall(part)}
    known = {}
    for name, each in scene.truths.items():
        if name == "truth" and name in names:
            answer = answer_of(lecture, scene, language, trace_of)
            known[name] = answer.text if answer else ""
        elif name in names:
            source = lecture.source(scene, each)
            known[name] = find_truth(each, trace_of(source, language), language).text
    return Said(*(PLACE.sub(lambda at: known.get(at[1], at[0]), part) for part in parts))


def format_value(value: float, form: Form) -> str:
    """A number as the app's pages write it.

    Args:
        value: of percent 0 to 100.
        form: "number", three significant digits; "percent", "97.1%"; "whole", rounded.

    Returns:
        The text; "NaN" where there is no number.
    """
    if form == "whole" and math.isfinite(value):
        return f"{round(value)}".replace("-", MINUS)
    return format_percent(value / 100) if form == "percent" else format_number(float(value))


def _place(truth: Truth, axes: Sequence[Axis], language: str) -> dict[str, int]:
    """The indices of all axes that are held; an axis of one cell is held by itself."""
    by_name: dict[str, Axis] = {axis.name: axis for axis in axes}
    alone = (
        axis.name for axis in axes if axis.size == 1 and axis.name not in ("batch", truth.axis)
    )
    place: dict[str, int] = dict.fromkeys(alone, 0)
    for name, given in truth.at.items():
        index = given if isinstance(given, int | str) else given[language]
        axis = by_name.get(name)
        if isinstance(index, str) and axis is not None:
            index = _index(truth.address, axis, index)
        place[name] = index if isinstance(index, int) else 0  # an unknown axis is refused later
    return place


def _index(address: str, axis: Axis, word: str) -> int:
    if (found := axis.index_of(word)) is None:
        raise GlassformerError("lecture_word", address=address, axis=axis.name, word=word)
    return found


def _label(trace: Trace, axis: Axis, index: int, place: Mapping[str, int]) -> float | str:
    """The word at an index; of an axis without words the number that the screen counts from 1."""
    if axis.labels is None:
        return index + 1
    word = axis.labels[index]
    if axis.name != "vocabulary":
        return word
    row = place["position"]
    written = trace.output_pieces[row] == word  # then as it was written, "I" and not "i"
    return trace.output_tokens[row] if written else trace.surfaces.get(word, word)


def _number(truth: Truth, tensor: Tensor) -> float:
    numbers = to_float64(tensor)
    if truth.read == "count_above":
        return float((numbers > truth.above).sum())
    if truth.read == "share_above":
        return float((numbers > truth.above).double().mean())
    if truth.read == "std":
        return float(numbers.std(correction=0))
    if truth.read == "value":
        return float(numbers)
    return float(getattr(numbers, truth.read)())


def _option(truth: Truth, value: float | str) -> int | None:
    if not truth.words:
        number = value if isinstance(value, int | float) else math.nan
        return None if math.isnan(number) else bisect_right(truth.bounds, number)
    given = value if isinstance(value, str) else f"{value:g}"
    having = (index for index, words in enumerate(truth.words) if given in words)
    rest = (index for index, words in enumerate(truth.words) if not words)
    return next(having, next(rest, None))


def _refuse(truth: Truth, axes: Sequence[Axis], place: Mapping[str, int]) -> None:
    given = ", ".join(f"{name} {index}" for name, index in place.items()) or truth.read
    names = ", ".join(axis.name for axis in axes)
    raise GlassformerError("trail_cell", given=given, address=truth.address, axes=names)
