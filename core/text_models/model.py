"""What every model does, ours or another's: text in, trace out, and what experiments ask."""

from collections.abc import Sequence
from typing import Any, Literal, Protocol, Self

import torch

from glassformer.core.config import ModelConfig
from glassformer.core.decoding.step import Task
from glassformer.core.model.transformer import Transformer
from glassformer.core.text.detokenize import Decoded
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

        target: None lets the model write, a text is forced on it. direction: of translations
        that go both ways. dropout_seed: a number puts the recorded pass in training mode.
        text_pair: a second text, of a model that reads two together; raises `no_pair` of another.
        """
        ...

    def sentences(self, text: str) -> tuple[str, ...]:
        """A text in the parts that are recorded one by one."""
        ...

    def task_of(self, trace: Trace) -> Task:
        """What was to be written in a run of this model: greedy decoding of it is that run."""
        ...

    def reading(self, trace: Trace, words: Sequence[int]) -> Decoded:
        """Ids written in place of those of a run, as text."""
        ...

    def ids(self, pieces: Sequence[str], side: Side = "target") -> list[int]:
        """The ids of pieces, of what is read (`source`) or written."""
        ...

    def word(self, text: str, trace: Trace) -> int | str:
        """The id of a typed word, or why it has none: `unknown`, `not_one`."""
        ...

    def having(self, transformer: Transformer) -> Self:
        """The same words on another Transformer."""
        ...


def texts_of(model: Model, line: str) -> tuple[str, str]:
    """The text of a line, and the second one that it is read with: "" where there is none.

    A tab divides them, as `in_line` joins them, of a model that reads two together.
    """
    text, _, text_pair = line.partition("\t") if model.takes_pairs else (line, "", "")
    return text, text_pair


def trace_of(model: Model, line: str) -> Trace:
    """The plain run of a line. Raises as `Model.trace`."""
    text, text_pair = texts_of(model, line)
    return model.trace(text, text_pair=text_pair)
