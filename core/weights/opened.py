"""A model of another program, opened: text in, trace out, whatever its task."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import torch

from core.config import ModelConfig
from core.decoding.greedy import greedy
from core.decoding.rows import tapes
from core.decoding.step import Step, Task, step_from, step_of
from core.device import choose_device
from core.errors import GlassformerError
from core.model.transformer import Transformer
from core.models import Direction, Side, TaskKind
from core.stored import UNREADABLE, read_json_file
from core.text.detokenize import Decoded
from core.trace.on_demand import kept_without, logits_of
from core.trace.sites import recorded_bytes
from core.trace.tape import Edit, Recorder
from core.trace.trace import Trace, places_of
from core.weights.open import load_weights, look
from core.weights.tokenizers.tokens import Read, Tokens, Typed, tokens_of

MEMORY_BUDGET = 45_000_000  # bytes that one run may keep before its attention maps wait for demand
MORE = 20  # words that a text is continued by
BLANK = "___"  # what stands for a blank in any text
PARTS = ("A:", "B:")  # what the words of the two texts of a pair are shown with


@dataclass(frozen=True)
class _Run:
    """How a run is made and what of it is kept."""

    edits: tuple[Edit, ...]
    dropout_seed: int | None
    memory_budget: int


class OpenedModel:
    """The Transformer, its tokenizer, its task and its name. Shared by all, never written to."""

    def __init__(
        self, transformer: Transformer, tokens: Tokens, kind: TaskKind, name: str,
        facts: Mapping[str, Any],
    ) -> None:  # fmt: skip
        self.transformer, self.tokens, self.kind, self.name = transformer, tokens, kind, name
        self.takes_pairs = kind == "fill_in" and tokens.takes_pairs
        self.calibration = dict[str, Any]()
        self.vocabulary = tokens.vocabulary(transformer.config.vocabulary_size)
        self._facts = facts

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
            text: a source to translate, a text to go on with, or one with blanks: `___`, or the
                model's own mark, such as [MASK]. A source may begin with the language to write,
                `>>fra_Latn<< Hello`, and the one it is in, `eng_Latn>>fra_Latn<< Hello`, of models
                that know languages by name (NLLB, mBART; of Marian those of several languages).
            target: None lets the model write; a text is forced on the decoder (of one that goes on
                with a text: what follows it).
            edits: changes made to recorded tensors on the way, in decoding too.
            direction: makes no difference: the model writes what it was trained to.
            dropout_seed: a number puts the recorded pass in training mode, with that seed.
            more: most words that a text is continued by.
            memory_budget: bytes; a run that would keep more has q, k and mask instead of the
                attention maps and computes a map again, bit for bit, when it is asked for. Of what
                scores the words the last vectors are kept alone, and the generator.
            text_pair: a second text that is read after the first, segment B of models that were
                trained on pairs of sentences (BERT); its blanks are filled in, too. Where each
                text's segment is comes from the tokenizer: a typed [SEP] begins none.

        Raises `empty_text`, `too_long` for more words than the model has positions, `no_pair` of a
        model that reads one text, `weights_language` for one that it does not know, and as `Edit`.
        """
        if not text.strip():
            raise GlassformerError("empty_text")
        text_pair = text_pair if text_pair.strip() else ""
        if text_pair and not self.takes_pairs:
            raise GlassformerError("no_pair", name=self.name)
        run = _Run(tuple(edits), dropout_seed, memory_budget)
        if self.kind == "fill_in":
            return self._filled(text, text_pair, run)
        return self._written(text, target, run, more)

    def sentences(self, text: str) -> tuple[str, ...]:
        """A text is one part, however many sentences it has."""
        return (text,)

    def task_of(self, trace: Trace) -> Task:
        """What was to be written in a run. Raises `no_decoder` of a model that fills in blanks."""
        return self._task(trace.source_text)

    def reading(self, trace: Trace, words: Sequence[int]) -> Decoded:  # noqa: ARG002
        """Ids as text."""
        return Decoded(self._read(words).tokens, self.tokens.text(words))

    def ids(self, pieces: Sequence[str], side: Side = "target") -> list[int]:
        """The ids of pieces, of what is read or written."""
        names = places_of(self.vocabulary)
        own = self.tokens.source_ids if side == "source" else names
        return [own[each] if each in own else names[each] for each in pieces]

    def word(self, text: str, trace: Trace) -> int | str:  # noqa: ARG002
        """The id of a typed piece, or why it has none: `unknown`, `not_one`."""
        for spelled in (text, f"▁{text}", f"Ġ{text}"):
            if (found := self.tokens.id(spelled)) is not None:
                return found
        for spelled in (f" {text}", text):
            if len(ids := self.tokens.plain_ids(spelled)) == 1:
                return ids[0]
        return "not_one"

    def having(self, transformer: Transformer) -> Self:
        """The same words on another Transformer."""
        return type(self)(transformer, self.tokens, self.kind, self.name, self._facts)

    def _task(self, text: str, more: int = MORE) -> Task:
        """What is to be written for a text."""
        if self.kind == "fill_in":
            raise GlassformerError("no_decoder", name=self.name)
        if self.kind == "continue":
            prompt = self.tokens.ids(text) or [self._fact("bos_token_id")]
            self._check_length(len(prompt) + 1)
            room = self.config.max_length - len(prompt)
            limit = len(prompt) - 1 + max(1, min(more, room))
            end = self._fact("eos_token_id", -1)
            return Task((), prompt[0], end, limit, given=tuple(prompt[1:]))
        source, end = self.tokens.ids(text), self._fact("eos_token_id")
        self._check_length(len(source))
        start = self._fact("decoder_start_token_id", self._fact("bos_token_id", end))
        language = self.tokens.language(text)
        first = self._fact("forced_bos_token_id", -1) if language is None else language
        if start in self.tokens.languages.values():  # it begins with the language itself
            start, first = start if language is None else language, -1
        return Task(
            tuple(source), start, end, min(2 * len(source) + 50, self.config.max_length),
            frozenset({self.config.pad_id} - {end}), given=(first,) if first >= 0 else (),
        )  # fmt: skip

    def _written(self, text: str, target: str | None, run: "_Run", more: int) -> Trace:
        """The run of a model that writes: a translation, or what follows a text."""
        task = self._task(text, more)
        steps: tuple[Step, ...] = ()
        if target is None:
            steps = greedy(self.transformer, task, tape=tapes(run.edits))
            chosen = [step.chosen for step in steps]
        elif self.kind == "continue":
            chosen = self.tokens.ids(text + target)[1:]
        else:
            spoken = [each for each in task.beginning if each in self.tokens.languages.values()]
            chosen = self.tokens.target_ids(target, next(iter(spoken), None))
        source, entering = self._read(task.source, "source"), self._read([task.start, *chosen[:-1]])
        recorder = self._run(source.ids, entering.ids, run)
        given = min(len(task.given), len(chosen))
        return self._bind(recorder, text, source, entering, self._read(chosen), steps, given)

    def _filled(self, text: str, text_pair: str, run: "_Run") -> Trace:
        mask = self._mask
        typed = self.tokens.typed(self._marked(text), self._marked(text_pair))
        source, segments = self._read(typed.ids), self._segments(typed)
        recorder = self._run(source.ids, source.ids, run, segments)
        chosen, steps = list(source.ids), tuple[Step, ...]()
        if self.config.has_generator:
            logits = logits_of(self.config, recorder.tensors, self.transformer.generator)[0]
            steps = tuple(
                step_from(row) if each == mask else step_of(row, each)
                for row, each in zip(logits, source.ids, strict=True)
            )
            chosen = [step.chosen for step in steps]
        if text_pair:
            shown = (PARTS[at] + each for at, each in zip(typed.second, source.tokens, strict=True))
            source = replace(source, tokens=tuple(shown))
        found = self._bind(recorder, text, source, source, self._read(chosen), steps)
        return replace(found, text_pair=text_pair, segments=segments)

    def _marked(self, text: str) -> str:
        """A text with the model's own mark in the place of each blank."""
        return text if self._mask is None else text.replace(BLANK, self.tokens.pieces[self._mask])

    def _segments(self, typed: Typed) -> tuple[int, ...]:
        """Which of the model's segments each word is of; () where all are of the first."""
        kinds, found = self.config.token_types, typed.segments
        if not (kinds and any(found)):
            return ()
        if max(found) >= kinds:
            problem = f"it counts {max(found) + 1} segments, its model has {kinds}"
            raise GlassformerError("weights_tokenizer", path=self.name, problem=problem)
        return found

    def _run(
        self, source: Sequence[int], target: Sequence[int], run: "_Run",
        segments: Sequence[int] = (),
    ) -> Recorder:  # fmt: skip
        for each in (source, target):
            self._check_length(len(each))
        needed = recorded_bytes(self.config, len(source), len(target), words=False)
        keep = kept_without(run.edits, maps=needed <= run.memory_budget)
        recorder = Recorder(run.edits, keep, run.dropout_seed)
        ids = [self._long([list(each)]) for each in (source, target)]
        with torch.no_grad():
            self.transformer(*ids, recorder, self._long(list(segments)) if segments else None)
        recorder.finish()
        return recorder

    def _bind(
        self, recorder: Recorder, text: str, source: Read, entering: Read, output: Read,
        steps: tuple[Step, ...], given: int = 0,
    ) -> Trace:  # fmt: skip
        return Trace(
            config=self.config,
            tensors=recorder.tensors,
            source_text=text,
            output_text=self.tokens.text(output.ids),
            source_tokens=source.tokens,
            source_pieces=source.pieces,
            target_tokens=entering.tokens,
            target_pieces=entering.pieces,
            output_tokens=output.tokens,
            output_pieces=output.pieces,
            vocabulary=self.vocabulary,
            surfaces=self._surfaces,
            model_name=self.name,
            edits=tuple(map(str, recorder.edits)),
            steps=steps,
            task=self.kind,
            generator=self.transformer.generator,
            given=given,
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

    def _long(self, numbers: object) -> torch.Tensor:
        return torch.tensor(numbers, dtype=torch.long, device=self.device)

    def _check_length(self, words: int) -> None:
        if words > self.config.max_length:
            raise GlassformerError("too_long", given=words, limit=self.config.max_length)

    def _fact(self, name: str, default: int | None = None) -> int:
        """An id of generation_config.json or config.json; of several the first."""
        given = self._facts.get(name)
        given = given[0] if isinstance(given, list) and given else given
        if given is None:
            given = default
        if isinstance(given, bool) or not isinstance(given, int):
            problem = f"its config does not say {name}"
            raise GlassformerError("weights_damaged", path=self.name, problem=problem)
        return given


def open_model(folder: str | Path, widen: bool = True, limit: int | None = None) -> OpenedModel:
    """The model of a folder, ready to run on the best device here.

    widen: False keeps float16 and bfloat16 as they are stored. limit: most bytes that its weights
    may take; by default a share of the memory that is free.

    Raises `weights_…` in one sentence, before memory is spent where that can be known.
    """
    folder = Path(folder)
    found = look(folder)
    tokens = tokens_of(folder)
    if max(tokens.pieces, default=0) >= found.config.vocabulary_size:
        problem = f"its tokenizer counts to {max(tokens.pieces):,}, its tables do not"
        raise GlassformerError("weights_tokenizer", path=folder.name, problem=problem)
    model = load_weights(found, widen, limit)
    facts = {**found.facts, **_generation(folder)}
    return OpenedModel(model.to(choose_device()), tokens, found.task, folder.name, facts)


def _generation(folder: Path) -> dict[str, Any]:
    """What generation_config.json says; {} where there is none that can be read."""
    try:
        found = read_json_file(folder / "generation_config.json")
    except UNREADABLE:
        return {}
    return {name: each for name, each in found.items() if each is not None}
