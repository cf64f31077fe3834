"""What every model does, ours or another's: text in, trace out, and what experiments ask."""

from collections.abc import Sequence
from typing import Any, Literal, Protocol, Self

import torch

from glassformer.core.config import ModelConfig
from glassformer.core.decoding.step import Task
from glassformer.core.errors import GlassformerError, check_index
from glassformer.core.model.transformer import Transformer
from glassformer.core.text.detokenize import Decoded
from glassformer.core.text_models.generation import Recording
from glassformer.core.text_models.given_texts import GivenText
from glassformer.core.trace.batch import ModelInputs, PaddingSide
from glassformer.core.trace.tape import Edit
from glassformer.core.trace.trace import Trace

Direction = Literal["en-zh", "zh-en"]
DIRECTIONS: tuple[Direction, ...] = ("en-zh", "zh-en")
Side = Literal["source", "target"]
TaskKind = Literal["translate", "continue", "fill_in"]


class Model(Protocol):
    """A Transformer with its words. Shared by all sessions, never written to."""

    transformer: Transformer
    name: str
    kind: TaskKind
    vocabulary: tuple[str, ...]  # its pieces by id, of what it writes
    calibration: dict[str, Any]  # see `core.analysis.confidence`; empty for most
    takes_pairs: bool  # whether it reads two texts together

    @property
    def keeps_lines(self) -> bool: ...  # whether it tells a line break from a blank

    @property
    def config(self) -> ModelConfig: ...

    @property
    def device(self) -> torch.device: ...

    def trace(
        self, text: str, target: str | None = None, edits: Sequence[Edit] = (),
        direction: Direction | None = None, dropout_seed: int | None = None, text_pair: str = "",
    ) -> Trace:  # fmt: skip
        """Runs the model on a text and records every tensor.

        Args:
            text: what the model reads.
            target: None lets the model write, a text is forced on it (teacher forcing).
            edits: changes made to recorded tensors on the way.
            direction: of translations that go both ways; None lets the model find it out.
            dropout_seed: a number puts the recorded pass in training mode, with that seed.
            text_pair: a second text, of a model that reads two together; "" for none.

        Returns:
            The run, read-only.

        Raises:
            GlassformerError: `no_pair` for a second text of a model that reads one; text that the
                tokenizer refuses; an edit that met no address or changed a tensor's kind.
        """
        ...

    def generate(
        self, text: Any, max_new_tokens: int | None = None, edits: Sequence[Edit] = (),
        record: Recording = None, direction: Direction | None = None, *,
        temperature: float | None = None, top_k: int | None = None, top_p: float | None = None,
        seed: int | None = None,
    ) -> Any:  # fmt: skip
        """Writes for a text or each of a list, at each step the most probable word or a drawn one.

        Args:
            text: what the model reads, or goes on with; or a list of such texts.
            max_new_tokens: most words to write, the end included; None for as many as `trace`
                writes.
            edits: changes made to recorded tensors at each step.
            record: "steps" keeps the tensors of all steps, None those of none.
            direction: of translations that go both ways; None lets the model find it out.
            temperature: with this, top_k, top_p or seed words are drawn; 1 without it.
            top_k: how many of the most probable words may be drawn.
            top_p: the probability that those which may be drawn reach together.
            seed: the same one draws the same words.

        Returns:
            A `Generation` of one text, a list of them of a list; see `core.text_models.generation`.

        Raises:
            GlassformerError: `no_decoder` of a model that fills in blanks; text that the tokenizer
                refuses; as `core.text_models.generation.write_text`.
        """
        ...

    def run(
        self, text: Any, target: Any = None, *, keep: Any = None, edits: Sequence[Edit] = (),
        grad: bool = False, batch_size: int | Literal["auto"] | None = None,
        padding: PaddingSide = "right",
    ) -> Any:  # fmt: skip
        """Runs the model on exactly this text, or these: nothing is written after it.

        Args:
            text: one text or the ids of one; a list of texts or of ids, or a tensor (B, S) of ids.
            target: what is forced on the decoder, one for each text.
            keep: addresses or patterns of what stays in memory; None keeps all.
            edits: changes made to recorded tensors on the way.
            grad: True keeps the graph.
            batch_size: most texts of one pass.
            padding: the end at which short texts are padded.

        Returns:
            A `Trace` of one text, a `Batch` of a list; see `core.text_models.run_texts`.

        Raises:
            GlassformerError: one sentence for what cannot be run.
        """
        ...

    def inputs_of(
        self, text: GivenText, target: GivenText | None = None, decodes: bool = True
    ) -> ModelInputs:
        """The ids that a run of exactly this text has.

        Args:
            text: what the model reads; a tab divides two texts of a model that reads pairs. Ids go
                to the model as they are.
            target: what is forced on the decoder; of ids what its rows are to write. None: the
                text alone of a decoder alone, whose last row chooses its word; of an
                encoder–decoder what greedy decoding writes.
            decodes: False leaves the target empty where it would have to be decoded.

        Returns:
            The ids of both sides, with the words to show for them.

        Raises:
            GlassformerError: what the tokenizer refuses, `out_of_range` for an id that the table
                has not, `too_long`, `no_decoder` for a target of a model without one.
        """
        ...

    def sentences(self, text: str) -> tuple[str, ...]:
        """A text in the parts that are recorded one by one.

        Args:
            text: as it was typed.

        Returns:
            The parts in their order.
        """
        ...

    def task_of(self, trace: Trace) -> Task:
        """What was to be written in a run of this model: greedy decoding of it is that run.

        Args:
            trace: a run of this model.

        Returns:
            The source, the token that decoding starts from, what ends it and what is never written.
        """
        ...

    def reading(self, trace: Trace, words: Sequence[int]) -> Decoded:
        """Ids written in place of those of a run, as text.

        Args:
            trace: the run, which has the source of what was written.
            words: the ids, of what is written.

        Returns:
            The text and what is shown for each id.
        """
        ...

    def ids(self, pieces: Sequence[str], side: Side = "target") -> list[int]:
        """The ids of pieces, of what is read (`source`) or written.

        Args:
            pieces: as the vocabulary calls them.
            side: `source` for the vocabulary that is read, `target` for the one that is written.

        Returns:
            One id for each piece.
        """
        ...

    def word(self, text: str, trace: Trace) -> int | str:
        """The id of a typed word, or why it has none.

        Args:
            text: the word as it was typed.
            trace: the run in which it is looked for; it has the language.

        Returns:
            The id; `unknown` for a word that the vocabulary lacks, `not_one` where it takes several
            pieces.
        """
        ...

    def having(self, transformer: Transformer) -> Self:
        """The same words on another Transformer.

        Args:
            transformer: the one that takes the place of this model's own.

        Returns:
            A new model; this one is not changed.
        """
        ...


def check_ids(ids: Sequence[int], words: int, longest: int) -> None:
    """Refuses ids that a model cannot read.

    Args:
        ids: as somebody gave them.
        words: rows of the model's table.
        longest: positions that the model has.

    Raises:
        GlassformerError: `empty_text` for none, `out_of_range` for one beyond the table,
            `too_long`.
    """
    if not len(ids):
        raise GlassformerError("empty_text")
    for each in ids:
        check_index("id", each, words)
    if len(ids) > longest:
        raise GlassformerError("too_long", given=len(ids), limit=longest)


def texts_of(model: Model, line: str) -> tuple[str, str]:
    """The text of a line, and the second one that it is read with.

    A tab divides them, as `in_line` joins them, of a model that reads two together.

    Args:
        model: the model that reads the line.
        line: one text, or two with a tab between them.

    Returns:
        The two texts; the second is "" where there is none. Of a model that reads one text the
        first is the whole line, tabs included.
    """
    text, _, text_pair = line.partition("\t") if model.takes_pairs else (line, "", "")
    return text, text_pair


def trace_of(model: Model, line: str) -> Trace:
    """The plain run of a line.

    Args:
        model: the model that reads the line.
        line: one text, or two with a tab between them for a model that reads two together.

    Returns:
        The run, without edits or dropout; the model writes.

    Raises:
        GlassformerError: as `Model.trace`.
    """
    text, text_pair = texts_of(model, line)
    return model.trace(text, text_pair=text_pair)
