"""A model of another program, opened: text in, trace out, whatever its task."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Self

import torch
from torch import Tensor

from glassformer.core.config import ModelConfig
from glassformer.core.decoding.greedy import greedy
from glassformer.core.decoding.rows import tapes
from glassformer.core.decoding.step import Step, Task, step_from, step_of
from glassformer.core.errors import GlassformerError
from glassformer.core.model.device import Device, Dtype, choose_device, choose_dtype, move_model
from glassformer.core.model.transformer import Transformer
from glassformer.core.text.detokenize import Decoded
from glassformer.core.text_models.generation import Draft, WritesTexts, most_new_words
from glassformer.core.text_models.given_texts import GivenText
from glassformer.core.text_models.model import Direction, Side, TaskKind, check_ids
from glassformer.core.text_models.run_texts import RunsTexts
from glassformer.core.trace.batch import ModelInputs
from glassformer.core.trace.hook_names import edits_at_addresses
from glassformer.core.trace.on_demand import kept_without, logits_of
from glassformer.core.trace.shapes import recorded_bytes
from glassformer.core.trace.sites import PAIR_MARKS
from glassformer.core.trace.tape import Edit, Recorder
from glassformer.core.trace.trace import Trace, places_of
from glassformer.core.weights.aside import LeftAside, generation_of
from glassformer.core.weights.chat import ChatTemplate, chat_template_of, wrap_message
from glassformer.core.weights.model_folder import load_weights, look_into_folder
from glassformer.core.weights.special_ids import SpecialIds
from glassformer.core.weights.tokenizers.tokens import Read, Segmented, Tokens, tokens_of

MEMORY_BUDGET = 45_000_000  # bytes that one run may keep before its attention maps wait for demand
MORE = 20  # words that a text is continued by
ALL_RUN = LeftAside()
InChat = Literal["", "always", "if it can"]  # whether texts go through the chat template
BLANK = re.compile("[_\uff3f]{2,}")  # a blank in any text; Chinese keyboards write the wide one


@dataclass(frozen=True)
class _Run:
    """How a run is made and what of it is kept."""

    edits: tuple[Edit, ...]
    dropout_seed: int | None
    memory_budget: int


class OpenedModel(RunsTexts, WritesTexts):
    """The Transformer, its tokenizer, its task and its name. Shared by all, never written to."""

    def __init__(
        self, transformer: Transformer, tokens: Tokens, kind: TaskKind, name: str,
        facts: Mapping[str, Any], left_aside: LeftAside = ALL_RUN,
        template: ChatTemplate | GlassformerError | None = None, in_chat: InChat = "",
    ) -> None:  # fmt: skip
        self.transformer, self.tokens, self.kind, self.name = transformer, tokens, kind, name
        self.takes_pairs = kind == "fill_in" and tokens.takes_pairs
        self.calibration = dict[str, Any]()
        self.vocabulary = tokens.vocabulary(transformer.config.vocabulary_size)
        self.left_aside = left_aside  # what of its folder is not run
        self._facts = facts
        self._special = SpecialIds(name, facts, transformer.config.vocabulary_size)
        self._template, self._in_chat = template, in_chat
        self._chats = dict[bool, Self]()

    @cached_property
    def keeps_lines(self) -> bool:
        return self.tokens.plain_ids("a\nb") != self.tokens.plain_ids("a b")

    @property
    def config(self) -> ModelConfig:
        return self.transformer.config

    @property
    def device(self) -> torch.device:
        return self.transformer.generator.weight.device

    def trace(
        self, text: str, target: str | None = None, edits: Sequence[Edit] = (),
        direction: Direction | None = None,  # noqa: ARG002
        dropout_seed: int | None = None, text_pair: str = "", more: int = MORE,
        memory_budget: int = MEMORY_BUDGET,
    ) -> Trace:  # fmt: skip
        """Runs the model on a text and records every tensor.

        Args:
            text: a source to translate, a text to go on with, or one with blanks: two or more `_`
                each, or the model's own mark, such as [MASK]. A source may begin with the language
                to write, `>>fra_Latn<< Hello`, and the one it is in, `eng_Latn>>fra_Latn<< Hello`,
                of models that know languages by name (NLLB, mBART; of Marian those of several).
            target: None lets the model write; a text is forced on the decoder (of one that goes on
                with a text: what follows it).
            edits: changes made to recorded tensors on the way, in decoding too.
            direction: makes no difference: the model writes what it was trained to.
            dropout_seed: a number puts the recorded pass in training mode, with that seed; None: no
                dropout.
            text_pair: a second text that is read after the first, segment B of models that were
                trained on pairs of sentences (BERT); its blanks are filled in, too. Where each
                text's segment is comes from the tokenizer: a typed [SEP] begins none. "" for none.
            more: most words that a text is continued by.
            memory_budget: bytes; a run that would keep more has q, k and mask instead of the
                attention maps and computes a map again, bit for bit, when it is asked for. Of what
                scores the words the last vectors are kept alone, and the generator.

        Returns:
            The run: tensors, words, and a step for each word where the model wrote or filled in; no
            steps of a forced target.

        Raises:
            GlassformerError: `empty_text`, `too_long` for more words than the model has positions,
                `no_pair` of a model that reads one text, `weights_language` for one that it does
                not know, `weights_piece` for a piece without a vector, `weights_config` where its
                files do not say with which id a text begins or ends, `weights_tokenizer` for
                segments that the model has not, `chat_…` as `with_chat_template`, and as `Edit`.
        """
        if not text.strip():
            raise GlassformerError("empty_text")
        text_pair = text_pair if text_pair.strip() else ""
        if text_pair and not self.takes_pairs:
            raise GlassformerError("no_pair", name=self.name)
        run = _Run(edits_at_addresses(edits, self.config), dropout_seed, memory_budget)
        if self.kind == "fill_in":
            return self._filled(text, text_pair, run)
        return self._written(text, target, run, more)

    def _draft(
        self, text: GivenText, words: int | None, edits: Sequence[Edit], _: Direction | None
    ) -> Draft:
        if isinstance(text, str) and not text.strip():
            raise GlassformerError("empty_text")
        task, continues = self._task(text), self.kind == "continue"
        before = len(task.given) if continues else 0
        limit = most_new_words(words, task.limit - before, self.config.max_length - before) + before
        begins, edited = [task.start] if continues else [], tuple(map(str, edits))

        def read(ids: Sequence[int]) -> Decoded:
            return Decoded(self._read(ids).tokens, self.tokens.text([*begins, *ids]))

        def bind(tensors: Mapping[str, Tensor], steps: tuple[Step, ...]) -> Trace:
            inputs = self._of_words(text, task, chosen := [step.chosen for step in steps])
            return replace(inputs.bind(tensors, edited, chosen), steps=steps)

        keep = self._kept(len(task.source), limit, edits, MEMORY_BUDGET)
        return Draft(replace(task, limit=limit), read, bind, keep)

    def inputs_of(
        self, text: GivenText, target: GivenText | None = None, decodes: bool = True
    ) -> ModelInputs:
        """The ids that a run of exactly this text has.

        Args:
            text: as for `trace`, a tab before the second text of a pair; ids go to the model as
                they are.
            target: what is forced on the decoder; of ids what its rows are to write, its end
                included. None: the text alone of a model that continues; what greedy decoding
                writes of one that translates.
            decodes: False leaves the target empty where it would have to be decoded.

        Returns:
            The ids of both sides, with the words to show for them.

        Raises:
            GlassformerError: as `trace`; `out_of_range` for an id that the table has not,
                `no_decoder` for a target of a model that fills in blanks.
        """
        if isinstance(text, str) and not text.strip():
            raise GlassformerError("empty_text")
        if self.kind == "fill_in":
            if target is not None:
                raise GlassformerError("no_decoder", name=self.name)
            own, text_pair = text, ""
            if isinstance(text, str) and self.takes_pairs:
                own, _, text_pair = text.partition("\t")
            return self._blanks_of(own, text_pair if text_pair.strip() else "")
        task = self._task(text, more=1)
        if target is not None:
            return self._of_words(text, task, self._forced(text, target, task))
        if self.kind == "continue":
            return self._of_words(text, task, [*task.given, None])
        if not decodes:
            return self._of_words(text, task, [], reads=0)
        steps = greedy(self.transformer, task)
        return self._of_words(text, task, [step.chosen for step in steps], steps)

    def sentences(self, text: str) -> tuple[str, ...]:
        """A text is one part, however many sentences it has.

        Args:
            text: as typed.

        Returns:
            The text alone.
        """
        return (text,)

    def task_of(self, trace: Trace) -> Task:
        """What was to be written in a run.

        Args:
            trace: a run of this model.

        Returns:
            The ids that are read, with which writing begins and ends, and how many may follow.

        Raises:
            GlassformerError: `no_decoder` of a model that fills in blanks, else as `trace`.
        """
        return self._task(trace.source_text, sent=trace.sent)

    def reading(self, trace: Trace, words: Sequence[int]) -> Decoded:  # noqa: ARG002
        """Ids as text.

        Args:
            trace: makes no difference: no word of another model is carried over.
            words: ids of what is written.

        Returns:
            What each is written as, and the text without marks.
        """
        return Decoded(self._read(words).tokens, self.tokens.text(words))

    def ids(self, pieces: Sequence[str], side: Side = "target") -> list[int]:
        """The ids of pieces.

        Args:
            pieces: as the vocabulary has them.
            side: "source" for pieces that are read, "target" for those that are written.

        Returns:
            An id a piece.

        Raises:
            KeyError: a piece is not in the vocabulary.
        """
        names = places_of(self.vocabulary)
        own = self.tokens.source_ids if side == "source" else names
        return [own[each] if each in own else names[each] for each in pieces]

    def word(self, text: str, trace: Trace) -> int | str:  # noqa: ARG002
        """The id of a typed piece, or why it has none.

        Args:
            text: as typed.
            trace: makes no difference.

        Returns:
            The id; "unknown" where a part of the text has no piece, "not_one" where it is several
            pieces.
        """
        found = self.tokens.typed(text)
        return self.tokens.why_none(text) if found is None else found

    def having(self, transformer: Transformer) -> Self:
        """The same words on another Transformer.

        Args:
            transformer: of the same vocabulary.

        Returns:
            A new model with this tokenizer, name and chat template.
        """
        return self._having(transformer, self._in_chat)

    @property
    def has_chat_template(self) -> bool:
        """Whether its tokenizer comes with one."""
        return self.kind == "continue" and self._template is not None

    def with_chat_template(self, or_as_typed: bool = False) -> Self:
        """The same model for what people say to it: each text goes through its chat template.

        A text becomes the message of a user and the beginning of the answer; a run's `sent` is what
        the model got. No begin token is added to it: the template has its own.

        Args:
            or_as_typed: a text that the template cannot wrap is taken as it is, and so is every
                text of a model without a template. Otherwise `trace` raises `chat_template`,
                `chat_slow`, `chat_long` or `chat_memory`.

        Returns:
            The model in chat, the same at each call.

        Raises:
            GlassformerError: `chat_missing` of a model without a template, unless `or_as_typed`.
        """
        if not (or_as_typed or self.has_chat_template):
            raise GlassformerError("chat_missing", path=self.name)
        if or_as_typed not in self._chats:
            how: InChat = "if it can" if or_as_typed else "always"
            self._chats[or_as_typed] = self._having(self.transformer, how)
        return self._chats[or_as_typed]

    def _having(self, transformer: Transformer, in_chat: InChat) -> Self:
        own = (self.tokens, self.kind, self.name, self._facts, self.left_aside, self._template)
        return type(self)(transformer, *own, in_chat)

    def sent(self, text: GivenText) -> str:
        """A text in the chat template.

        Args:
            text: as typed, or ids.

        Returns:
            What the model gets; "" where it goes to the model as it is typed.

        Raises:
            GlassformerError: as `ChatTemplate.wrap`, or why the template cannot be read; of a model
                that takes such texts as typed never.
        """
        template = self._template if self._in_chat and self.kind == "continue" else None
        if template is None or not isinstance(text, str):
            return ""
        return wrap_message(template, text, or_as_typed=self._in_chat == "if it can")

    def _ids_of(self, text: GivenText, sent: str = "") -> list[int]:
        """The ids of a text to read or to go on with; what is sent has its special tokens."""
        if isinstance(text, str):
            return self._within(self.tokens.plain_ids(sent)) if sent else self._given(text)
        rows = self.config.source_vocabulary_size or self.config.vocabulary_size
        check_ids(text, rows, self.config.max_length)
        return list(text)

    def _forced(self, text: GivenText, target: GivenText, task: Task) -> list[int]:
        """What the rows of a run are to write, of a target that is given."""
        if not isinstance(target, str):
            check_ids(target, self.config.vocabulary_size, self.config.max_length)
            return [*(task.given if self.kind == "continue" else ()), *target]
        if self.kind == "continue":
            sent = self.sent(text)
            following = self.tokens.following(sent or self._text_of(text), target, plain=bool(sent))
            return self._within([*task.given, *following], "target")
        spoken = [each for each in task.beginning if each in self.tokens.languages.values()]
        ids = self.tokens.target_ids(target, next(iter(spoken), None))
        return self._within(ids, "target")

    def _task(self, text: GivenText, more: int = MORE, sent: str | None = None) -> Task:
        """What is to be written for a text. sent: as it was sent, where that is known."""
        if self.kind == "fill_in":
            raise GlassformerError("no_decoder", name=self.name)
        if self.kind == "continue":
            sent = self.sent(text) if sent is None else sent
            prompt = self._ids_of(text, sent) or [self._special.one("bos_token_id")]
            self._check_length(len(prompt))
            room = self.config.max_length - len(prompt) + 1  # the last word is not read
            limit = len(prompt) - 1 + max(1, min(more, room))
            end, *more_ends = self._special.ends or [-1]
            never = self._special.never - {end, *more_ends}
            return Task((), prompt[0], end, limit, never, None, tuple(prompt[1:]), tuple(more_ends))
        own, source = self._special, self._ids_of(text)
        end, *more_ends = own.ends or [own.one("eos_token_id")]
        self._check_length(len(source))
        start = own.one("decoder_start_token_id", own.one("bos_token_id", end))
        language = self.tokens.language(text) if isinstance(text, str) else None
        first = own.one("forced_bos_token_id", -1) if language is None else language
        if start in self.tokens.languages.values():  # it begins with the language itself
            start, first = start if language is None else language, -1
        return Task(
            tuple(source), start, end, min(2 * len(source) + 50, self.config.max_length),
            (own.never | {self.config.pad_id}) - {end, *more_ends},
            given=(first,) if first >= 0 else (), more_ends=tuple(more_ends),
        )  # fmt: skip

    def _of_words(
        self, text: GivenText, task: Task, words: Sequence[int | None],
        steps: tuple[Step, ...] = (), reads: int | None = None,
    ) -> ModelInputs:  # fmt: skip
        """A run whose rows are to write words. reads: rows that the decoder has; None: as many."""
        entering = [task.start, *(word for word in words[:-1] if word is not None)][:reads]
        for each in (task.source, entering):
            self._check_length(len(each))
        given = min(len(task.given), len(words))

        def bind(
            tensors: Mapping[str, Tensor], edits: Sequence[str], output: Sequence[int]
        ) -> Trace:
            source, target = self._read(task.source, "source"), self._read(entering)
            read, own, goal = self._text_of(text), () if edits else steps, self._read(output)
            found = self._bind(tensors, edits, read, source, target, goal, own, given)
            return found if isinstance(text, str) else replace(found, sent="")

        read = tuple(task.source), tuple(entering)
        return ModelInputs(*read, tuple(words), bind, forbidden=task.forbidden)

    def _text_of(self, text: GivenText) -> str:
        return text if isinstance(text, str) else self.tokens.text(text)

    def _written(self, text: str, target: str | None, run: "_Run", more: int) -> Trace:
        """The run of a model that writes: a translation, or what follows a text."""
        task = self._task(text, more)
        steps: tuple[Step, ...] = ()
        if target is None:
            steps = greedy(self.transformer, task, tape=tapes(run.edits))
            chosen = self._within([step.chosen for step in steps], "target")
        else:
            chosen = self._forced(text, target, task)
        inputs = self._of_words(text, task, chosen)
        return replace(inputs.bind(*self._run(inputs, run), chosen), steps=steps)

    def _blanks_of(self, text: GivenText, text_pair: str = "") -> ModelInputs:
        """The ids of a text with blanks, or of two."""
        mask = self._mask if self.config.has_generator else None
        if isinstance(text, str):
            both = self.tokens.in_segments(self._marked(text), self._marked(text_pair))
            self._within(list(both.ids))
        else:
            both = Segmented(tuple(self._ids_of(text)))
        self._check_length(len(both.ids))
        segments = both.segments_within(self.config.token_types, self.name)

        def bind(
            tensors: Mapping[str, Tensor], edits: Sequence[str], output: Sequence[int]
        ) -> Trace:
            source = self._read(both.ids, "source")
            if text_pair:
                marked = zip(both.second, source.tokens, strict=True)
                source = replace(source, tokens=tuple(PAIR_MARKS[at] + each for at, each in marked))
            goal, read = self._read(output), self._text_of(text)
            found = self._bind(tensors, edits, read, source, source, goal, ())
            return replace(found, text_pair=text_pair, segments=segments)

        output = tuple(None if each == mask else each for each in both.ids)
        return ModelInputs(both.ids, both.ids, output, bind, segments)

    def _filled(self, text: str, text_pair: str, run: "_Run") -> Trace:
        inputs = self._blanks_of(text, text_pair)
        tensors, edits = self._run(inputs, run)
        chosen, steps = inputs.source, tuple[Step, ...]()
        if self.config.has_generator:
            logits = logits_of(self.config, tensors, self.transformer.generator)[0]
            steps = tuple(
                step_from(row) if each is None else step_of(row, each)
                for row, each in zip(logits, inputs.output, strict=True)
            )
            chosen = tuple(step.chosen for step in steps)
        return replace(inputs.bind(tensors, edits, chosen), steps=steps)

    def _marked(self, text: str) -> str:
        """A text with the model's own mark in the place of each blank."""
        mask = self._mask
        return text if mask is None else BLANK.sub(lambda _: self.tokens.pieces[mask], text)

    def _run(
        self, inputs: ModelInputs, run: "_Run"
    ) -> tuple[Mapping[str, Tensor], tuple[str, ...]]:
        """The tensors of a run, and the names of its edits."""
        source, target = inputs.source, inputs.target
        keep = self._kept(len(source), len(target), run.edits, run.memory_budget)
        recorder = Recorder(run.edits, keep, run.dropout_seed)
        segments = self._long(list(inputs.segments)) if inputs.segments else None
        ids = [self._long([list(each)]) for each in (source, target)]
        with torch.no_grad():
            self.transformer(*ids, recorder, segments)
        recorder.finish()
        return recorder.tensors, tuple(map(str, recorder.edits))

    def _kept(
        self, source: int, target: int, edits: Sequence[Edit], budget: int
    ) -> Callable[[str], bool]:
        """What a run of these lengths keeps."""
        needed = recorded_bytes(self.config, source, target, words=False)
        return kept_without(edits, maps=needed <= budget)

    def _bind(
        self, tensors: Mapping[str, Tensor], edits: Sequence[str], text: str, source: Read,
        entering: Read, output: Read, steps: tuple[Step, ...], given: int = 0,
    ) -> Trace:  # fmt: skip
        begins = entering.ids[:1] if self.kind == "continue" else ()
        return Trace(
            config=self.config,
            tensors=tensors,
            source_text=text,
            output_text=self.tokens.text([*begins, *output.ids]),
            source_tokens=source.tokens,
            source_pieces=source.pieces,
            target_tokens=entering.tokens,
            target_pieces=entering.pieces,
            output_tokens=output.tokens,
            output_pieces=output.pieces,
            vocabulary=self.vocabulary,
            surfaces=self._surfaces,
            model_name=self.name,
            edits=tuple(edits),
            steps=steps,
            task=self.kind,
            generator=self.transformer.generator,
            given=given,
            sent=self.sent(text),
        )

    @cached_property
    def _surfaces(self) -> dict[str, str]:
        """The pieces that people are shown another way, and that way."""
        shown = ((piece, self.tokens.shown(piece)) for piece in self.vocabulary)
        return {piece: each for piece, each in shown if each != piece}

    def _read(self, ids: Sequence[int], side: Side = "target") -> Read:
        return self.tokens.read(ids, side == "source")

    @property
    def _mask(self) -> int | None:
        """The id that stands for a blank."""
        for piece in ("[MASK]", "<mask>"):
            if (found := self.tokens.id(piece)) is not None:
                return found
        return None

    def _given(self, text: str) -> list[int]:
        """The ids of a text; raises `weights_piece` for one that the model has no vector of."""
        return self._within(self.tokens.ids(text))

    def _within(self, ids: list[int], side: Side = "source") -> list[int]:
        own = self.config.source_vocabulary_size if side == "source" else 0
        rows = own or self.config.vocabulary_size
        for each in ids:
            if each >= rows:
                piece = self.tokens.source_pieces.get(each, f"<{each}>")
                raise GlassformerError("weights_piece", name=self.name, piece=piece, rows=rows)
        return ids

    def _long(self, numbers: object) -> Tensor:
        return torch.tensor(numbers, dtype=torch.long, device=self.device)

    def _check_length(self, words: int) -> None:
        if words > self.config.max_length:
            raise GlassformerError("too_long", given=words, limit=self.config.max_length)


def open_model(
    folder: str | Path, widen: bool = True, limit: int | None = None,
    device: Device = None, dtype: Dtype = None,
) -> OpenedModel:  # fmt: skip
    """The model of a folder, ready to run.

    Args:
        folder: with another program's config.json, weights as safetensors and tokenizer.
        widen: False keeps float16 and bfloat16 as they are stored.
        limit: most bytes that its weights may take; None: a share of the memory that is free.
        device: where it runs; None for the best device here.
        dtype: in which numbers it computes; "auto" for those that are stored, as `widen` False.

    Returns:
        The model, in float32 unless told otherwise.

    Raises:
        GlassformerError: `weights_…` in one sentence, before memory is spent where that can be
            known; as `choose_device`, `choose_dtype` and `move_model`.
    """
    folder, there = Path(folder), choose_device(device)
    numbers = choose_dtype(dtype) if widen else None
    found = look_into_folder(folder)
    tokens = tokens_of(folder, found.kind)
    rows = found.config.vocabulary_size
    if tokens.last >= rows:  # what was added to it later may go beyond, as long as no text needs it
        values = {"last": f"{tokens.last:,}", "rows": f"{rows:,}"}
        raise GlassformerError("weights_pieces", path=folder.name, **values)
    model = load_weights(found, numbers is not None, limit, numbers)
    move_model(model, there, None)
    facts = {**found.family.ids.get(found.kind, {}), **found.facts, **generation_of(folder)}
    template = chat_template_of(folder)
    return OpenedModel(model, tokens, found.task, folder.name, facts, found.left_aside, template)
