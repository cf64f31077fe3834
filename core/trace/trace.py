"""A finished run: every tensor under its address, with the words and the config they belong to."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache, wraps
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, cast

from torch import Tensor

from glassformer.core.config import ModelConfig
from glassformer.core.decoding.step import Step
from glassformer.core.errors import GlassformerError, check_index, index_from_end
from glassformer.core.model.generator import Generator
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.files import read_run, write_run
from glassformer.core.trace.graph import addresses
from glassformer.core.trace.hook_names import address_of_hook
from glassformer.core.trace.on_demand import LOGITS, compute_tensor, recomputable
from glassformer.core.trace.shapes import shape_letters
from glassformer.core.trace.sites import Axis, AxisName, Site, site_at
from glassformer.core.trace.tape import nearest_addresses

if TYPE_CHECKING:
    import pandas as pd

    from glassformer.core.trace.batch import Batch
    from glassformer.core.trace.results import ResultGrid

    Differentiate = Callable[[Callable[[Batch], Tensor]], Mapping[str, Tensor]]

WORDS_SHOWN = 8  # of an axis, in an error
LONGEST = 72  # characters of a text in `repr`


def _in_short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def check_places(address: str, axes: Iterable[Axis], at: Mapping[str, int]) -> None:
    """Raises for a place that a tensor of these axes has not.

    Args:
        address: of the tensor, for the sentence of the error.
        axes: of the tensor.
        at: the axes that are held, by name at an index from 0.

    Raises:
        GlassformerError: `unknown_axis` or `out_of_range`.
    """
    sizes: dict[str, int] = {axis.name: axis.size for axis in axes}
    for name, index in at.items():
        if name not in sizes:
            raise GlassformerError(
                "unknown_axis", address=address, axis=name, axes=", ".join(sizes)
            )
        check_index(name, index, sizes[name])


def index_at(address: str, axis: Axis, given: object) -> int:
    """The index that somebody means by a number or a word.

    Args:
        address: of the tensor, for the sentence of the error.
        axis: of the tensor.
        given: an index from 0, one from the end below 0, or a word of the axis as it is shown, with
            or without the mark of a space before it; of several places the first.

    Returns:
        The index from 0.

    Raises:
        GlassformerError: `out_of_range`; `axis_word` for a word that the axis has not,
            `axis_index` for what is neither a number nor a word.
    """
    if isinstance(given, str):
        found = next(
            (at for at in map(axis.index_of, (given, f"␣{given}")) if at is not None), None
        )
        if found is None:
            words = ", ".join((axis.labels or ())[:WORDS_SHOWN]) or "-"
            raise GlassformerError(
                "axis_word", address=address, axis=axis.name, word=given, words=words
            )
        return found
    try:
        index = operator.index(given)  # type: ignore[arg-type]
    except TypeError as error:
        raise GlassformerError(
            "axis_index", address=address, axis=axis.name, given=given, last=axis.size - 1
        ) from error
    return index_from_end(axis.name, index, axis.size)


def in_line(text: str, text_pair: str) -> str:
    """A text, or two that are read together, in one line: a tab stands between them.

    Args:
        text: the first one; its own tabs become blanks where there is a second.
        text_pair: the second one, "" or blank for none.

    Returns:
        The line; `text` as it is where there is no second.
    """
    return "\t".join((text.replace("\t", " "), text_pair)) if text_pair.strip() else text


@lru_cache(maxsize=4)
def places_of(vocabulary: tuple[str, ...]) -> Mapping[str, int]:
    """The id of every piece: of the vocabularies in use, for one may have 250,000 pieces.

    Args:
        vocabulary: its pieces by id.

    Returns:
        The id by the piece, kept for the four vocabularies asked for last; not to be written to.
    """
    return {piece: index for index, piece in enumerate(vocabulary)}


@dataclass(frozen=True)
class Candidate:
    """A word that could come next: as shown, as the vocabulary calls it, and how probable."""

    token: str
    piece: str
    probability: float


@dataclass(frozen=True, repr=False)
class Trace:
    """What one run of the model did. Read-only; belongs to whoever asked for the run.

    Tokens are what the reader typed or is shown, pieces are the vocabulary's names for them (they
    differ where an unknown word travels in a copy slot). `target_*` is the decoder's input, row by
    row; `output_*` is what each row chose, or was given when the target was forced.
    """

    config: ModelConfig
    tensors: Mapping[str, Tensor] = field(repr=False)
    source_text: str
    output_text: str
    source_tokens: tuple[str, ...]
    source_pieces: tuple[str, ...]
    target_tokens: tuple[str, ...]
    target_pieces: tuple[str, ...]
    output_tokens: tuple[str, ...]
    output_pieces: tuple[str, ...]
    vocabulary: tuple[str, ...] = field(repr=False)
    surfaces: Mapping[str, str] = field(default_factory=dict)  # piece -> what is shown for it
    source_unknown: tuple[int, ...] = ()  # positions the vocabulary has no word for
    direction: str = ""
    model_name: str = ""
    edits: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()  # empty when the target was forced
    further: tuple[str, ...] = ()  # translations of the sentences after the first, which is traced
    calibration: Mapping[str, Any] = field(default_factory=dict, repr=False)  # of its confidence
    task: str = "translate"  # or "continue" a text (no source), or "fill_in" blanks (no target)
    sent: str = ""  # the text as the model got it, where a chat template wrapped it
    given: int = 0  # so many words at the start of the output were given, not chosen
    text_pair: str = ""  # the second text of a pair: the first is `source_text`
    segments: tuple[int, ...] = ()  # of each word of the source; () where all are of the first
    generator: Generator | None = field(default=None, repr=False, compare=False)  # of its model
    # The model of a run that tools read: whoever keeps runs for long leaves it out.
    transformer: Transformer | None = field(default=None, repr=False, compare=False)
    # What differentiates a run that was made with `grad=True`.
    differentiate: Differentiate | None = field(default=None, repr=False, compare=False)

    def __repr__(self) -> str:
        shape, tensors = self.config, self.tensors
        layers = " + ".join(str(n) for n in (shape.encoder_layers, shape.decoder_layers) if n)
        device = ", ".join({str(each.device) for each in tensors.values()})
        of = {
            "model": f"{self.model_name}: {layers} layers, {shape.n_heads} heads, "
            f"d_model {shape.d_model}",
            "task": self.task,
            "source": _in_short(self.line),
            "output": _in_short(self.output_text),
            "words": " and ".join(
                f"{len(each)} {side}"
                for side, each in (("source", self.source_tokens), ("target", self.target_tokens))
                if each
            ),
            "edits": _in_short(", ".join(self.edits)),
            "tensors": f"{len(tensors)} kept, {self.nbytes / 1e6:.2f} MB on {device}",
            "addresses": f"{next(iter(tensors), '')} … {next(reversed(tuple(tensors)), '')}",
        }
        lines = (f"  {name:9} {said}" for name, said in of.items() if said)
        return "\n".join(("<Trace", *lines)) + ">"

    def __getitem__(self, address: str) -> Tensor:
        """The tensor at an address; what was left out to save memory is computed again.

        TransformerLens' names of hooks, such as `blocks.0.attn.hook_pattern`, are addresses, too.
        """
        if address in self.tensors:
            return self.tensors[address]
        address = address_of_hook(address, self.config)
        if address in self.tensors:
            return self.tensors[address]
        if address in self._recomputable:
            return compute_tensor(self.config, self.tensors, self.generator, address)
        raise GlassformerError(
            "unknown_address", address=address, nearest=nearest_addresses(address, self)
        )

    def __iter__(self) -> Iterator[str]:
        """The addresses, in computation order."""
        for address in addresses(self.config, dropout=True):
            if address in self:
                yield address

    def __contains__(self, address: object) -> bool:
        if isinstance(address, str) and "hook_" in address:
            try:
                address = address_of_hook(address, self.config)
            except GlassformerError:
                return False
        return address in self.tensors or address in self._recomputable

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @property
    def show(self) -> Any:
        """Pictures of the run, as the app draws them: `run.show.heads()`, `run.show(address)`.

        See `PanelPictures` in `glassformer.app.takeaway.panel_pictures`.
        """
        # By name, when it is asked for: the app knows runs, and a run nothing of the app.
        pictures = import_module("glassformer.app.takeaway.panel_pictures")
        return pictures.PanelPictures(self)

    def site(self, address: str) -> Site:
        """Symbol, equation and role of what is recorded there.

        Args:
            address: of a tensor of this run.

        Returns:
            The row of `SITES`.

        Raises:
            GlassformerError: `unknown_address`, naming the nearest addresses.
        """
        if address not in self:
            self[address]  # raises, naming the nearest addresses
        return site_at(address_of_hook(address, self.config))

    def axes(self, address: str) -> tuple[Axis, ...]:
        """Name, letter, size and words of each axis.

        Args:
            address: of a tensor of this run.

        Returns:
            The axes in the order of the tensor's shape; positions have the words of the source or
            the decoder's input, the vocabulary its pieces.

        Raises:
            GlassformerError: `unknown_address`, naming the nearest addresses.
        """
        names, shape = self.site(address).axes, self[address].shape
        return tuple(
            Axis(name, letter, size, self._labels(name, letter))
            for name, letter, size in zip(
                names,
                shape_letters(address_of_hook(address, self.config), self.config),
                shape,
                strict=True,
            )
        )

    def pick(self, address: str, **at: int | str) -> Tensor:
        """The tensor with some axes held, as in `pick(address, head=0, query="cat")`.

        Args:
            address: of a tensor of this run.
            **at: the axes that are held, by name: at an index from 0, at one from the end (-1 is
                the last), or at a word of the axis. The batch axis is held at 0 unless said
                otherwise.

        Returns:
            The tensor without the axes that are held.

        Raises:
            GlassformerError: `unknown_address`; `unknown_axis` for an axis the tensor does not
                have, `out_of_range` for an index beyond its end, `axis_word` for a word that is
                not on the axis, `axis_index` for anything else, such as a slice.
        """
        axes = self.axes(address)
        check_places(address, axes, dict.fromkeys(at, 0))
        held: dict[str, int] = {"batch": 0}
        held |= {
            axis.name: index_at(address, axis, at[axis.name]) for axis in axes if axis.name in at
        }
        return self[address][tuple(held.get(axis.name, slice(None)) for axis in axes)]

    def gradients(self, metric: Callable[[Batch], Tensor]) -> Mapping[str, Tensor]:
        """∂ metric / ∂ what stands at each address, in a run with `grad=True`.

        Args:
            metric: a function of a batch that gives a number a text, such as
                `gf.logit_diff("cat", "dog")`; it gets the batch that this text was run in.

        Returns:
            The gradients by address, each in the shape of the tensor there.

        Raises:
            GlassformerError: as `Batch.gradients`.
        """
        if self.differentiate is None:
            raise GlassformerError("gradient_run")
        return self.differentiate(metric)

    def table(self, address: str, **at: int | str) -> pd.DataFrame:
        """A tidy table: one row a number, a column an axis, the words beside their positions.

        Args:
            address: of a tensor of this run.
            **at: the axes that are held, as for `pick`; they have no column.

        Returns:
            As `tidy_table` in `core.trace.tables`.

        Raises:
            GlassformerError: as `pick`.
        """
        from glassformer.core.trace.tables import (
            tidy_table,  # pandas is slow to import and not always wanted
        )

        return tidy_table(self, address, **at)

    def sel(self, address: str, **at: int | str) -> ResultGrid:
        """A part of a tensor with its words, as in `sel(address, head=0, query="cat").show()`.

        Args:
            address: of a tensor of this run.
            **at: the axes that are held, as for `pick`.

        Returns:
            The numbers in float64 along the other axes: a table, a picture, an array with words.

        Raises:
            GlassformerError: as `pick`.
        """
        from glassformer.core.trace.results import grid_of  # numpy is not always wanted

        values = self.pick(address, **at)
        free = [axis for axis in self.axes(address) if axis.name not in ("batch", *at)]
        held = "".join(f", {axis} {place}" for axis, place in at.items())
        return grid_of(values, free, f"{address}{held}")

    def to_xarray(self, address: str, **at: int | str) -> Any:
        """The tensor as an `xarray.DataArray`, words as coordinates, duplicates and all.

        Args:
            address: of a tensor of this run.
            **at: the axes that are held, as for `pick`.

        Returns:
            The numbers in float64, axes by name; beside words their positions.

        Raises:
            GlassformerError: as `pick`; `no_xarray` where xarray is not installed.
        """
        return self.sel(address, **at).to_xarray()

    def candidates(self, row: int, k: int = 5) -> tuple[Candidate, ...]:
        """The k most probable next words at a row of the decoder, best first.

        Args:
            row: position of the decoder's input, counted from 0.
            k: how many; at most as many as the vocabulary has.

        Returns:
            Each word as it is shown, as the vocabulary calls it, and its probability.

        Raises:
            GlassformerError: `out_of_range` for a row beyond the end, `unknown_address` for a run
                without probabilities.
        """
        best = self.pick("output/probabilities", position=row).topk(min(k, len(self.vocabulary)))
        pieces = [self.vocabulary[index] for index in best.indices.tolist()]
        return tuple(
            Candidate(self.surfaces.get(piece, piece), piece, probability)
            for piece, probability in zip(pieces, best.values.tolist(), strict=True)
        )

    @cached_property
    def output_ids(self) -> tuple[int, ...]:
        """The ids of the words that the rows chose, or were given."""
        ids = places_of(self.vocabulary)
        return tuple(ids[piece] for piece in self.output_pieces)

    @property
    def line(self) -> str:
        """What was read, in one line: of a pair a tab stands between the two texts."""
        read = self.source_text
        return in_line(read.replace("\t", " ") if self.task == "fill_in" else read, self.text_pair)

    @property
    def language(self) -> str:
        """Of the translation: "en" or "zh"."""
        return self.direction.rpartition("-")[2]

    @property
    def full_text(self) -> str:
        """The translation of all the sentences that were typed; the first is `output_text`."""
        space = "" if self.language == "zh" else " "
        return space.join((self.output_text, *self.further))

    @cached_property
    def nbytes(self) -> int:
        """Bytes of memory the recording holds; tensors that share memory count once.

        Read-only as they are, they are added up once.
        """
        storages = {
            (tensor.device, tensor.untyped_storage().data_ptr()): tensor.untyped_storage().nbytes()
            for tensor in self.tensors.values()
        }
        return sum(storages.values())

    @cached_property
    def readings(self) -> dict[Any, Any]:
        """What `once_a_run` has read off it."""
        return {}

    def save(self, path: str | Path) -> None:
        """Writes the run to one safetensors file that reopens anywhere, without the model too.

        Logits that were left out to save memory are computed for it.

        Args:
            path: of the file; one that is there is replaced.
        """
        about = {each.name: getattr(self, each.name) for each in fields(self)}
        for name in ("tensors", "generator", "transformer", "differentiate"):
            del about[name]
        about["config"] = self.config.to_dict()
        about["steps"] = [vars(step) for step in self.steps]
        plain = {name: dict(about[name]) for name in ("surfaces", "calibration")}  # for JSON
        scores = {LOGITS: self[LOGITS]} if LOGITS in self else {}
        own = {
            address: tensor
            for address, tensor in self.tensors.items()
            if site_at(address).group != "dictionary"  # features need their autoencoder
        }
        write_run(Path(path), {**own, **scores}, {**about, **plain})

    @staticmethod
    def load(path: str | Path) -> Trace:
        """Reopens a saved run.

        Args:
            path: of a file that `save` wrote.

        Returns:
            The run, its tensors on the CPU, without the generator of its model.

        Raises:
            GlassformerError: `trace_foreign` for another program's file, `trace_newer` for a later
                format, `trace_damaged` for one that cannot be read or does not hold together.
        """
        tensors, facts = read_run(Path(path))
        return Trace(tensors=tensors, **facts)

    @cached_property
    def _recomputable(self) -> frozenset[str]:
        return recomputable(self.config, self.tensors, self.generator)

    def _labels(self, name: AxisName, letter: str) -> tuple[str, ...] | None:
        if name in ("position", "query", "key"):
            return self.source_tokens if letter == "S" else self.target_tokens
        return self.vocabulary if name == "vocabulary" else None


Given = ParamSpec("Given")
Result = TypeVar("Result")


def once_a_run(
    read: Callable[Concatenate[Trace, Given], Result],
) -> Callable[Concatenate[Trace, Given], Result]:
    """Lets a reading of a run be made once for each run; for small results that nobody changes.

    A run never changes, and what was read off it goes with it. Errors are raised anew.

    Args:
        read: a function of a run and further arguments that can be hashed.

    Returns:
        The same function; it remembers its result for each run and each set of arguments.
    """

    @wraps(read)
    def remembered(trace: Trace, *given: Given.args, **named: Given.kwargs) -> Result:
        key = (read, given, tuple(named.items()))
        if key not in trace.readings:
            trace.readings[key] = read(trace, *given, **named)
        found: Result = trace.readings[key]
        return found

    return cast(Callable[Concatenate[Trace, Given], Result], remembered)
