"""Attention as the screens show it: one head's map, all maps at once and small.

§3.2. Three kinds of attention: `encoder` and `decoder` look at themselves, `cross` looks from the
decoder at the encoder's output. Layers and heads count from 0; head None is the mean of a layer's.
"""

import math
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from glassformer.core.config import ModelConfig
from glassformer.core.text.vocabulary import END
from glassformer.core.trace.address import Address
from glassformer.core.trace.graph import inputs
from glassformer.core.trace.tables import as_numpy
from glassformer.core.trace.trace import Trace, once_a_run

Kind = Literal["encoder", "decoder", "cross"]
Stage = Literal["scores", "scaled", "biased", "masked", "weights"]
Numbers = NDArray[np.float32]

NOTEWORTHY = 0.1  # a smaller weight between words is no example of what a head looks at
THUMBNAIL = 32  # cells a side, at most; more are pooled by maximum
OVERVIEW_CELLS = 72_000  # of all thumbnails together, at most: they travel to the browser
SHORT = 100  # words; longer maps are pooled where the model is
LONG = 128  # words; longer maps are seen through a window
FORBIDDEN = 255  # level of a thumbnail's cell that no query may look at
FIRST_IDS = 8  # among which our own vocabularies have their marks
OWN_MARKS = frozenset({"<pad>", END, "<en>", "<zh>"})
MARKS = frozenset({  # pieces that are no words, of ours and of other people's models
    "<pad>", "<eos>", "<en>", "<zh>", "<s>", "</s>", "[CLS]", "[SEP]", "[PAD]", "<|endoftext|>",
    "<|begin_of_text|>", "<|end_of_text|>", "<|im_start|>", "<|im_end|>", "<|eot_id|>",
    "<|eom_id|>", "<|start_header_id|>", "<|end_header_id|>",
})  # fmt: skip


@dataclass(frozen=True)
class Side:
    """The words along one edge of a map; `sinks` are the positions of marks and punctuation.

    Heads with nothing to say put their weight there, so a large weight on a sink means little.
    A row of the decoder has read its token and is about to write the next one, in `writes`; what it
    writes decides whether it is a sink.
    """

    tokens: tuple[str, ...]
    sinks: frozenset[int]
    writes: tuple[str, ...] = ()
    first: int = 0  # the position of its first word, of a part of a long text

    def part(self, places: range) -> "Side":
        """Some words next to each other, with the sinks among them and what these rows write.

        Args:
            places: their positions, counted from the first word of this side, without gaps.

        Returns:
            The words; its sinks are counted from its own first word, `first` is the start of
            `places`.
        """
        sinks = frozenset(at - places.start for at in self.sinks if at in places)
        cut = slice(places.start, places.stop)
        return Side(self.tokens[cut], sinks, self.writes[cut], places.start)

    @property
    def labels(self) -> tuple[str, ...]:
        """What stands at the edge: the token; of a decoder's row "written (read)"."""
        if not self.writes:
            return self.tokens
        return tuple(map("{} ({})".format, self.writes, self.tokens))


@dataclass(frozen=True)
class HeadMap:
    """One head at one stage, or the mean of a layer's heads."""

    values: Numbers  # (T, S) at the chosen stage
    allowed: NDArray[np.bool_]  # (T, S) True where the query may look (for a mean: in any head)
    weights: Numbers  # (T, S) after the softmax, whatever the stage

    @property
    def entropy(self) -> Numbers:
        """How spread out each row's weights are, (T,) in nats."""
        return entropy(self.weights)

    @property
    def most(self) -> Numbers:
        """The entropy of each row if all its allowed words weighed the same, (T,): log n."""
        choices = np.maximum(self.allowed.sum(axis=1), 1)
        return np.log(choices, dtype=np.float32)


@dataclass(frozen=True)
class HeadMapPart(HeadMap):
    """A window into a large map; how spread out its rows are is that of the whole rows."""

    whole: HeadMap
    rows: slice

    @property
    def entropy(self) -> Numbers:
        """As `HeadMap.entropy`, over all keys."""
        return self.whole.entropy[self.rows]

    @property
    def most(self) -> Numbers:
        """As `HeadMap.most`, over all keys."""
        return self.whole.most[self.rows]


def part_of(view: HeadMap, rows: range, columns: range) -> HeadMap:
    """The window of a map where some rows and columns meet.

    Args:
        view: the map, (T, S).
        rows: the queries, from 0, without gaps.
        columns: the keys, from 0, without gaps.

    Returns:
        The window, whose entropies are those of the whole rows; the map itself where that is all.
    """
    if (len(rows), len(columns)) == view.values.shape:
        return view
    down, across = slice(rows.start, rows.stop), slice(columns.start, columns.stop)
    return HeadMapPart(
        view.values[down, across],
        view.allowed[down, across],
        view.weights[down, across],
        view,
        down,
    )


@dataclass(frozen=True)
class Overview:
    """All maps of one kind, small: a row a layer, a column a head, the heads' mean last.

    `levels` (L, H + 1, ≤ 32, ≤ 32) holds 0–254 for weights of 0–1, 255 for forbidden cells.
    """

    levels: NDArray[np.uint8]

    @property
    def layers(self) -> int:
        """How many layers, L."""
        return int(self.levels.shape[0])

    @property
    def heads(self) -> int:
        """How many heads a layer, H."""
        return int(self.levels.shape[1]) - 1


def attention_at(kind: Kind, layer: int) -> str:
    """The address of one attention, such as `decoder/1/cross_attention`.

    Args:
        kind: which of the attentions.
        layer: counted from 0.

    Returns:
        The address without the name of a tensor.
    """
    stack = "encoder" if kind == "encoder" else "decoder"
    return f"{stack}/{layer}/{'cross' if kind == 'cross' else 'self'}_attention"


def kinds_of(config: ModelConfig) -> tuple[Kind, ...]:
    """The kinds of attention that a model has: three, or that of its only stack.

    Args:
        config: of the model.

    Returns:
        `encoder`, `decoder`, `cross` of an encoder–decoder; one of the first two else.
    """
    if config.has_both:
        return ("encoder", "decoder", "cross")
    return ("encoder",) if config.encoder_layers else ("decoder",)


def stages_of(trace: Trace, kind: Kind) -> tuple[Stage, ...]:
    """The stages of an attention map that a run has, from the scores to the weights.

    Args:
        trace: the run that is read.
        kind: which of the attentions.

    Returns:
        In computation order; `biased` only where distances add to the scores. () for a kind of
        attention that the run does not have.
    """
    stages: tuple[Stage, ...] = ("scores", "scaled", "biased", "masked", "weights")
    return tuple(each for each in stages if f"{attention_at(kind, 0)}/{each}" in trace)


def asks_with(config: ModelConfig, kind: Kind) -> tuple[str, str]:
    """The names under which is recorded what the scores are products of.

    Args:
        config: of the model.
        kind: which of the attentions.

    Returns:
        That of the queries and that of the keys: `q` and `k`, or what a norm or a rotation has made
        of them.
    """
    query, key = inputs(config, f"{attention_at(kind, 0)}/scores")
    return Address.of(query).name, Address.of(key).name


def layers_of(trace: Trace, kind: Kind) -> int:
    """How many layers the stack of an attention has.

    Args:
        trace: the run that is read.
        kind: which of the attentions.

    Returns:
        The encoder's layers for `encoder`, else the decoder's; 0 for a stack that the model does
        not have.
    """
    config = trace.config
    return config.encoder_layers if kind == "encoder" else config.decoder_layers


def marks_of(trace: Trace) -> frozenset[str]:
    """The pieces that are no words: what somebody types is never one of them.

    Args:
        trace: the run that is read, of which the vocabulary counts.

    Returns:
        Our own marks for a vocabulary that begins with them, else those of other people's models.
    """
    return OWN_MARKS if END in trace.vocabulary[:FIRST_IDS] else MARKS


def attention_sides(trace: Trace, kind: Kind) -> tuple[Side, Side]:
    """The words along both edges of a map: who looks, and what is looked at.

    Args:
        trace: the run that is read.
        kind: which of the attentions.

    Returns:
        The rows (T) and the columns (S). In an encoder–decoder a row of the decoder says what it
        writes, too.
    """
    marks = marks_of(trace)
    source = _side(trace.source_tokens, trace.source_pieces, marks)
    target = _side(trace.target_tokens, trace.target_pieces, marks)
    written = _side(trace.output_tokens, trace.output_pieces, marks)
    reading = Side(target.tokens, written.sinks, written.tokens)
    if not trace.config.has_both:  # a text, of which only the end is written here
        reading = target
    rows = source if kind == "encoder" else reading
    return rows, target if kind == "decoder" else source


def head_map(trace: Trace, kind: Kind, layer: int, head: int | None, stage: Stage) -> HeadMap:
    """The attention map of one head at one stage, as recorded.

    Args:
        trace: the run that is read, its first sentence.
        kind: which of the attentions.
        layer: counted from 0.
        head: counted from 0; None for the mean of the layer's heads.
        stage: which of the maps the values are, from the scores to the weights.

    Returns:
        Values, mask and weights, (T, S) each; a mean is allowed where any head may look.

    Raises:
        GlassformerError: `unknown_address` for a kind, a layer or a stage that the run does not
            have.
        IndexError: no such head.
    """
    where = attention_at(kind, layer)
    values, weights = (_head(trace, f"{where}/{name}", head) for name in (stage, "weights"))
    masks = trace[f"{where}/mask"][0]  # (H, T, S)
    return HeadMap(values, as_numpy(masks.any(dim=0) if head is None else masks[head]), weights)


def maps_at(trace: Trace, address: str) -> Tensor:
    """The tensor at an address; what a long run computes anew is kept until the next is asked for.

    A layer's maps are looked at head by head: each of them computed anew would be slow.

    Args:
        trace: the run that is read.
        address: any address; of an attention map (B, H, T, S).

    Returns:
        The whole tensor where the model is, nothing copied: not to be written to.

    Raises:
        GlassformerError: `unknown_address` where nothing is recorded there.
    """
    if address in trace.tensors:
        return trace.tensors[address]
    known: Tensor | None
    name, known = trace.readings.get(maps_at, ("", None))
    if known is None or name != address:
        known = trace[address]
        trace.readings[maps_at] = (address, known)
    return known


@once_a_run
def attention_overview(trace: Trace, kind: Kind, size: int | None = None) -> Overview:
    """Every map of attention weights of a kind as a thumbnail, and the mean of each layer's heads.

    Pooled by maximum, for a sharp head must not vanish. Read once a run.

    Args:
        trace: the run that is read, its first sentence.
        kind: one that the model has.
        size: cells a side, at most; None for what keeps all of them together within
            `OVERVIEW_CELLS`, from 4 to `THUMBNAIL`.

    Returns:
        Levels (L, H + 1, ≤ size, ≤ size), the mean last; for it a cell is forbidden where it is in
        every head.
    """
    layers, heads = layers_of(trace, kind), trace.config.of(kind).n_heads
    fits = math.isqrt(OVERVIEW_CELLS // (layers * (heads + 1)))
    side = size or max(4, min(THUMBNAIL, fits))
    rows = []
    for layer in range(layers):
        where = attention_at(kind, layer)
        weights, mask = maps_at(trace, f"{where}/weights")[0], trace[f"{where}/mask"][0]
        rows.append(_small(weights, mask, side))
    return Overview(np.stack(rows))


def _small(weights: Tensor, mask: Tensor, size: int) -> NDArray[np.uint8]:
    """Maps (H, T, S) of a layer and their mean, small: (H + 1, ≤ size, ≤ size)."""
    mean = weights.mean(dim=0, keepdim=True)  # (1, T, S)
    shared = mask.stride(0) == 0  # one mask for all heads
    allowed = mask[:1] if shared else torch.cat([mask, mask.any(dim=0, keepdim=True)])
    if max(mean.shape[1:]) <= SHORT:
        maps = torch.cat([weights, mean])  # (H + 1, T, S)
        return thumbnail(as_numpy(maps), as_numpy(allowed.expand_as(maps)), size)
    few = torch.cat([_fewer(weights, size), _fewer(mean, size)])
    open_ = _fewer(allowed.to(weights.dtype), size) > 0
    return thumbnail(as_numpy(few), as_numpy(open_.expand_as(few)), size)


def _fewer(maps: Tensor, size: int) -> Tensor:
    """(H, T, S) -> (H, ≤ size, ≤ size) where the model is; the last block may be smaller."""
    blocks = [-(-length // size) for length in maps.shape[1:]]
    return functional.max_pool2d(maps[None], blocks, ceil_mode=True)[0]


def pool_by_maximum(maps: NDArray[np.generic], size: int) -> NDArray[np.generic]:
    """The maximum of each of nearly equal blocks of a map.

    Args:
        maps: (…, T, S), numbers or truth values. A NaN makes its block NaN.
        size: blocks a side, at most; a shorter side stays as it is.

    Returns:
        (…, ≤ size, ≤ size); the array itself where it is small enough.
    """
    for axis in (-2, -1):
        length = maps.shape[axis]
        if length > size:
            starts = np.arange(size) * length // size
            maps = np.maximum.reduceat(maps, starts, axis=axis)
    return maps


def thumbnail(
    weights: Numbers, allowed: NDArray[np.bool_], size: int = THUMBNAIL
) -> NDArray[np.uint8]:
    """Attention weights as the levels of a small picture, pooled by maximum.

    Args:
        weights: (…, T, S), 0..1; a NaN makes its block 0.
        allowed: (…, T, S), True where the query may look.
        size: cells a side, at most.

    Returns:
        (…, ≤ size, ≤ size): levels 0–254 for weights of 0–1, `FORBIDDEN` where none is allowed.
    """
    levels = np.rint(np.nan_to_num(pool_by_maximum(weights, size)) * (FORBIDDEN - 1)).astype(
        np.uint8
    )
    return np.where(pool_by_maximum(allowed, size), levels, np.uint8(FORBIDDEN)).astype(np.uint8)


def entropy(weights: Numbers) -> Numbers:
    """The entropy of each row of weights, −Σ w log w.

    0 is one word, log n is all n equal. A row that may look nowhere and is NaN stays NaN.

    Args:
        weights: (…, T, S), each row sums to 1.

    Returns:
        (…, T) float32, in nats.
    """
    exact = weights.astype(np.float64)
    terms = np.where(exact > 0, -exact * np.log(np.where(exact > 0, exact, 1)), exact * 0)
    return np.maximum(terms.sum(axis=-1), 0).astype(np.float32)


def strongest_cell(weights: Numbers, rows: Side, columns: Side) -> tuple[int, int]:
    """The cell with the largest weight between words; of all where that is below `NOTEWORTHY`.

    Args:
        weights: (T, S) attention weights.
        rows: the words that look, T.
        columns: the words that are looked at, S.

    Returns:
        (query, key), from 0.
    """
    query, key = largest_cell(of_words(weights, columns, rows))
    return (query, key) if weights[query, key] >= NOTEWORTHY else largest_cell(weights)


def largest_cell(weights: NDArray[Any]) -> tuple[int, int]:
    """The cell with the largest weight of all.

    Args:
        weights: (T, S); NaN counts as −1.

    Returns:
        (query, key), from 0; of equal weights the first in reading order.
    """
    query, key = np.unravel_index(np.nan_to_num(weights, nan=-1.0).argmax(), weights.shape)
    return int(query), int(key)


def strongest_partner(weights: Numbers, query: int | None = None, key: int | None = None) -> int:
    """The key that a query looks at most, or the query that looks at a key most.

    Args:
        weights: (T, S); NaN counts as −1.
        query: the row that is searched, from 0; None to search a column.
        key: the column that is searched, from 0; counts only where `query` is None.

    Returns:
        The position in that row or column, from 0; of equal weights the first.
    """
    line = weights[query] if query is not None else weights[:, key]
    return int(np.nan_to_num(line, nan=-1.0).argmax())


def of_words(
    weights: NDArray[Any], columns: Side, rows: Side | None = None, itself: int | None = None
) -> NDArray[np.float64]:
    """The weights between words: −2 stands from and to marks and punctuation, −1 for NaN.

    A side that has sinks alone is left as it is.

    Args:
        weights: (…, S); (T, S) with `rows`. It is not changed.
        columns: the words that are looked at, S.
        rows: the words that look, T; None leaves all rows as they are.
        itself: a key, from 0, whose weight becomes −2 as well: that of the word itself; None for
            none.

    Returns:
        As `weights`, a copy in float64.
    """
    left = np.nan_to_num(weights.astype(np.float64), nan=-1.0)
    if len(columns.sinks) < len(columns.tokens):
        left[..., sorted(columns.sinks)] = -2.0
    if rows is not None and len(rows.sinks) < len(rows.tokens):
        left[sorted(rows.sinks)] = -2.0
    if itself is not None:
        left[..., itself] = -2.0
    return left


def _side(tokens: tuple[str, ...], pieces: tuple[str, ...], marks: frozenset[str]) -> Side:
    # By piece, not by token: an "<eos>" that the reader typed is an ordinary word.
    pairs = zip(tokens, pieces, strict=True)
    sinks = [at for at, (token, piece) in enumerate(pairs) if piece in marks or _only_signs(token)]
    return Side(tokens, frozenset(sinks))


@lru_cache(maxsize=4096)
def _only_signs(token: str) -> bool:
    signs = token.strip()
    return bool(signs) and all(unicodedata.category(letter)[0] == "P" for letter in signs)


def _head(trace: Trace, address: str, head: int | None) -> Numbers:
    maps = maps_at(trace, address)[0]  # (H, T, S), where the model is
    return as_numpy(maps).mean(axis=0) if head is None else as_numpy(maps[head])
