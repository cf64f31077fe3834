"""Masks switched: who may look where. All act on the recorded `mask`, True where one may look.

They combine in one order, whatever was switched first: padding, causal, then what is drawn. A row
that is left with nothing is not repaired: with −1e9 its weights are uniform over all keys, with
−∞ they are NaN, see `core.model.masks.apply_mask`; `closed_rows` finds such rows.

What is drawn by hand at an attention is kept as one `Painted` for all heads that are drawn alike,
so that every cell of every head is decided once, whatever was painted first.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, Self, TypeGuard

import torch
from torch import Tensor

from glassformer.core.config import MaskFill, ModelConfig
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions.experiment import Experiment
from glassformer.core.interventions.heads import release_heads
from glassformer.core.interventions.parts import OfHeads, Parts, attention_extent, key_offsets
from glassformer.core.interventions.switch import Convention, Setting, Switch, refuse_value
from glassformer.core.model.masks import padding_mask, target_mask
from glassformer.core.trace.address import Address
from glassformer.core.trace.tape import Edit
from glassformer.core.trace.trace import Trace

Cell = tuple[int, int]  # row (query), column (key), from 0
Span = tuple[int, int, int]  # row, first column, last column
Stroke = Literal["hide", "show", "clear"]
Brush = Literal["cell", "row", "column", "band"]
LONGEST = 4096  # cells of a row that can be painted
DECODER_SELF = "decoder/*/self_attention"


@dataclass(frozen=True)
class PaddingOff(Switch, kind="padding_off"):
    """Padding may be looked at, in the encoder and by the decoder (source), or in the target."""

    side: Literal["source", "target"] = "source"
    order: ClassVar[int] = -30

    def edits(self, setting: Setting) -> Sequence[Edit]:
        """Every key of the source; of the target, every key but the future ones."""
        if self.side == "target":
            return [Edit(f"{DECODER_SELF}/mask", _without_padding, self.text)]
        places = ["encoder/*/self_attention"]
        places += ["decoder/*/cross_attention"] * setting.config.has_both
        return [Edit(f"{place}/mask", torch.ones_like, self.text) for place in places]


@dataclass(frozen=True)
class Causal(Parts, kind="causal", slot=("where",)):
    """The causal mask off where it is, the decoder's self-attention, or on where it is not.

    While decoding, off changes what each word sees of those before it; in the recorded pass over
    the whole sentence, a row then sees the words that it is to guess.
    """

    where: str = DECODER_SELF
    on: bool = False
    groups: ClassVar[tuple[str, ...]] = OfHeads.groups
    order: ClassVar[int] = -20

    def edits(self, setting: Setting) -> Sequence[Edit]:
        """On: key ≤ query. Off: every row is the last one, which hides padding alone."""

        def change(mask: Tensor) -> Tensor:  # (B, H, T, S)
            return mask & (key_offsets(mask) <= 0) if self.on else mask[..., -1:, :].expand_as(mask)

        return self.each(setting.config, "/mask", change)


@dataclass(frozen=True)
class Fill(Convention, kind="mask_fill"):
    """How hidden scores are written: −1e9, −∞, or −∞ added (`core.config.MaskFill`)."""

    fill: MaskFill = "minus_infinity"
    settings: ClassVar[Mapping[str, str]] = {"fill": "mask_fill"}


@dataclass(frozen=True)
class Band(OfHeads, kind="band", slot=("where", "heads")):
    """Only keys from `low` to `high` places after the query, of those that one may look at.

    0 to 0 is "only itself", −1 to 1 "only neighbours". Fits every length.
    """

    low: int = 0
    high: int = 0
    order: ClassVar[int] = -10

    def misfit(self) -> str:
        """A `low` above `high`."""
        return "low" if self.low > self.high else ""

    def edits(self, setting: Setting) -> Sequence[Edit]:
        """`mask` (B, H, T, S) and the band."""

        def change(drawn: Tensor) -> Tensor:
            away = key_offsets(drawn)
            return drawn & (away >= self.low) & (away <= self.high)

        return self.in_heads(setting.config, "/mask", change)


@dataclass(frozen=True)
class Lines(OfHeads, kind="lines", slot=("where", "heads")):
    """Whole rows (queries that see nothing) and columns (keys that nobody sees), hidden."""

    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()
    order: ClassVar[int] = -9

    def edits(self, setting: Setting) -> Sequence[Edit]:
        """`mask` (B, H, T, S) without the rows and columns that this length has."""

        def change(drawn: Tensor) -> Tensor:
            drawn[..., [row for row in self.rows if 0 <= row < drawn.size(-2)], :] = False
            drawn[..., [key for key in self.columns if 0 <= key < drawn.size(-1)]] = False
            return drawn

        return self.in_heads(setting.config, "/mask", change)

    def check(self, config: ModelConfig, source: int, target: int) -> None:
        """Raises also for a line that these lengths do not have.

        Raises:
            GlassformerError: `edit_unmatched` for an attention, `out_of_range` for a head,
                `mask_cells_outside` for a row or a column.
        """
        super().check(config, source, target)
        cells = [*((row, 0) for row in self.rows), *((0, column) for column in self.columns)]
        _inside(self, cells, config, source, target)


@dataclass(frozen=True)
class Painted(OfHeads, kind="painted", slot=("where", "heads")):
    """Cells painted by hand: `hidden` ones closed, `shown` ones opened, even if masked.

    Both are spans (row, first column, last column), which `brushed` keeps in order. Cells outside
    of the sentence do nothing; `check` names them.
    Raises `experiment_value` for a span that runs backwards or beyond 4096.
    """

    hidden: tuple[Span, ...] = ()
    shown: tuple[Span, ...] = ()
    order: ClassVar[int] = -8

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, spans in (("hidden", self.hidden), ("shown", self.shown)):
            for span in spans:
                if not (0 <= span[0] < LONGEST and 0 <= span[1] <= span[2] < LONGEST):
                    refuse_value(self.kind, name, span)

    def brushed(self, cells: Sequence[Cell], stroke: Stroke) -> Self:
        """One stroke more over some cells.

        Args:
            cells: (row, column), counted from 0.
            stroke: `hide` closes them, `show` opens them, `clear` gives back the mask as it was.

        Returns:
            A new switch, its spans in reading order.

        Raises:
            GlassformerError: `experiment_value` for a row or a column outside of 0 … 4095.
        """
        touched = set(cells)
        hidden, shown = cells_of(self.hidden) - touched, cells_of(self.shown) - touched
        if stroke == "hide":
            hidden |= touched
        elif stroke == "show":
            shown |= touched
        return replace(self, hidden=spans_of(hidden), shown=spans_of(shown))

    def edits(self, setting: Setting) -> Sequence[Edit]:
        """`mask` (B, H, T, S) with the painted cells of this length."""

        def change(drawn: Tensor) -> Tensor:
            for spans, allowed in ((self.hidden, False), (self.shown, True)):
                for row, first, last in spans:
                    if row < drawn.size(-2):
                        drawn[..., row, first : last + 1] = allowed
            return drawn

        return self.in_heads(setting.config, "/mask", change)

    def check(self, config: ModelConfig, source: int, target: int) -> None:
        """Raises also for the first cell that these lengths do not have.

        Raises:
            GlassformerError: `edit_unmatched` for an attention, `out_of_range` for a head,
                `mask_cells_outside` for a cell.
        """
        super().check(config, source, target)
        spans = (*self.hidden, *self.shown)
        ends = [(row, column) for row, first, last in spans for column in (first, last)]
        _inside(self, ends, config, source, target)


def hidden_words(experiment: Experiment, config: ModelConfig) -> tuple[int, ...]:
    """The words of what was read that nobody sees, in no layer: see `toggle_word`.

    Args:
        experiment: what is switched.
        config: of the model.

    Returns:
        Their places, ascending.
    """
    lines = {each.where: each for each in experiment.switches if _is_of_all_heads(each)}
    hidden = [set(lines[at].columns) if at in lines else set() for at in _readers(config)]
    return tuple(sorted(set.intersection(*hidden)))


def toggle_word(experiment: Experiment, config: ModelConfig, place: int) -> Experiment:
    """Hides a word of what was read from every word of every layer, or shows it again.

    Args:
        experiment: the one before.
        config: of the model.
        place: of the word, from 0.

    Returns:
        A new experiment; whole rows and columns that were hidden at all heads stay.
    """
    hide = place not in hidden_words(experiment, config)
    for where in _readers(config):
        before = next(
            (
                each
                for each in experiment.switches
                if _is_of_all_heads(each) and each.where == where
            ),
            Lines(where),
        )
        columns = {*before.columns, place} if hide else {*before.columns} - {place}
        after = replace(before, columns=tuple(sorted(columns)))
        experiment = experiment.without(before)
        if after.rows or after.columns:
            experiment = experiment.having(after)
    return experiment


def _readers(config: ModelConfig) -> tuple[str, ...]:
    """The attentions that look at what was read, as patterns."""
    if config.has_both:
        return ("encoder/*/self_attention", "decoder/*/cross_attention")
    return ("encoder/*/self_attention",) if config.encoder_layers else (DECODER_SELF,)


def _is_of_all_heads(switch: Switch) -> TypeGuard[Lines]:
    return isinstance(switch, Lines) and not switch.heads


def closed_rows(mask: Tensor) -> tuple[tuple[int, int], ...]:
    """The rows of a mask in which nothing may be looked at.

    Args:
        mask: (1, H, T, S) bool, True where one may look.

    Returns:
        (head, row) of each, counted from 0, head by head.
    """
    closed = (~mask[0].any(dim=-1)).nonzero().tolist()
    return tuple((head, row) for head, row in closed)


def _without_padding(mask: Tensor) -> Tensor:
    """Opens the columns that the last row, which has no future, hides: (B, H, T, T)."""
    padding = ~mask[..., -1:, :]  # (B, H, 1, T)
    return mask | (padding & (key_offsets(mask) <= 0))


def _inside(
    switch: Parts, cells: Sequence[Cell], config: ModelConfig, source: int, target: int
) -> None:
    for place in switch.places(config):
        rows, columns = attention_extent(place, source, target)
        for row, column in cells:
            if not (0 <= row < rows and 0 <= column < columns):
                raise GlassformerError(
                    "mask_cells_outside",
                    address=place, row=row + 1, column=column + 1, rows=rows, columns=columns,
                )  # fmt: skip


@dataclass(frozen=True)
class MaskView:
    """Some heads of an attention: rows are queries, columns keys; bool but for the weights."""

    allowed: Tensor  # (T, S) True where every one of the heads may look
    mixed: Tensor  # (T, S) True where some of them may and others not
    changed: Tensor  # (T, S) True where a head's mask is not the model's own
    own: Tensor  # (T, S) the mask that the model makes from the words
    weights: Tensor  # (T, S) the mean of the heads' weights
    closed: tuple[tuple[int, int], ...]  # (head, row) of the rows with nothing allowed

    @property
    def closed_rows(self) -> tuple[int, ...]:
        """The rows in which at least one of the heads may look nowhere."""
        return tuple(sorted({row for _, row in self.closed}))


def mask_view(trace: Trace, place: str, heads: tuple[int, ...] = ()) -> MaskView:
    """The mask of an attention, of some heads together.

    Args:
        trace: the run that is read.
        place: of the attention, such as `decoder/1/self_attention`.
        heads: counted from 0; () are all of them.

    Returns:
        Where all of them, some of them or none may look, and the mean of their weights, on the CPU.
    """
    mask, weights = (trace[f"{place}/{name}"][0] for name in ("mask", "weights"))
    chosen = list(heads or range(mask.size(0)))
    seen, own = mask[chosen].cpu(), own_mask(trace, place)  # what is drawn is on the CPU
    closed = tuple((chosen[at], row) for at, row in closed_rows(seen[None]))
    return MaskView(
        allowed=seen.all(dim=0),
        mixed=seen.any(dim=0) & ~seen.all(dim=0),
        changed=(seen != own).any(dim=0),
        own=own,
        weights=weights[chosen].mean(dim=0).cpu(),
        closed=closed,
    )


def own_mask(trace: Trace, place: str) -> Tensor:
    """What the model itself allows for the words of a run (§3.2.3): padding, and the causal mask.

    Args:
        trace: the run that is read.
        place: of the attention, such as `decoder/1/self_attention`.

    Returns:
        (T, S) bool, True where one may look, on the CPU.
    """
    at, pad_id = Address.of(place), trace.config.pad_id
    rows, keys = (trace[f"{side}/ids"][:1].cpu() for side in (at.side, at.key_side))  # (1, T)
    if at.is_causal:
        return target_mask(keys, pad_id)[0, 0]
    return padding_mask(keys, pad_id)[0, 0].expand(rows.size(1), -1)


def cells_of(spans: Iterable[Span]) -> set[Cell]:
    """The cells that spans cover.

    Args:
        spans: (row, first column, last column), counted from 0, the last included.

    Returns:
        (row, column) of each.
    """
    return {(row, column) for row, first, last in spans for column in range(first, last + 1)}


def spans_of(cells: Collection[Cell]) -> tuple[Span, ...]:
    """The fewest spans that cover the cells: equal sets, equal spans.

    Args:
        cells: (row, column), counted from 0.

    Returns:
        (row, first column, last column), the last included, in reading order.
    """
    spans: list[Span] = []
    for row, column in sorted(cells):
        if spans and spans[-1][0] == row and spans[-1][2] == column - 1:
            spans[-1] = (row, spans[-1][1], column)
        else:
            spans.append((row, column, column))
    return tuple(spans)


def cells_of_drag(brush: Brush, first: Cell, last: Cell, size: tuple[int, int]) -> tuple[Cell, ...]:
    """The cells of a drag from one cell to another.

    Args:
        brush: `cell` takes their rectangle, `row` and `column` all lines between, `band` all
            diagonals between.
        first: (row, column) where the drag began, counted from 0.
        last: where it ended.
        size: rows and columns of the mask.

    Returns:
        (row, column) of each, in reading order.
    """
    rows, columns = (range(min(ends), max(ends) + 1) for ends in zip(first, last, strict=True))
    if brush in ("column", "band"):
        rows = range(size[0])
    if brush in ("row", "band"):
        columns = range(size[1])
    low, high = sorted((first[1] - first[0], last[1] - last[0]))
    cells = ((row, column) for row in rows for column in columns)
    return tuple(each for each in cells if brush != "band" or low <= each[1] - each[0] <= high)


def add_stroke(
    experiment: Experiment, config: ModelConfig, place: str, heads: tuple[int, ...],
    cells: Sequence[Cell], stroke: Stroke, size: tuple[int, int],
) -> Experiment:  # fmt: skip
    """One stroke over cells of some heads of an attention.

    Args:
        experiment: the one before.
        config: of the model.
        place: of the attention, such as `encoder/0/self_attention`.
        heads: counted from 0; () are all of them.
        cells: (row, column), counted from 0.
        stroke: `hide` closes them, `show` opens them, `clear` gives back the mask as it was.
        size: rows and columns; what was painted beyond them, for a longer sentence, is dropped.

    Returns:
        A new experiment, with one `Painted` for all heads of the attention that are drawn alike.

    Raises:
        GlassformerError: `experiment_value` for a row or a column outside of 0 … 4095.
    """

    def inside(cell: Cell) -> bool:
        return cell[0] < size[0] and cell[1] < size[1]

    drawn = _drawn(experiment, config, place)
    for head in heads or drawn:
        new = drawn[head].brushed(cells, stroke)
        both = (spans_of(list(filter(inside, cells_of(each)))) for each in (new.hidden, new.shown))
        drawn[head] = Painted(place, (), *both)
    return _with_drawn(experiment, config, place, drawn)


def restore_mask(
    experiment: Experiment, config: ModelConfig, place: str, heads: tuple[int, ...]
) -> Experiment:
    """Without what is drawn for some heads of an attention: paint, lines and bands.

    Args:
        experiment: the one before.
        config: of the model.
        place: of the attention, such as `encoder/0/self_attention`.
        heads: counted from 0; () are all of them.

    Returns:
        A new experiment.
    """
    drawn = _drawn(experiment, config, place)
    drawn |= {head: Painted(place) for head in heads or drawn}
    without = _with_drawn(experiment, config, place, drawn)
    return release_heads(
        without, config, (Band, Lines), place, heads or range(config.of(place).n_heads)
    )


def _drawn(experiment: Experiment, config: ModelConfig, place: str) -> dict[int, Painted]:
    """What is painted at an attention, head by head; later strokes win."""
    drawn = {head: Painted(place) for head in range(config.of(place).n_heads)}
    for each in experiment.switches:
        if isinstance(each, Painted) and place in each.holds_at(config):
            for head in each.chosen(config, place):
                hidden, shown = cells_of(each.hidden), cells_of(each.shown)
                drawn[head] = drawn[head].brushed([*hidden], "hide").brushed([*shown], "show")
    return drawn


def _with_drawn(
    experiment: Experiment, config: ModelConfig, place: str, drawn: dict[int, Painted]
) -> Experiment:
    """The experiment with other paint at an attention, where the first paint of it was."""
    kept: list[Switch] = []
    first = None
    for each in experiment.switches:
        if isinstance(each, Painted) and place in (places := each.holds_at(config)):
            first = len(kept) if first is None else first
            kept += [replace(each, where=other) for other in places if other != place]
        else:
            kept.append(each)
    at = len(kept) if first is None else first
    return replace(experiment, switches=(*kept[:at], *_alike(drawn), *kept[at:]))


def _alike(drawn: dict[int, Painted]) -> Iterator[Painted]:
    """One switch for all heads that are painted alike; none for those that are not painted."""
    groups: dict[Painted, list[int]] = {}
    for head, each in drawn.items():
        if each.hidden or each.shown:
            groups.setdefault(each, []).append(head)
    for each, heads in groups.items():
        yield replace(each, heads=() if len(heads) == len(drawn) else tuple(heads))
