"""Attention as the screens show it: one head's map, all maps at once and small, one cell in full.

§3.2. Three kinds of attention: `encoder` and `decoder` look at themselves, `cross` looks from the
decoder at the encoder's output. Layers and heads count from 0; head None is the mean of a layer's.
"""

import math
import unicodedata
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from core.config import ModelConfig
from core.errors import check_index
from core.trace.tables import as_numpy
from core.trace.trace import Trace

Kind = Literal["encoder", "decoder", "cross"]
Stage = Literal["scores", "scaled", "masked", "weights"]
Numbers = NDArray[np.float32]

NOTEWORTHY = 0.1  # a smaller weight between words is no example of what a head looks at
THUMBNAIL = 32  # cells a side, at most; more are pooled by maximum
FORBIDDEN = 255  # level of a thumbnail's cell that no query may look at
_MARKS = frozenset({"<pad>", "<eos>", "<en>", "<zh>"})


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
    """The address of one attention, such as `decoder/1/cross_attention`."""
    stack = "encoder" if kind == "encoder" else "decoder"
    return f"{stack}/{layer}/{'cross' if kind == 'cross' else 'self'}_attention"


def kinds_of(config: ModelConfig) -> tuple[Kind, ...]:
    """The kinds of attention that a model has: three, or that of its only stack."""
    if config.has_both:
        return ("encoder", "decoder", "cross")
    return ("encoder",) if config.encoder_layers else ("decoder",)


def layers_of(trace: Trace, kind: Kind) -> int:
    """How many layers have this kind of attention."""
    config = trace.config
    return config.encoder_layers if kind == "encoder" else config.decoder_layers


def sides(trace: Trace, kind: Kind) -> tuple[Side, Side]:
    """Who looks (the rows, T) and what is looked at (the columns, S)."""
    source = _side(trace.source_tokens, trace.source_pieces)
    target = _side(trace.target_tokens, trace.target_pieces)
    written = _side(trace.output_tokens, trace.output_pieces)
    reading = Side(target.tokens, written.sinks, written.tokens)
    rows = source if kind == "encoder" else reading
    return rows, target if kind == "decoder" else source


def head_map(trace: Trace, kind: Kind, layer: int, head: int | None, stage: Stage) -> HeadMap:
    """The numbers of one head at one stage, as recorded."""
    where = attention_at(kind, layer)
    values, weights = (_head(trace, f"{where}/{name}", head) for name in (stage, "weights"))
    masks = trace[f"{where}/mask"][0]  # (H, T, S)
    return HeadMap(values, as_numpy(masks.any(dim=0) if head is None else masks[head]), weights)


def overview(trace: Trace, kind: Kind, size: int = THUMBNAIL) -> Overview:
    """Every map of a kind, pooled by maximum, for a sharp head must not vanish."""
    rows = []
    for layer in range(layers_of(trace, kind)):
        where = attention_at(kind, layer)
        weights, mask = (as_numpy(trace[f"{where}/{name}"][0]) for name in ("weights", "mask"))
        maps = np.concatenate([weights, weights.mean(axis=0, keepdims=True)])  # (H + 1, T, S)
        allowed = np.concatenate([mask, mask.any(axis=0, keepdims=True)])
        rows.append(thumbnail(maps, allowed, size))
    return Overview(np.stack(rows))


def pooled(maps: NDArray[np.generic], size: int) -> NDArray[np.generic]:
    """(…, T, S) -> (…, ≤ size, ≤ size): the maximum of each of nearly equal blocks."""
    for axis in (-2, -1):
        length = maps.shape[axis]
        if length > size:
            starts = np.arange(size) * length // size
            maps = np.maximum.reduceat(maps, starts, axis=axis)
    return maps


def thumbnail(
    weights: Numbers, allowed: NDArray[np.bool_], size: int = THUMBNAIL
) -> NDArray[np.uint8]:
    """Maps (…, T, S), small: levels 0–254 for weights of 0–1, `FORBIDDEN` where none is allowed."""
    levels = np.rint(np.nan_to_num(pooled(weights, size)) * (FORBIDDEN - 1)).astype(np.uint8)
    return np.where(pooled(allowed, size), levels, np.uint8(FORBIDDEN)).astype(np.uint8)


def entropy(weights: Numbers) -> Numbers:
    """−Σ w log w of each row, (…, T, S) -> (…, T) in nats: 0 is one word, log n is all n equal.

    A row that may look nowhere and is NaN stays NaN.
    """
    exact = weights.astype(np.float64)
    terms = np.where(exact > 0, -exact * np.log(np.where(exact > 0, exact, 1)), exact * 0)
    return np.maximum(terms.sum(axis=-1), 0).astype(np.float32)


def strongest_cell(weights: Numbers, rows: Side, columns: Side) -> tuple[int, int]:
    """(query, key) of the largest weight between words; of all where that is below `NOTEWORTHY`."""
    query, key = largest_cell(of_words(weights, columns, rows))
    return (query, key) if weights[query, key] >= NOTEWORTHY else largest_cell(weights)


def largest_cell(weights: NDArray[Any]) -> tuple[int, int]:
    """(query, key) of the largest weight of all."""
    query, key = np.unravel_index(np.nan_to_num(weights, nan=-1.0).argmax(), weights.shape)
    return int(query), int(key)


def partner(weights: Numbers, query: int | None = None, key: int | None = None) -> int:
    """The key that a query looks at most, or the query that looks at a key most."""
    line = weights[query] if query is not None else weights[:, key]
    return int(np.nan_to_num(line, nan=-1.0).argmax())


def of_words(
    weights: NDArray[Any], columns: Side, rows: Side | None = None, itself: int | None = None
) -> NDArray[np.float64]:
    """The weights (…, S), −2 from and to marks and punctuation and to the word `itself`; NaN −1."""
    left = np.nan_to_num(weights.astype(np.float64), nan=-1.0)
    if len(columns.sinks) < len(columns.tokens):
        left[..., sorted(columns.sinks)] = -2.0
    if rows is not None and len(rows.sinks) < len(rows.tokens):
        left[sorted(rows.sinks)] = -2.0
    if itself is not None:
        left[..., itself] = -2.0
    return left


def _side(tokens: tuple[str, ...], pieces: tuple[str, ...]) -> Side:
    # By piece, not by token: an "<eos>" that the reader typed is an ordinary word.
    pairs = zip(tokens, pieces, strict=True)
    sinks = [at for at, (token, piece) in enumerate(pairs) if piece in _MARKS or _only_signs(token)]
    return Side(tokens, frozenset(sinks))


def _only_signs(token: str) -> bool:
    return bool(token) and all(unicodedata.category(letter)[0] == "P" for letter in token)


def _head(trace: Trace, address: str, head: int | None) -> Numbers:
    maps = trace[address][0]  # (H, T, S), where the model is
    return as_numpy(maps).mean(axis=0) if head is None else as_numpy(maps[head])


@dataclass(frozen=True)
class Terms:
    """How much one query looks at one key, in one head.

    The sum of `products` is `score` up to float32 rounding; every other number is as recorded.
    """

    q: Numbers  # (K,)
    k: Numbers  # (K,)
    score: float  # q · k
    scaled: float  # q · k / √K
    allowed: bool
    masked: float  # `scaled`, or what the mask writes where looking is forbidden
    weight: float  # softmax over the row
    row: Numbers  # (S,) the masked scores of all keys, which the softmax compares

    @property
    def products(self) -> Numbers:
        """q_i · k_i of each dimension, (K,)."""
        return self.q * self.k

    def order(self, by: str) -> list[int]:
        """The dimensions, by "dimension" or by the size of their product, "largest" first."""
        if by == "dimension":
            return list(range(self.q.size))
        return [int(at) for at in np.argsort(-np.abs(self.products), kind="stable")]

    @property
    def numerator(self) -> float:
        """exp(masked): what the softmax puts above the line; ∞ for a score beyond 709."""
        return _exp_sum(np.float64(self.masked))

    @property
    def denominator(self) -> float:
        """The row's sum of exp(masked): what the softmax puts below the line."""
        return _exp_sum(self.row.astype(np.float64))


def terms(trace: Trace, kind: Kind, layer: int, head: int, query: int, key: int) -> Terms:
    """The numbers of one cell; counts from 0. Raises `out_of_range` beyond the sentence."""
    where = attention_at(kind, layer)
    q, k, scores, scaled, mask, masked, weights = (
        trace[f"{where}/{name}"][0, head]  # where the model is
        for name in ("q", "k", "scores", "scaled", "mask", "masked", "weights")
    )
    for name, index, size in (("query", query, len(q)), ("key", key, len(k))):
        check_index(name, index, size)
    return Terms(
        q=as_numpy(q[query]),
        k=as_numpy(k[key]),
        score=float(scores[query, key]),
        scaled=float(scaled[query, key]),
        allowed=bool(mask[query, key]),
        masked=float(masked[query, key]),
        weight=float(weights[query, key]),
        row=as_numpy(masked[query]),
    )


@dataclass(frozen=True)
class CellOfHeads:
    """One cell at one stage in each head of a layer."""

    values: Numbers  # (H,) as recorded; where forbidden, from the mask on, no score but its fill
    forbidden: NDArray[np.bool_]  # (H,) True where the mask has already struck the cell out

    @property
    def mean(self) -> float:
        """The mean over the heads, NaN where one of them is forbidden."""
        return math.nan if self.forbidden.any() else float(self.values.mean())


def cell_of_heads(
    trace: Trace, kind: Kind, layer: int, stage: Stage, query: int, key: int
) -> CellOfHeads:
    """The numbers of one cell at a stage; before the mask (scores, scaled) nothing is forbidden."""
    where = attention_at(kind, layer)
    values: Numbers = as_numpy(trace[f"{where}/{stage}"][0][:, query, key])
    mask = as_numpy(trace[f"{where}/mask"][0][:, query, key])  # (H,)
    struck = ~mask & (stage in ("masked", "weights"))
    return CellOfHeads(values, np.broadcast_to(struck, values.shape))


def _exp_sum(scores: np.float64 | NDArray[np.float64]) -> float:
    with np.errstate(over="ignore"):
        return float(np.exp(scores).sum())
