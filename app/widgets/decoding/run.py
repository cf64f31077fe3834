"""What the panels of the page share: the decoding on screen, step by step, and what was given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from app import service, state
from app.widgets.text import told
from app.widgets.translate.focus import step_in_focus
from app.words import say
from core.decoding.forced import continued
from core.decoding.rows import tapes
from core.decoding.task import Forced, Task
from core.decoding.timeline import Moment, timeline
from core.decodings import recorded, task_of
from core.errors import GlassformerError
from core.model.transformer import Transformer
from core.trace.sites import site_at
from core.trace.tape import Edit
from core.trace.trace import Trace
from core.translator import Translator


@dataclass(frozen=True)
class Run:
    """One decoding: the steps and every tensor of it.

    forced: what was given in it by hand. own: at those places, what the model would have taken.
    """

    trace: Trace
    moments: tuple[Moment, ...]
    forced: Forced = field(default_factory=dict)
    own: Mapping[int, int] = field(default_factory=dict)

    @property
    def words(self) -> tuple[int, ...]:
        """The ids written."""
        return tuple(moment.step.chosen for moment in self.moments)


@dataclass(frozen=True)
class Decoding:
    """The sentence on screen with its task, the model's own decoding and the reader's.

    asked: what the link forces. given: the run with it, None without; then `problem` may say why.
    """

    trace: Trace
    translator: Translator
    task: Task
    edits: tuple[Edit, ...]
    own: Run
    asked: Forced = field(default_factory=dict)
    given: Run | None = None
    problem: GlassformerError | None = None

    @staticmethod
    def current() -> Decoding:
        """That of the trace on screen; computed once for it and once for what is forced.

        Raises GlassformerError where the model or its switches cannot run.
        """
        trace, asked = service.on_screen(), dict(state.get_state().forced)
        known: Decoding | None = state.kept("decoding")
        if known is None or known.trace is not trace:
            known = _of(trace)
        if known.asked != asked:
            known = known.forcing(asked)
        state.keep("decoding", known)
        return known

    @property
    def model(self) -> Transformer:
        """The network alone."""
        return self.translator.transformer

    @property
    def run(self) -> Run:
        """The one that the panels draw."""
        return self.given or self.own

    @property
    def dropout(self) -> bool:
        """Whether the trace was recorded in training mode: the words were decoded without it."""
        return any(site_at(address).training_only for address in self.trace.tensors)

    @property
    def unreached(self) -> tuple[int, ...]:
        """Places for which a word was given that the sentence ended before."""
        return tuple(place for place in self.asked if self.given and place not in self.given.forced)

    def forcing(self, asked: Forced) -> Decoding:
        """With other words given."""
        if not asked:
            return replace(self, asked=asked, given=None, problem=None)
        try:
            return replace(self, asked=asked, given=self._continued(asked), problem=None)
        except GlassformerError as error:
            return replace(self, asked=asked, given=None, problem=error)

    def own_choice(self, forced: Forced, place: int) -> int:
        """The word that the model takes at a place after the words given before it."""
        before = {each: word for each, word in forced.items() if each < place}
        if not before:
            return self.own.words[place]
        so_far = replace(self.task, limit=place + 1)
        return continued(self.model, so_far, before, tapes(self.edits))[place].chosen

    def place(self, now: state.State) -> int:
        """The step in focus: the state's, a pinned word's, or the one that was least sure."""
        wanted = step_in_focus(now, self.run.trace) if now.moment is None else now.moment
        return min(wanted, len(self.run.moments) - 1)

    def _continued(self, asked: Forced) -> Run:
        tape = tapes(self.edits)
        steps = continued(self.model, self.task, asked, tape)
        words = [step.chosen for step in steps]
        trace = recorded(self.translator, self.trace, words, self.edits, steps)
        reached = {place: word for place, word in asked.items() if place < len(steps)}
        return Run(
            trace,
            timeline(self.model, self.task, steps, tape),
            reached,
            {place: self.own_choice(asked, place) for place in reached},
        )


def word_of(trace: Trace, index: int) -> str:
    """A word of the vocabulary as the screen has it: a slot is the word that it stands for."""
    piece = trace.vocabulary[index]
    return trace.surfaces.get(piece, piece)


def refusal(error: GlassformerError) -> str:
    """Why a word cannot be given, as markdown: steps count from 1 on screen."""
    given, last = error.values.get("given"), error.values.get("last")
    if error.key == "out_of_range" and error.values["name"] == "word":
        return say("timeline.refused_word", given=given, last=last)
    if error.key == "out_of_range" and error.values["name"] == "position":
        return say("timeline.refused_step", given=int(str(given)) + 1, last=int(str(last)) + 1)
    return told(error)


def take(place: int, word: int) -> None:
    """Write another word at a place and go on from there; the model's own takes the mark away.

    What was given later goes: it belonged to another sentence.
    """
    before = {each: given for each, given in state.get_state().forced if each < place}
    known: Decoding | None = state.kept("decoding")
    own = known is not None and known.own_choice(before, place) == word
    forced = before if own else {**before, place: word}
    state.update(moment=place, forced=tuple(sorted(forced.items())))


def take_back(place: int) -> None:
    """The model's own word at a place, and all that it wrote after it."""
    kept = tuple(each for each in state.get_state().forced if each[0] < place)
    state.update(moment=place, forced=kept)


def release() -> None:
    """Nothing is given any more."""
    state.update(forced=())


def _of(trace: Trace) -> Decoding:
    translator, edits = service.model_on_screen(), service.edits_on_screen()
    task = task_of(translator, trace)
    ids = [translator.tokenizer.vocabulary.id(piece) for piece in trace.output_pieces]
    moments = timeline(translator.transformer, task, trace.steps or ids, tapes(edits))
    return Decoding(trace, translator, task, edits, Run(trace, moments))
