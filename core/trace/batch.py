"""A run over several texts at once: every kept tensor, the words of each text, and its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import torch
from torch import Tensor

from glassformer.core.config import ModelConfig
from glassformer.core.errors import GlassformerError, index_from_end
from glassformer.core.model.device import to_float64
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.gradients import Gradients, GradientsOfText, Join
from glassformer.core.trace.hook_names import address_of_hook
from glassformer.core.trace.shapes import shape_letters
from glassformer.core.trace.sites import Axis, AxisName, site_at
from glassformer.core.trace.tape import nearest_addresses

if TYPE_CHECKING:
    import pandas as pd

    from glassformer.core.trace.trace import Trace

PaddingSide = Literal["right", "left"]
Metric = Callable[["Batch"], Tensor]
Bind = Callable[[Mapping[str, Tensor], Sequence[str], Sequence[int]], "Trace"]


@dataclass(frozen=True)
class ModelInputs:
    """One text as the ids that a model runs on.

    source: what the encoder reads, (S,); () of a decoder alone. target: what the decoder reads, the
    begin token first, (T,); of an encoder alone its source. output: the word that each row of the
    target is to write; None where the model chooses. segments: as `Embedding` takes them; () for
    none. forbidden: ids that are never chosen. bind: makes a `Trace` of tensors, the names of
    edits, and the ids that the rows wrote.
    """

    source: tuple[int, ...]
    target: tuple[int, ...]
    output: tuple[int | None, ...]
    bind: Bind
    segments: tuple[int, ...] = ()
    forbidden: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Graph:
    """What a run is differentiated by: the tensors of each pass, and what joins several."""

    parts: tuple[Mapping[str, Tensor], ...]
    join: Join | None = None


@dataclass(frozen=True, eq=False)
class Batch:
    """What one run over B texts did. Read-only; what was not kept is not there.

    `batch[address]` has the batch axis first, padding included; `source_mask` (B, S) and
    `target_mask` (B, T) are True where there is a word. Of an encoder alone the target is the
    source. `output_ids` are what each row of a text was to write, or wrote: T of them a text.
    """

    config: ModelConfig = field(repr=False)
    tensors: Mapping[str, Tensor] = field(repr=False)
    inputs: tuple[ModelInputs, ...] = field(repr=False)
    output_ids: tuple[tuple[int, ...], ...] = field(repr=False)
    source_mask: Tensor = field(repr=False)
    target_mask: Tensor = field(repr=False)
    vocabulary: tuple[str, ...] = field(repr=False)
    look_up: Callable[[str, Trace], int | str] = field(repr=False)
    model_name: str = ""
    edits: tuple[str, ...] = ()
    padding: PaddingSide = "right"
    transformer: Transformer | None = field(default=None, repr=False)  # that made the run
    graph: Graph | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        texts, kept = f"{len(self)} texts of {self.model_name}", f"{len(self.tensors)} addresses"
        return f"<Batch: {texts}, {kept}, padded at the {self.padding}>"

    def __len__(self) -> int:
        return len(self.inputs)

    def __contains__(self, address: object) -> bool:
        if isinstance(address, str) and "hook_" in address:
            try:
                address = address_of_hook(address, self.config)
            except GlassformerError:
                return False
        return address in self.tensors

    def __iter__(self) -> Iterator[str]:
        """The addresses that were kept, in computation order."""
        return iter(self.tensors)

    def __getitem__(self, address: str) -> Tensor:
        """The tensor at an address, (B, …), on the device where the model ran.

        TransformerLens' names of hooks are addresses, too.
        """
        if isinstance(address, int):
            raise GlassformerError("batch_place", place=address)
        address = address_of_hook(address, self.config)
        if address not in self.tensors:
            near = nearest_addresses(address, self.tensors)
            raise GlassformerError("unknown_address", address=address, nearest=near)
        tensor = self.tensors[address]
        if _is_of_each(address, tensor):
            return tensor
        return tensor.expand(len(self), *tensor.shape)  # positions are the same for all

    @cached_property
    def source_pieces(self) -> tuple[tuple[str, ...], ...]:
        """What the encoder read, a tuple a text, as the vocabulary calls it."""
        return tuple(self._words(at).source_pieces for at in range(len(self)))

    @cached_property
    def target_pieces(self) -> tuple[tuple[str, ...], ...]:
        """What the decoder read, a tuple a text, as the vocabulary calls it."""
        return tuple(self._words(at).target_pieces for at in range(len(self)))

    @cached_property
    def output_pieces(self) -> tuple[tuple[str, ...], ...]:
        """What the rows were to write or wrote, a tuple a text, as the vocabulary calls it."""
        return tuple(self._words(at).output_pieces for at in range(len(self)))

    def some(self, texts: slice) -> Batch:
        """Some of the texts as a batch of their own, which cannot be differentiated.

        Args:
            texts: which of them.

        Returns:
            Their run: views of this batch's tensors.
        """
        return replace(
            self,
            tensors={
                address: tensor[texts] if _is_of_each(address, tensor) else tensor
                for address, tensor in self.tensors.items()
            },
            inputs=self.inputs[texts],
            output_ids=self.output_ids[texts],
            source_mask=self.source_mask[texts],
            target_mask=self.target_mask[texts],
            graph=None,
        )

    def at(self, index: int) -> Trace:
        """One text of the batch, without its padding.

        Args:
            index: of the text, counted from 0; below 0 from the end.

        Returns:
            Its run, of the tensors that were kept: views of this batch's.

        Raises:
            GlassformerError: `out_of_range` for a text that is not there.
        """
        index = index_from_end("text", index, len(self))
        spans = {"S": self._span("source", index), "T": self._span("target", index)}
        tensors = {
            address: _one_text(address, tensor.detach(), index, spans)
            for address, tensor in self.tensors.items()
        }
        differentiate = None
        if self.graph is not None:

            def differentiate(metric: Metric) -> Mapping[str, Tensor]:
                def cut(address: str, tensor: Tensor) -> Tensor:
                    return _one_text(address, tensor, index, spans)

                return GradientsOfText(self.gradients(metric), index, cut)

        return replace(
            self._words(index),
            tensors=tensors,
            transformer=self.transformer,
            differentiate=differentiate,
        )

    def gradients(self, metric: Metric) -> Gradients:
        """∂ metric / ∂ what stands at each address, of each text, in a run with `grad=True`.

        Args:
            metric: a function of the batch that gives a number a text, (B,), by operations of
                torch on `batch[address]`.

        Returns:
            The gradients by address, each in the shape of `batch[address]`; they are computed when
            the first is looked at, and the run can be differentiated by further metrics.

        Raises:
            GlassformerError: `gradient_run` of a run without `grad=True`; `metric_shape` for a
                metric that gives anything but a number a text, `metric_flat` for one that does
                not depend on the run as far as torch sees.
        """
        if self.graph is None:
            raise GlassformerError("gradient_run")
        scores = metric(self)
        if not isinstance(scores, Tensor) or scores.shape != (len(self),):
            given = tuple(scores.shape) if isinstance(scores, Tensor) else type(scores).__name__
            raise GlassformerError("metric_shape", given=given, needed=f"({len(self)},)")
        if not scores.requires_grad:
            raise GlassformerError("metric_flat")
        return Gradients(scores, self.graph.parts, self.graph.join)

    def word_mask(self, address: str) -> Tensor:
        """Where a tensor belongs to words and not to padding.

        Args:
            address: of a tensor.

        Returns:
            Bool, of as many axes as the tensor, size 1 along those without words.
        """
        letters = shape_letters(address_of_hook(address, self.config))
        letters = letters if letters[0] == "B" else ("B", *letters)
        mask = torch.ones([1] * len(letters), dtype=torch.bool, device=self.target_mask.device)
        for at, letter in enumerate(letters):
            if letter in "ST":
                own = self.source_mask if letter == "S" else self.target_mask  # (B, n)
                shape = [1] * len(letters)
                shape[0], shape[at] = own.shape
                mask = mask & own.view(shape)
        return mask

    def to_xarray(self, address: str) -> Any:
        """A tensor as an `xarray.DataArray`; of one text with its words, see `Trace.to_xarray`.

        Args:
            address: of a tensor that was kept.

        Returns:
            The numbers in float64, axes by name, places counted from 0; NaN where there is padding.

        Raises:
            GlassformerError: `unknown_address`; `no_xarray` where xarray is not installed.
        """
        from glassformer.core.trace.results import grid_of  # numpy is not always wanted

        values = self[address]
        names: tuple[AxisName, ...] = site_at(address_of_hook(address, self.config)).axes
        names = names if names[0] == "batch" else ("batch", *names)
        axes = [Axis(name, "", size) for name, size in zip(names, values.shape, strict=True)]
        values = to_float64(values).masked_fill(~self.word_mask(address).cpu(), torch.nan)
        return grid_of(values, axes, address).to_xarray()

    def table(self, address: str, **at: int | str) -> pd.DataFrame:
        """A tidy table of all texts: a row a number, the words of each text, padding left out.

        Args:
            address: of a tensor that was kept.
            **at: the axes that are held, as for `Trace.pick`.

        Returns:
            The columns of `Trace.table` behind `text`, which counts the texts from 0.

        Raises:
            GlassformerError: as `Trace.pick`, for the first text that has no such place.
        """
        import pandas as pd  # slow to import, and not always wanted

        tables = [self.at(index).table(address, **at) for index in range(len(self))]
        return pd.concat(tables, keys=range(len(self)), names=["text", None]).reset_index("text")

    def row(self, index: int, at: int) -> int:
        """The row of a padded tensor that a position of a text has.

        Args:
            index: of the text, counted from 0.
            at: position of the decoder's input (of an encoder alone: of its text), counted from 0;
                -1 is the text's own last, wherever the padding is.

        Returns:
            The index along T (of an encoder alone along S).

        Raises:
            GlassformerError: `out_of_range` for a text or a position that is not there.
        """
        span = self._span("target", index_from_end("text", index, len(self)))
        first: int = span.start
        return first + index_from_end("position", at, span.stop - first)

    def id_of(self, word: str) -> int:
        """The id of a typed word of what the model writes.

        Args:
            word: as people write it, or as the vocabulary has it.

        Returns:
            The id.

        Raises:
            GlassformerError: `word_unknown` for what the vocabulary lacks, `word_not_one` for what
                takes several pieces.
        """
        found = self.look_up(word, self._words(0))
        if isinstance(found, int):
            return found
        if found == "unknown":
            raise GlassformerError("word_unknown", word=word)
        raise GlassformerError("word_not_one", word=word)

    def _span(self, side: Literal["source", "target"], index: int) -> slice:
        size = len(getattr(self.inputs[index], side))
        mask: Tensor = getattr(self, f"{side}_mask")
        start = mask.size(-1) - size if self.padding == "left" else 0
        return slice(start, start + size)

    @cached_property
    def _bound(self) -> dict[int, Trace]:
        return {}

    def _words(self, index: int) -> Trace:
        """The run of a text without its tensors; words are looked up when they are asked for."""
        if index not in self._bound:
            bind = self.inputs[index].bind
            self._bound[index] = bind({}, self.edits, self.output_ids[index])
        return self._bound[index]


def _is_of_each(address: str, tensor: Tensor) -> bool:
    """Whether a recorded tensor has a batch axis: positions have one where texts differ in them."""
    axes = site_at(address).axes
    return axes[0] == "batch" or tensor.dim() > len(axes)


def _one_text(address: str, tensor: Tensor, index: int, spans: Mapping[str, slice]) -> Tensor:
    """A text's part of a tensor, padding left out; its batch axis of size 1 kept."""
    letters = shape_letters(address)
    cut = tuple(spans.get(letter, slice(None)) for letter in letters)
    if letters[0] == "B":
        return tensor[(slice(index, index + 1), *cut[1:])]
    return (tensor[index] if _is_of_each(address, tensor) else tensor)[cut]
