"""A model of another program, opened: text in, trace out, whatever its task."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from core.config import ModelConfig
from core.decoding.greedy import greedy
from core.decoding.rows import tapes
from core.decoding.step import Forced, Step, Task, step_from, step_of
from core.device import choose_device
from core.errors import GlassformerError
from core.model.transformer import Transformer
from core.stored import UNREADABLE, read_json_file
from core.trace.sites import recorded_bytes, site_at
from core.trace.tape import Edit, Recorder
from core.trace.trace import Trace
from core.weights.family import TaskKind
from core.weights.open import load_weights, look
from core.weights.tokenizers.tokens import MarianTokens, Read, Tokens, tokens_of

MEMORY_BUDGET = 512 * 2**20  # bytes one run may record before its attention maps wait for demand
MORE = 20  # words that a text is continued by
BLANK = "___"  # what stands for a blank in any text


class OpenedModel:
    """The Transformer, its tokenizer, its task and its name. Shared by all, never written to."""

    def __init__(
        self, transformer: Transformer, tokens: Tokens, task: TaskKind, name: str,
        facts: Mapping[str, Any],
    ) -> None:  # fmt: skip
        self.transformer, self.tokens, self.task, self.name = transformer, tokens, task, name
        self.vocabulary = tokens.vocabulary(transformer.config.vocabulary_size)
        self._facts = facts

    @property
    def config(self) -> ModelConfig:
        return self.transformer.config

    @property
    def device(self) -> torch.device:
        return self.transformer.generator.weight.device

    def trace(
        self, text: str, target: str | None = None, edits: Sequence[Edit] = (), more: int = MORE,
        memory_budget: int = MEMORY_BUDGET,
    ) -> Trace:  # fmt: skip
        """Runs the model on a text and records every tensor.

        Args:
            text: a source to translate, a text to go on with, or one with blanks: `___`, or the
                model's own mark, such as [MASK].
            target: None lets the model write; a text is forced on the decoder (of one that goes on
                with a text: what follows it).
            edits: changes made to recorded tensors on the way, in decoding too.
            more: most words that a text is continued by.
            memory_budget: bytes; a run that would record more keeps q, k and mask instead of the
                attention maps and recomputes a map, bit for bit, when it is asked for.

        Raises `empty_text`, `too_long` for more words than the model has positions, and as `Edit`.
        """
        if not text.strip():
            raise GlassformerError("empty_text")
        if self.task == "fill_in":
            return self._filled(text, edits, memory_budget)
        if self.task == "continue":
            return self._continued(text, target, edits, more, memory_budget)
        return self._translated(text, target, edits, memory_budget)

    def _translated(
        self, text: str, target: str | None, edits: Sequence[Edit], budget: int
    ) -> Trace:
        source, end = self._read(self.tokens.ids(text), source=True), self._fact("eos_token_id")
        start = self._fact("decoder_start_token_id", self._fact("bos_token_id", end))
        steps: tuple[Step, ...] = ()
        if target is None:
            limit = min(2 * len(source.ids) + 50, self.config.max_length)
            forbidden = frozenset({self.config.pad_id} - {end})
            first = self._fact("forced_bos_token_id", -1)
            forced: Forced = {0: first} if first >= 0 else {}
            task = Task(source.ids, start, end, limit, forbidden)
            steps = greedy(self.transformer, task, forced, tapes(edits))
            chosen = [step.chosen for step in steps]
        else:
            chosen = self.tokens.target_ids(target)
        entering = self._read([start, *chosen[:-1]])
        recorder = self._run(source.ids, entering.ids, edits, budget)
        return self._bind(recorder, text, source, entering, self._read(chosen), steps)

    def _continued(
        self, text: str, target: str | None, edits: Sequence[Edit], more: int, budget: int
    ) -> Trace:
        prompt = self.tokens.ids(text) or [self._fact("bos_token_id")]
        end, given = self._fact("eos_token_id", -1), dict(enumerate(prompt[1:]))
        room = self.config.max_length - len(prompt)
        steps: tuple[Step, ...] = ()
        if target is None:
            self._check_length(len(prompt) + 1)
            task = Task((), prompt[0], end, len(given) + max(1, min(more, room)))
            steps = greedy(self.transformer, task, given, tapes(edits))
            chosen = [step.chosen for step in steps]
        else:
            chosen = self.tokens.ids(text + target)[1:]
        entering = self._read([prompt[0], *chosen[:-1]])
        recorder = self._run((), entering.ids, edits, budget)
        nothing = Read((), (), ())
        return self._bind(recorder, text, nothing, entering, self._read(chosen), steps)

    def _filled(self, text: str, edits: Sequence[Edit], budget: int) -> Trace:
        mask = self._mask
        marked = text.replace(BLANK, self.tokens.pieces[mask]) if mask is not None else text
        source = self._read(self.tokens.ids(marked))
        recorder = self._run(source.ids, source.ids, edits, budget)
        chosen, steps = list(source.ids), tuple[Step, ...]()
        if self.config.has_generator:
            logits: Tensor = recorder.tensors["output/logits"][0]
            steps = tuple(
                step_from(row) if each == mask else step_of(row, each)
                for row, each in zip(logits, source.ids, strict=True)
            )
            chosen = [step.chosen for step in steps]
        return self._bind(recorder, text, source, source, self._read(chosen), steps)

    def _run(
        self, source: Sequence[int], target: Sequence[int], edits: Sequence[Edit], budget: int
    ) -> Recorder:
        for each in (source, target):
            self._check_length(len(each))
        needed = recorded_bytes(self.config, len(source), len(target))

        def keep(address: str) -> bool:
            # A map that an edit may have changed cannot be recomputed from q, k and mask.
            return not site_at(address).per_map or bool(edits)

        recorder = Recorder(edits, None if needed <= budget else keep)
        ids = [torch.tensor([list(each)], dtype=torch.long) for each in (source, target)]
        with torch.no_grad():
            self.transformer(ids[0].to(self.device), ids[1].to(self.device), recorder)
        recorder.finish()
        return recorder

    def _bind(
        self, recorder: Recorder, text: str, source: Read, entering: Read, output: Read,
        steps: tuple[Step, ...],
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
            model_name=self.name,
            edits=tuple(map(str, recorder.edits)),
            steps=steps,
            task=self.task,
        )

    def _read(self, ids: Sequence[int], source: bool = False) -> Read:
        if source and isinstance(self.tokens, MarianTokens):
            return self.tokens.read_source(ids)
        return self.tokens.read(ids)

    @property
    def _mask(self) -> int | None:
        """The id that stands for a blank."""
        for piece in ("[MASK]", "<mask>"):
            if (found := self.tokens.id(piece)) is not None:
                return found
        return None

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
