"""What the strategies wrote for the sentence on screen, each kept while its settings stay."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar, cast

from app import service, state
from core.decoding.beam import STRONGEST, beam
from core.decoding.beam_tree import Beam, Rule
from core.decoding.forced import continued, teacher_forced
from core.decoding.rows import tapes
from core.decoding.sampling import SampledStep, Sampling, samples
from core.decoding.step import Step
from core.decoding.task import Forced, Task, check_number
from core.decodings import Reading, log_probability, read, recorded, task_of
from core.text.detokenize import FULL_WIDTH
from core.trace.tape import Edit
from core.trace.trace import Trace
from core.translator import Translator

Value = TypeVar("Value")
READINGS = 200  # sentences that are remembered as text
SEEDS = 5  # sentences of one sampling that are listed


@dataclass(frozen=True)
class Written:
    """One sentence as a strategy wrote it: ids, and as shown; the steps, ln P."""

    words: tuple[int, ...]
    reading: Reading
    steps: tuple[Step, ...]
    sampled: tuple[SampledStep, ...] = ()  # with the cuts, where it was drawn

    @property
    def log_probability(self) -> float:
        """The log-probability of the whole sentence."""
        return log_probability(self.steps)


@dataclass(frozen=True)
class Tried:
    """The sentence on screen, its task, and the last result of each kind."""

    trace: Trace
    translator: Translator
    task: Task
    edits: tuple[Edit, ...]
    _made: dict[str, tuple[Hashable, object]] = field(default_factory=dict)
    _readings: dict[tuple[int, ...], Reading] = field(default_factory=dict)

    @staticmethod
    def current() -> Tried:
        """That of the trace on screen.

        Raises GlassformerError where the model or its switches cannot run.
        """
        trace, known = service.on_screen(), state.kept("tried")
        if not isinstance(known, Tried) or known.trace is not trace:
            translator = service.model_on_screen()
            task = task_of(translator, trace)
            known = Tried(trace, translator, task, service.edits_on_screen())
            state.keep("tried", known)
        return known

    def greedy(self, forced: Forced) -> Written:
        """The most probable word, again and again."""
        network, tape = self.translator.transformer, tapes(self.edits)
        return self._last(
            "greedy",
            _key(forced),
            lambda: self._written(continued(network, self.task, forced, tape)),
        )

    def tree(self, size: int, alpha: float, forced: Forced, rule: Rule = "paper") -> Beam:
        """The whole beam search; raises `decoding_range` and `out_of_range`."""
        network, tape = self.translator.transformer, tapes(self.edits)
        # By the paper's rule α takes no part in the search: it only orders the ends.
        takes_part = alpha if rule == "transformers" else None
        tree = self._last(
            "search",
            (size, rule, takes_part, _key(forced)),
            lambda: beam(network, self.task, size, alpha, tape, forced, rule),
        )
        check_number("alpha", alpha, 0.0, STRONGEST)
        return self._last("tree", (size, rule, alpha, _key(forced)), lambda: tree.at_alpha(alpha))

    def beam(self, size: int, alpha: float, forced: Forced, rule: Rule = "paper") -> Written:
        """What the beam search writes, with the numbers that its words had when they came up."""
        tree = self.tree(size, alpha, forced, rule)
        words = tree.words(tree.best.index)
        return self._last("beam", words, lambda: self._written(self._steps(words)))

    def _steps(self, words: tuple[int, ...]) -> tuple[Step, ...]:
        """Each word after those before it: one pass does where no switch lets rows look ahead."""
        network = self.translator.transformer
        if not self.edits:
            return teacher_forced(network, self.task, words)
        given, tape = dict(enumerate(words)), tapes(self.edits)
        return continued(network, self.task, given, tape)[: len(words)]

    def rows(self, hows: Sequence[Sampling], forced: Forced) -> tuple[Written, ...]:
        """A sentence drawn for each of these, with all cuts."""
        return self._last("rows", (*hows, _key(forced)), lambda: self._drawn(hows, forced))

    def draws(self, hows: Sequence[Sampling], forced: Forced) -> tuple[Written, ...]:
        """The same without the cuts, which may be large."""
        return self._last(
            "draws",
            (*hows, _key(forced)),
            lambda: tuple(self._written(each.steps) for each in self._drawn(hows, forced)),
        )

    def run(self, words: tuple[int, ...]) -> Trace:
        """Every tensor of the run over some words."""
        return self._last(
            "run", words, lambda: recorded(self.translator, self.trace, words, self.edits)
        )

    def sentence(self, words: Sequence[int]) -> str:
        """Ids as the sentence that they are written as."""
        return self._read(tuple(words)).text

    def token(self, id: int) -> str:
        """A word of the vocabulary as shown in this sentence."""
        piece = self.trace.vocabulary[id]
        shown = self.trace.surfaces.get(piece, piece)
        return FULL_WIDTH.get(shown, shown) if self.trace.direction.endswith("-zh") else shown

    def _drawn(self, hows: Sequence[Sampling], forced: Forced) -> tuple[Written, ...]:
        network, tape = self.translator.transformer, tapes(self.edits)
        drawn = samples(network, self.task, hows, tape, forced)
        return tuple(self._written([each.step for each in steps], steps) for steps in drawn)

    def _written(self, steps: Sequence[Step], sampled: tuple[SampledStep, ...] = ()) -> Written:
        words = tuple(step.chosen for step in steps)
        return Written(words, self._read(words), tuple(steps), sampled)

    def _read(self, words: tuple[int, ...]) -> Reading:
        if words not in self._readings:
            if len(self._readings) >= READINGS:
                self._readings.clear()
            self._readings[words] = read(self.translator, self.trace, words)
        return self._readings[words]

    def _last(self, name: str, key: Hashable, make: Callable[[], Value]) -> Value:
        known = self._made.get(name)
        if known is None or known[0] != key:
            known = self._made[name] = (key, make())
        return cast(Value, known[1])


def _key(forced: Forced) -> Hashable:
    return tuple(sorted(forced.items()))
