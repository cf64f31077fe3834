"""A model with its words: text in, trace out."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import torch
from torch import Tensor

from glassformer.core.config import ModelConfig
from glassformer.core.decoding.greedy import greedy
from glassformer.core.decoding.no_repeat import NoRepeat
from glassformer.core.decoding.rows import tapes
from glassformer.core.decoding.step import Step, Task, most_words
from glassformer.core.errors import GlassformerError
from glassformer.core.model.transformer import Transformer
from glassformer.core.text.detokenize import Decoded
from glassformer.core.text.tokenizer import Encoded, Tokenizer
from glassformer.core.text.vocabulary import END, RESERVED, TAGS, UNKNOWN
from glassformer.core.text_models.generation import Draft, WritesTexts, most_new_words
from glassformer.core.text_models.given_texts import GivenText
from glassformer.core.text_models.model import DIRECTIONS, Direction, Side, TaskKind, check_ids
from glassformer.core.text_models.run_texts import RunsTexts
from glassformer.core.trace.batch import ModelInputs
from glassformer.core.trace.hook_names import edits_at_addresses
from glassformer.core.trace.shapes import recorded_bytes
from glassformer.core.trace.sites import site_at
from glassformer.core.trace.tape import Edit, Recorder
from glassformer.core.trace.trace import Trace

MEMORY_BUDGET = 512 * 2**20  # bytes one run may record before its attention maps wait for demand


@dataclass(frozen=True)
class Target:
    """The decoder's side of a run: what goes in, what each row chose or was given."""

    input_ids: list[int]
    output_ids: list[int]
    fillers: Encoded
    steps: tuple[Step, ...]


class Translator(RunsTexts, WritesTexts):
    """The Transformer, its tokenizer and its name. Shared by all sessions, never written to."""

    def __init__(
        self,
        transformer: Transformer,
        tokenizer: Tokenizer,
        name: str,
        calibration: Mapping[str, Any] | None = None,
    ) -> None:
        self.transformer = transformer.requires_grad_(False)
        self.tokenizer = tokenizer.reading(transformer.config.max_length)
        self.name = name
        self.kind: TaskKind = "translate"
        self.keeps_lines = False  # a line break ends a sentence, or is a blank
        self.takes_pairs = False
        self.vocabulary = tuple(tokenizer.vocabulary.pieces)
        self.calibration = dict(calibration or {})  # see core.analysis.confidence
        words = tokenizer.vocabulary
        self._foreign = {each: words.foreign_ids(each) for each in TAGS}  # never written in it

    @property
    def config(self) -> ModelConfig:
        return self.transformer.config

    @property
    def device(self) -> torch.device:
        return self.transformer.generator.weight.device

    def trace(
        self,
        text: str,
        target: str | None = None,
        edits: Sequence[Edit] = (),
        direction: Direction | None = None,
        dropout_seed: int | None = None,
        text_pair: str = "",
        memory_budget: int = MEMORY_BUDGET,
    ) -> Trace:
        """Runs the model on a sentence and records every tensor.

        Args:
            text: the source sentence. Of several, the first is recorded; the others are translated
                one by one, without edits, and only their translations are kept (`further`).
            target: None decodes greedily, then records one pass over what was chosen; a sentence
                is forced on the decoder (teacher forcing), and the others are not translated.
            edits: changes made to recorded tensors on the way, in decoding too.
            direction: `en-zh` or `zh-en`; None reads it off the text.
            dropout_seed: a number puts the recorded pass in training mode, with that seed.
            text_pair: nothing: a translator reads no pairs of texts.
            memory_budget: bytes; a run that would record more keeps q, k and mask instead of the
                attention maps and recomputes a map, bit for bit, when it is asked for. A run with
                edits keeps its maps.

        Returns:
            The run: the tensors of a batch of 1, with the words and the steps of the decoding.

        Raises:
            GlassformerError: text the tokenizer refuses, `no_pair`, an unknown direction, and an
                edit that matched nothing or changed a tensor's kind.
        """
        if text_pair.strip():
            raise GlassformerError("no_pair", name=self.name)
        edits = edits_at_addresses(edits, self.config)
        source_language, language = self._languages(text, direction)
        source, *others = self.tokenizer.encode_all(text, source_language)
        source_ids = torch.tensor([source.ids], device=self.device)  # (1, S)
        if target is None:
            goal = self._decoded(source, language, edits)
        else:
            goal = self._forced(target, language)
        recorder = self._recorder(source, goal, edits, dropout_seed, memory_budget)
        with torch.no_grad():
            self.transformer(source_ids, source_ids.new_tensor([goal.input_ids]), recorder)
        recorder.finish()
        others = others if target is None else []
        further = [self._translated(each, language) for each in others]
        edited, way = tuple(map(str, recorder.edits)), f"{source_language}-{language}"
        trace = self._bind(recorder.tensors, edited, text, source, goal, way)
        return replace(trace, further=tuple(further))

    def _draft(
        self, text: GivenText, words: int | None, edits: Sequence[Edit], direction: Direction | None
    ) -> Draft:
        source, typed = self._given(text)
        source_language, language = self._languages(typed, direction)
        source = source or self.tokenizer.encode(typed, source_language)
        task = self.task(source.pieces, language)
        limit = most_new_words(words, task.limit, self.config.max_length)

        def bind(tensors: Mapping[str, Tensor], steps: tuple[Step, ...]) -> Trace:
            chosen = [step.chosen for step in steps]
            goal = Target([task.start, *chosen[:-1]], chosen, source, steps)
            edited, way = tuple(map(str, edits)), f"{source_language}-{language}"
            return self._bind(tensors, edited, typed, source, goal, way)

        keep = self._kept(len(source.ids), limit, edits, MEMORY_BUDGET)
        read = partial(self.read, fillers=source, language=language)
        return Draft(replace(task, limit=limit), read, bind, keep)

    def inputs_of(
        self, text: GivenText, target: GivenText | None = None, decodes: bool = True
    ) -> ModelInputs:
        """The ids that a run of exactly this text has, as one sentence.

        Args:
            text: the source; its language is read off it. Of ids the last should be the end's.
            target: what is forced on the decoder; None: what greedy decoding writes.
            decodes: False leaves the target empty where it would have to be decoded.

        Returns:
            The ids of both sides, with the words to show for them.

        Raises:
            GlassformerError: what the tokenizer refuses, `out_of_range` for an id that the table
                has not, `too_long`.
        """
        source, typed = self._given(text)
        language, other = self._languages(typed, None)
        source = source or self.tokenizer.encode(typed, language)
        goal = Target([], [], source, ())
        if target is not None:
            goal = self._forced(target, other)
        elif decodes:
            goal = self._decoded(source, other, ())

        def bind(tensors: Mapping[str, Tensor], edits: Sequence[str], _: Sequence[int]) -> Trace:
            own = replace(goal, steps=() if edits else goal.steps)  # they are of the plain run
            way = f"{language}-{other}"
            return self._bind(tensors, tuple(edits), typed, source, own, way)

        return ModelInputs(source.ids, tuple(goal.input_ids), tuple(goal.output_ids), bind)

    def _given(self, text: GivenText) -> tuple[Encoded | None, str]:
        """A source of ids, and the text that it is or that its language is read off."""
        if isinstance(text, str):
            return None, text
        source = self._of_ids(text)
        return source, self.read(text, source, "en").text

    def _of_ids(self, ids: Sequence[int]) -> Encoded:
        """Ids as they are given, shown as the vocabulary calls them."""
        check_ids(ids, len(self.vocabulary), self.config.max_length)
        pieces = tuple(self.vocabulary[index] for index in ids)
        return Encoded(pieces, tuple(ids), pieces, {}, ())

    def translate(self, text: str, direction: Direction | None = None) -> str:
        """The translation alone, without recording; several sentences one by one.

        Args:
            text: one sentence or several.
            direction: `en-zh` or `zh-en`; None reads it off the text.

        Returns:
            The translations joined, with a space between English sentences.

        Raises:
            GlassformerError: text the tokenizer refuses, an unknown direction.
        """
        source_language, language = self._languages(text, direction)
        sentences = self.tokenizer.encode_all(text, source_language)
        space = " " if language == "en" else ""
        return space.join(self._translated(each, language) for each in sentences)

    def task(self, pieces: Sequence[str], language: str) -> Task:
        """What is to be written for a source, given as pieces, in a language.

        Args:
            pieces: the source, its end included, as the vocabulary calls them.
            language: the one to write, `en` or `zh`.

        Returns:
            The source's ids, the tag of the language to start from, the end, at most how many
            words, what is never written and what keeps decoding from going in circles.
        """
        source = tuple(map(self._id, pieces))
        return Task(
            source=source,
            start=self._id(f"<{language}>"),
            end=self._id(END),
            limit=most_words(len(source), self.config.max_length),
            forbidden=frozenset(self.forbidden(pieces, language)),
            guard=self.guard(source),
        )

    def guard(self, source_ids: Sequence[int]) -> NoRepeat:
        """What keeps the decoder of one source from going in circles.

        Args:
            source_ids: the ids of the source.

        Returns:
            The rule against repetition; its marks are those of ". , ? !" that the vocabulary has.
        """
        marks = {self._id(mark) for mark in (".", ",", "?", "!")}
        return NoRepeat.of(source_ids, marks - {self._id(UNKNOWN)})  # a vocabulary may lack a mark

    def forbidden(self, pieces: Collection[str], language: str) -> list[int]:
        """Ids that are never written: words of the other language, slots the source lacks.

        Args:
            pieces: of the source.
            language: the one to write, `en` or `zh`.

        Returns:
            The ids of reserved pieces but the end and those of the source, then those of the other
            language.
        """
        reserved = (self._id(piece) for piece in RESERVED if piece not in (END, *pieces))
        return [*reserved, *self._foreign[language]]

    def _languages(self, text: str, direction: Direction | None) -> tuple[str, str]:
        if direction is None:
            language = self.tokenizer.detect(text)
            return language, "zh" if language == "en" else "en"
        if direction not in DIRECTIONS:
            raise GlassformerError("direction", given=direction)
        source, _, target = direction.partition("-")
        return source, target

    def _decoded(self, source: Encoded, language: str, edits: Sequence[Edit]) -> Target:
        task = self.task(source.pieces, language)
        steps = greedy(self.transformer, task, tape=tapes(edits))
        chosen = [step.chosen for step in steps]
        return Target([task.start, *chosen[:-1]], chosen, source, steps)

    def _translated(self, source: Encoded, language: str) -> str:
        goal = self._decoded(source, language, ())
        return self.read(goal.output_ids, source, language).text

    def _forced(self, target: GivenText, language: str) -> Target:
        if isinstance(target, str):
            given = self.tokenizer.encode(target, language)
        else:
            given = self._of_ids(target)
        ids = list(given.ids)
        return Target([self._id(f"<{language}>"), *ids[:-1]], ids, given, ())

    def _recorder(
        self,
        source: Encoded,
        goal: Target,
        edits: Sequence[Edit],
        dropout_seed: int | None,
        memory_budget: int,
    ) -> Recorder:
        keep = self._kept(len(source.ids), len(goal.input_ids), edits, memory_budget)
        return Recorder(edits, keep, dropout_seed)

    def _kept(
        self, source: int, target: int, edits: Sequence[Edit], budget: int
    ) -> Callable[[str], bool] | None:
        """What a run of these lengths keeps; None for everything."""

        def keep(address: str) -> bool:
            # A map that an edit may have changed cannot be recomputed from q, k and mask.
            return not site_at(address).per_map or bool(edits)

        return None if recorded_bytes(self.config, source, target) <= budget else keep

    def _bind(
        self, tensors: Mapping[str, Tensor], edits: tuple[str, ...], text: str, source: Encoded,
        goal: Target, direction: str,
    ) -> Trace:  # fmt: skip
        language, vocabulary = direction.partition("-")[2], self.vocabulary
        written = self.read(goal.output_ids, goal.fillers, language)
        read = tuple(vocabulary[index] for index in goal.input_ids)
        return Trace(
            config=self.config,
            tensors=tensors,
            source_text=text,
            output_text=written.text,
            source_tokens=source.surfaces,
            source_pieces=source.pieces,
            target_tokens=(*read[:1], *written.surfaces[:-1]),
            target_pieces=read,
            output_tokens=written.surfaces,
            output_pieces=tuple(vocabulary[index] for index in goal.output_ids),
            vocabulary=vocabulary,
            surfaces={slot: f.written(language) for slot, f in goal.fillers.fillers.items()},
            source_unknown=source.unknown,
            direction=direction,
            model_name=self.name,
            edits=edits,
            steps=goal.steps,
            calibration=self.calibration,
        )

    def read(self, ids: Sequence[int], fillers: Encoded, language: str) -> Decoded:
        """Ids in a language as a sentence, the words of `fillers` in its copy slots.

        Args:
            ids: of the vocabulary, as they were written.
            fillers: the encoded sentence whose words travel in the slots.
            language: of the ids, `en` or `zh`.

        Returns:
            The sentence and what is shown for each id.
        """
        pieces = [self.tokenizer.vocabulary.pieces[index] for index in ids]
        return self.tokenizer.decode(pieces, fillers.fillers, language)

    def sentences(self, text: str) -> tuple[str, ...]:
        """A text in its sentences.

        Args:
            text: as it was typed.

        Returns:
            The sentences in their order, at least one.

        Raises:
            GlassformerError: as `Tokenizer.sentences`.
        """
        return self.tokenizer.sentences(text)

    def task_of(self, trace: Trace) -> Task:
        """What was to be written in a run of this translator.

        Args:
            trace: a run of this translator.

        Returns:
            The task of the run's source pieces and language.
        """
        return self.task(trace.source_pieces, trace.language)

    def reading(self, trace: Trace, words: Sequence[int]) -> Decoded:
        """Ids written for the sentence of a run, with its own words in the copy slots.

        Args:
            trace: the run; of several sentences the first counts.
            words: the ids, of the language that the run writes.

        Returns:
            The sentence and what is shown for each id.
        """
        first = self.sentences(trace.source_text)[0]
        source = self.tokenizer.encode(first, trace.direction.partition("-")[0])
        return self.read(words, source, trace.language)

    def ids(self, pieces: Sequence[str], side: Side = "target") -> list[int]:  # noqa: ARG002
        """The ids of pieces; both languages are in one vocabulary.

        Args:
            pieces: as the vocabulary calls them.
            side: of no consequence, as there is one vocabulary.

        Returns:
            One id for each piece.
        """
        return list(map(self._id, pieces))

    def word(self, text: str, trace: Trace) -> int | str:
        """The id of a typed word of the language that a run writes, or why it has none.

        Args:
            text: the word as it was typed; it is looked up as it stands, then in lower case, then
                by the tokenizer.
            trace: the run, which has the language.

        Returns:
            The id; `unknown` to the vocabulary, or `not_one` word.

        Raises:
            GlassformerError: what the tokenizer refuses.
        """
        words = self.tokenizer.vocabulary
        for spelled in (text, text.lower()):
            if words.has_word(spelled):
                return words.id(words.piece(spelled))
        found = self.tokenizer.encode(text, trace.language)
        if found.unknown:
            return "unknown"
        return found.ids[0] if len(found.ids) == 2 else "not_one"  # the word and the end

    def having(self, transformer: Transformer) -> Self:
        """The same words on another Transformer.

        Args:
            transformer: the one that takes the place of this translator's own.

        Returns:
            A new translator with the same tokenizer, name and calibration.
        """
        return type(self)(transformer, self.tokenizer, self.name, self.calibration)

    def _id(self, piece: str) -> int:
        return self.tokenizer.vocabulary.id(piece)
