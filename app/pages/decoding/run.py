"""What the panels of the page share: the sentence on screen, and every way it was decoded."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar, cast

from glassformer.app.panels.words.words_panel import shown_piece, step_in_focus
from glassformer.app.runs import on_screen
from glassformer.app.session import store
from glassformer.app.session.state import State
from glassformer.app.ui.text import format_error
from glassformer.app.words import say
from glassformer.core.decoding.beam import STRONGEST, Beam, Rule, beam
from glassformer.core.decoding.cuts import Sampling
from glassformer.core.decoding.greedy import greedy, teacher_forced
from glassformer.core.decoding.rows import Tapes, tapes
from glassformer.core.decoding.sampling import SampledStep, draw_samples
from glassformer.core.decoding.step import NOTHING, Forced, Step, Task, check_number
from glassformer.core.decoding.timeline import Moment, cache_difference, time_decoding, time_greedy
from glassformer.core.errors import GlassformerError
from glassformer.core.model.transformer import Transformer
from glassformer.core.text.detokenize import FULL_WIDTH, Decoded
from glassformer.core.text.vocabulary import END
from glassformer.core.text_models.decodings import log_probability, record_words, task_of
from glassformer.core.text_models.model import Model
from glassformer.core.trace.sites import site_at
from glassformer.core.trace.tape import Edit
from glassformer.core.trace.trace import Trace

Value = TypeVar("Value")
READINGS = 200  # sentences that are remembered as text


@dataclass(frozen=True)
class DecodedRun:
    """One decoding: the steps and every tensor of it.

    forced: what was given in it by hand. own: at those places, what the model would have taken.
    """

    trace: Trace
    moments: tuple[Moment, ...]
    forced: Forced = field(default_factory=dict)
    own: Mapping[int, int] = field(default_factory=dict)
    first: int = 0  # the first step at which something was chosen: before it stands a given text
    ends: frozenset[str] = frozenset({END})  # the pieces that end it

    @property
    def count(self) -> int:
        """The steps at which a word was chosen."""
        return len(self.moments) - self.first

    def number(self, place: int) -> int:
        """What a step is called: they count from 1 behind the given text."""
        return place - self.first + 1

    @property
    def words(self) -> tuple[int, ...]:
        """The ids written."""
        return tuple(moment.step.chosen for moment in self.moments)


@dataclass(frozen=True)
class Written:
    """One sentence as a strategy wrote it, behind a given text: as shown, and the steps."""

    reading: Decoded
    steps: tuple[Step, ...]
    sampled: tuple[SampledStep, ...] = ()  # with the cuts, where it was drawn

    @property
    def words(self) -> tuple[int, ...]:
        """The ids written."""
        return tuple(step.chosen for step in self.steps)

    @property
    def log_probability(self) -> float:
        """The log-probability of the whole sentence."""
        return log_probability(self.steps)


@dataclass(frozen=True)
class Decoding:
    """The sentence on screen with its task, and the last result of each kind of decoding it."""

    trace: Trace
    translator: Model
    task: Task
    edits: tuple[Edit, ...]
    _made: dict[str, tuple[Hashable, object]] = field(default_factory=dict)
    _readings: dict[tuple[int, ...], Decoded] = field(default_factory=dict)

    @staticmethod
    def current() -> "Decoding":
        """That of the trace on screen.

        Raises GlassformerError where the model or its switches cannot run.
        """
        trace = on_screen.trace_on_screen()
        return store.once(lambda: _of(trace), trace)

    @property
    def model(self) -> Transformer:
        """The network alone."""
        return self.translator.transformer

    @property
    def tape(self) -> Tapes:
        """What the strategies decode on: with the edits of the trace."""
        return tapes(self.edits)

    @property
    def asked(self) -> Forced:
        """What the link forces."""
        return dict(store.get_state().forced)

    @property
    def first(self) -> int:
        """The first step at which something is chosen: before it stands a given text."""
        return len(self.task.given)

    @property
    def own(self) -> DecodedRun:
        """The model's own decoding, which the trace has."""
        trace = self.trace

        def make() -> DecodedRun:
            if trace.steps and self.tape is None:
                return self._run(trace, time_greedy(self.model, self.task, trace.steps))
            steps = trace.steps or self.translator.ids(trace.output_pieces)
            return self._run(trace, time_decoding(self.model, self.task, steps, self.tape))

        return self._last("own", (), make)

    @property
    def cache_difference(self) -> float:
        """How far probabilities with the KV-cache are from those without, at most."""
        words = self.run.words
        return self._last(
            "difference", words, lambda: cache_difference(self.model, self.task, words)
        )

    @property
    def given(self) -> DecodedRun | None:
        """The decoding with what the link forces; None without, or where that cannot be."""
        return self._given()[0]

    @property
    def problem(self) -> GlassformerError | None:
        """Why what the link forces cannot be."""
        return self._given()[1]

    @property
    def run(self) -> DecodedRun:
        """The one that the panels draw."""
        return self.given or self.own

    @property
    def dropout(self) -> bool:
        """Whether the trace was recorded in training mode: the words were decoded without it."""
        return any(site_at(address).training_only for address in self.trace.tensors)

    @property
    def unreached(self) -> tuple[int, ...]:
        """Places for which a word was given that the sentence ended before."""
        given = self.given
        return tuple(place for place in self.asked if given and place not in given.forced)

    def place(self, now: State) -> int:
        """The step in focus: the state's, a pinned word's, or the one that was least sure."""
        run = self.run
        wanted = now.moment
        if wanted is None and run.first and not (now.token and now.token[0] == "target"):
            places = range(run.first, len(run.moments))
            wanted = min(places, key=lambda place: run.moments[place].step.probability)
        elif wanted is None:
            wanted = step_in_focus(now, run.trace)
        return max(run.first, min(wanted, len(run.moments) - 1))

    def own_choice(self, forced: Forced, place: int) -> int:
        """The word that the model takes at a place after the words given before it."""
        before = {each: word for each, word in forced.items() if each < place}
        if not before:
            return self.own.words[place]
        so_far = replace(self.task, limit=place + 1)
        return greedy(self.model, so_far, before, self.tape)[place].chosen

    def greedy(self) -> Written:
        """The most probable word, again and again, but for what is asked."""
        asked = self.asked
        key = tuple(asked.items())
        return self._last("greedy", key, lambda: self._written(self._greedy(asked)))

    def tree(self, now: State) -> Beam:
        """The whole beam search; raises `decoding_range` and `out_of_range`."""
        size, alpha, rule, asked = now.beams, now.alpha, cast(Rule, now.rule), self.asked
        # By the paper's rule α takes no part in the search: it only orders the ends.
        takes_part = alpha if rule == "transformers" else None
        key = (size, rule, tuple(asked.items()))
        tree = self._last(
            "search", (*key, takes_part),
            lambda: beam(self.model, self.task, size, alpha, self.tape, asked, rule),
        )  # fmt: skip
        check_number("alpha", alpha, 0.0, STRONGEST)
        return self._last("tree", (*key, alpha), lambda: tree.at_alpha(alpha))

    def beam(self, now: State) -> Written:
        """What the beam search writes, with the numbers that its words had when they came up."""
        tree = self.tree(now)
        words = (*self.task.given, *tree.words(tree.best.index))
        return self._last("beam", words, lambda: self._written(self._steps(words)))

    def rows(self, hows: Sequence[Sampling]) -> tuple[Written, ...]:
        """A sentence drawn for each of these, with all cuts."""
        return self._last("rows", (*hows, *self.asked.items()), lambda: self._drawn(hows))

    def draws(self, hows: Sequence[Sampling]) -> tuple[Written, ...]:
        """The same without the cuts, which may be large."""

        def make() -> tuple[Written, ...]:
            return tuple(replace(each, sampled=()) for each in self._drawn(hows))

        return self._last("draws", (*hows, *self.asked.items()), make)

    def recorded(self, words: tuple[int, ...]) -> Trace:
        """Every tensor of the run over some words."""
        return self._last(
            "recorded", words, lambda: record_words(self.translator, self.trace, words, self.edits)
        )

    def sentence(self, words: Sequence[int]) -> str:
        """Ids as the sentence that they are written as."""
        return self._read(tuple(words)).text

    def token(self, id: int) -> str:
        """A word of the vocabulary as shown in this sentence."""
        shown = word_of(self.trace, id)
        return FULL_WIDTH.get(shown, shown) if self.trace.direction.endswith("-zh") else shown

    def _given(self) -> tuple[DecodedRun | None, GlassformerError | None]:
        """What the link forces, or why it cannot be."""
        asked = self.asked

        def make() -> tuple[DecodedRun | None, GlassformerError | None]:
            if not asked:
                return None, None
            try:
                steps = self._greedy(asked)
            except GlassformerError as error:
                return None, error
            words = [step.chosen for step in steps]
            trace = record_words(self.translator, self.trace, words, self.edits, steps)
            moments = time_decoding(self.model, self.task, steps, self.tape)
            reached = {place: word for place, word in asked.items() if place < len(steps)}
            own = {place: self.own_choice(asked, place) for place in reached}
            return self._run(trace, moments, reached, own), None

        return self._last("given", tuple(asked.items()), make)

    def _run(
        self, trace: Trace, moments: tuple[Moment, ...], forced: Forced = NOTHING,
        own: Mapping[int, int] = NOTHING,
    ) -> DecodedRun:  # fmt: skip
        first = min(self.first, len(moments) - 1)
        ends = frozenset(trace.vocabulary[each] for each in self.task.every_end)
        return DecodedRun(trace, moments, forced, own, max(first, 0), ends)

    def _greedy(self, forced: Forced) -> tuple[Step, ...]:
        return greedy(self.model, self.task, forced, self.tape)

    def _steps(self, words: tuple[int, ...]) -> tuple[Step, ...]:
        """Each word after those before it: one pass does where no switch lets rows look ahead."""
        if not self.edits:
            return teacher_forced(self.model, self.task, words)
        return self._greedy(dict(enumerate(words)))[: len(words)]

    def _drawn(self, hows: Sequence[Sampling]) -> tuple[Written, ...]:
        drawn = draw_samples(self.model, self.task, hows, self.tape, self.asked)
        return tuple(self._written([each.step for each in steps], steps) for steps in drawn)

    def _written(self, steps: Sequence[Step], sampled: tuple[SampledStep, ...] = ()) -> Written:
        chosen = tuple(steps[self.first :])
        reading = self._read(tuple(step.chosen for step in chosen))
        return Written(reading, chosen, sampled[self.first :])

    def _read(self, words: tuple[int, ...]) -> Decoded:
        if words not in self._readings:
            if len(self._readings) >= READINGS:
                self._readings.clear()
            self._readings[words] = self.translator.reading(self.trace, words)
        return self._readings[words]

    def _last(self, name: str, key: Hashable, make: Callable[[], Value]) -> Value:
        known = self._made.get(name)
        if known is None or known[0] != key:
            known = self._made[name] = (key, make())
        return cast(Value, known[1])


def word_of(trace: Trace, index: int) -> str:
    """A word of the vocabulary as the screen has it: a slot is the word that it stands for."""
    piece = trace.vocabulary[index]
    return shown_piece(piece, trace.surfaces.get(piece, piece))


def refusal_text(error: GlassformerError) -> str:
    """Why a word cannot be given, as markdown: steps count from 1 on screen."""
    given, last = error.values.get("given"), error.values.get("last")
    if error.key == "out_of_range" and error.values["name"] == "word":
        return say("timeline.refused_word", given=given, last=last)
    if error.key == "out_of_range" and error.values["name"] == "position":
        return say("timeline.refused_step", given=int(str(given)) + 1, last=int(str(last)) + 1)
    return format_error(error)


def take_word(place: int, word: int) -> None:
    """Write another word at a place and go on from there; the model's own takes the mark away.

    What was given later goes: it belonged to another sentence.
    """
    before = _given_before(place)
    own = Decoding.current().own_choice(dict(before), place) == word
    store.update(moment=place, forced=before if own else (*before, (place, word)))


def take_back(place: int) -> None:
    """The model's own word at a place, and all that it wrote after it."""
    store.update(moment=place, forced=_given_before(place))


def _given_before(place: int) -> tuple[tuple[int, int], ...]:
    return tuple(sorted(each for each in store.get_state().forced if each[0] < place))


def go_to_step(place: int) -> None:
    """Put a step in focus."""
    store.update(moment=place)


def release_words() -> None:
    """Nothing is given any more."""
    store.update(forced=())


def _of(trace: Trace) -> Decoding:
    translator = on_screen.model_on_screen()
    return Decoding(trace, translator, task_of(translator, trace), on_screen.edits_on_screen())
