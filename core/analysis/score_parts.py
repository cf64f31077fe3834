"""Why a head looks there: one score as the exact sum of (who wrote the query) × (who the key).

§3.2.1: a score is a product of two vectors, and each of them is linear in what stands in the
residual stream at its word: the word's own vector, its position, what every head and every
feed-forward network before it wrote, shifts and biases. Norms on the way are linear once their
statistics are those of this run; rotary positions are linear as they are. So the score is the sum
over all pairs of a writer of the query and a writer of the key, but for rounding, in every family.

The softmax compares a score with the others of its row alone: what is the same for all keys of a
row moves no weight. So each part is also given against its mean over the keys that the query may
look at. The sum does not say what another part would have written in a part's place, nor what
would have happened with other statistics: take it away (`core.interventions`) and see.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import torch
from torch import Tensor, nn

from glassformer.core.errors import GlassformerError, check_index
from glassformer.core.model.attention import MultiHeadAttention
from glassformer.core.model.device import to_float64
from glassformer.core.model.layer_norm import NORM_DIVISORS, LayerNorm
from glassformer.core.model.rms_norm import RMSNorm
from glassformer.core.model.rotary import rotate_heads
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.address import Address
from glassformer.core.trace.graph import Stack, layer_count, sublayers
from glassformer.core.trace.results import Result
from glassformer.core.trace.trace import Trace

if TYPE_CHECKING:
    import pandas as pd

WriterName = Literal[
    "embedding", "positions", "token_type", "head", "attention_bias", "feed_forward",
    "feed_forward_bias", "norm_shift", "bias", "switched",
]  # fmt: skip


@dataclass(frozen=True)
class Writer:
    """One part of the model that wrote into a query or a key; `address` is what it wrote."""

    name: WriterName
    address: str
    head: int | None = None

    def __str__(self) -> str:
        head = "" if self.head is None else f" head {self.head}"
        return f"{self.address}{head}"


@dataclass(frozen=True)
class ScorePart:
    """What one writer of the query and one writer of the key add to a score together.

    value: in the units that the softmax compares. against_mean: less the mean of the same part over
    the keys of the row. query and key are None for what the distance of the words adds (T5).
    """

    query: Writer | None
    key: Writer | None
    value: float
    against_mean: float


@dataclass(frozen=True, repr=False)
class ScoreParts(Result):
    """One score as a sum of parts, I writers of the query and J writers of the key."""

    place: str
    head: int
    at: tuple[int, int]  # query and key, from 0
    score: float  # as recorded, what the softmax compares: divided by √d_k, with the distance
    row_mean: float  # the mean of the recorded scores over the keys that the query may look at
    query_writers: tuple[Writer, ...]  # I
    key_writers: tuple[Writer, ...]  # J
    values: Tensor = field(repr=False)  # (I, J) float64
    means: Tensor = field(repr=False)  # (I, J) float64, each part's mean over the row
    distance: float = 0.0  # what the distance of the two words adds (T5)
    distance_mean: float = 0.0

    @property
    def error(self) -> float:
        """How far the sum of the parts is from the recorded score: rounding, no more."""
        return abs(float(self.values.sum()) + self.distance - self.score)

    @property
    def difference(self) -> float:
        """The recorded score less the mean of its row: what the softmax sees of it."""
        return self.score - self.row_mean

    @property
    def parts(self) -> tuple[ScorePart, ...]:
        """All parts, the largest against the row's mean first."""
        apart = self.values - self.means
        found = [
            ScorePart(one, other, float(self.values[i, j]), float(apart[i, j]))
            for i, one in enumerate(self.query_writers)
            for j, other in enumerate(self.key_writers)
        ]
        if self.distance or self.distance_mean:
            apart_by = self.distance - self.distance_mean
            found.append(ScorePart(None, None, self.distance, apart_by))
        return tuple(sorted(found, key=lambda part: -abs(part.against_mean)))

    def headline(self) -> str:
        """The score, its row's mean, and how many parts there are."""
        there = f"{self.place} head {self.head}, query {self.at[0]}, key {self.at[1]}"
        return f"{there}: score {self.score:.4g}, its row's mean {self.row_mean:.4g}"

    def table(self) -> pd.DataFrame:
        """A row a part: who wrote the query, who the key, what they add, and against the mean.

        Returns:
            Columns `query_writer`, `key_writer`, `adds`, `against_mean`; the largest part against
            the row's mean first.
        """
        import pandas as pd  # slow to import, and no page needs it to begin

        rows = [
            {
                "query_writer": str(part.query or "distance"),
                "key_writer": str(part.key or "distance"),
                "adds": part.value,
                "against_mean": part.against_mean,
            }
            for part in self.parts
        ]
        return pd.DataFrame(rows)


@dataclass(frozen=True)
class ScoreWriters:
    """One query of one head and all its keys, taken apart by what wrote them.

    query: (I, K) float64, divided by √d_k where the model does so. keys: (J, S, K) float64.
    """

    place: str
    head: int
    row: int
    query_writers: tuple[Writer, ...]
    key_writers: tuple[Writer, ...]
    query: Tensor = field(repr=False)
    keys: Tensor = field(repr=False)
    scores: Tensor = field(repr=False)  # (S,) float64, as recorded
    distances: Tensor = field(repr=False)  # (S,) float64, what distances add; 0 where they do not
    allowed: Tensor = field(repr=False)  # (S,) bool

    def of_key(self, key: int) -> ScoreParts:
        """The score of one key, part by part.

        Args:
            key: the position that is looked at, from 0.

        Returns:
            The parts, which add up to the recorded score but for rounding.

        Raises:
            GlassformerError: `out_of_range` for a key beyond the end.
        """
        check_index("key", key, len(self.scores))
        seen = self.allowed if bool(self.allowed.any()) else torch.ones_like(self.allowed)
        mean = self.keys[:, seen].mean(dim=1)  # (J, K)
        return ScoreParts(
            place=self.place,
            head=self.head,
            at=(self.row, key),
            score=float(self.scores[key]),
            row_mean=float(self.scores[seen].mean()),
            query_writers=self.query_writers,
            key_writers=self.key_writers,
            values=self.query @ self.keys[:, key].T,  # (I, J)
            means=self.query @ mean.T,
            distance=float(self.distances[key]),
            distance_mean=float(self.distances[seen].mean()),
        )


def score_writers(
    trace: Trace, model: Transformer, place: str, head: int, query: int
) -> ScoreWriters:
    """One query of a head and all its keys, each as the sum of what wrote it.

    Costs two walks from the attention down to the words, with a matrix of K rows in place of a
    vector: of the bundled model about ten milliseconds, whatever number of keys is asked later.

    Args:
        trace: the run that is read, its first sentence.
        model: the one that made the run (of a run with other conventions, the model that has them).
        place: an attention, such as `decoder/1/cross_attention`.
        head: of the queries, from 0.
        query: the position that looks, from 0.

    Returns:
        Writers and vectors; their products are the scores that the run recorded.

    Raises:
        GlassformerError: `unknown_address` for a place that is no attention of this model,
            `out_of_range` for a head or a query that does not exist.
    """
    at = Address.of(place)
    if not at.is_attention or f"{place}/q" not in trace:
        raise GlassformerError("unknown_address", address=place, nearest=_attentions(trace))
    config = trace.config.of(place)
    check_index("head", head, config.n_heads)
    check_index("query", query, trace[f"{place}/q"].size(-2))
    asked = _written(trace, model, place, "q", head, slice(query, query + 1))
    answers = _written(trace, model, place, "k", config.key_head(head), slice(None))
    scale = math.sqrt(config.d_k) if config.score_scale else 1.0
    biased = f"{place}/biased" in trace
    scores = to_float64(trace[f"{place}/{'biased' if biased else 'scaled'}"][0, head, query])
    distances = torch.zeros_like(scores)
    if biased:
        distances = to_float64(trace[f"{place}/position_bias"][0, head, query])
    return ScoreWriters(
        place=place,
        head=head,
        row=query,
        query_writers=asked[0],
        key_writers=answers[0],
        query=asked[1][:, 0] / scale,
        keys=answers[1],
        scores=scores,
        distances=distances,
        allowed=trace[f"{place}/mask"][0, head, query].cpu(),
    )


def score_parts(
    trace: Trace, model: Transformer, place: str, head: int, query: int, key: int
) -> ScoreParts:
    """One attention score as the sum over (what wrote the query) × (what wrote the key).

    After Elhage et al. 2021 ("A Mathematical Framework for Transformer Circuits"), who write the
    score of two paths through the model as a product; here all paths of length one, with the norms
    of this run, for any family. A part above 0 makes the query look at the key more.

    It does not establish that the head needs a part: it is a reading of one run, with the norms'
    statistics held. Costs as `score_writers`.

    Args:
        trace: the run that is read, its first sentence.
        model: the one that made the run.
        place: an attention, such as `encoder/1/self_attention`.
        head: of the queries, from 0.
        query: the position that looks, from 0.
        key: the position that is looked at, from 0.

    Returns:
        The parts, each also against its mean over the row.

    Raises:
        GlassformerError: as `score_writers`; `out_of_range` for a key beyond the end.
    """
    return score_writers(trace, model, place, head, query).of_key(key)


def _attentions(trace: Trace) -> str:
    return ", ".join(dict.fromkeys(Address.of(each).place for each in trace if each.endswith("/q")))


def _written(
    trace: Trace, model: Transformer, place: str, letter: str, head: int, rows: slice
) -> tuple[tuple[Writer, ...], Tensor]:
    """Who wrote the queries (`q`) or keys (`k`) of a head at some rows: N writers, (N, rows, K)."""
    at, config = Address.of(place), trace.config.of(place)
    attention = model.get_submodule(at.module)
    assert isinstance(attention, MultiHeadAttention)
    linear = attention.w_q if letter == "q" else attention.w_k
    cut = slice(head * config.d_k, (head + 1) * config.d_k)
    recorded = to_float64(trace[f"{place}/{letter}"][0, head, rows])  # (rows, K)
    walk = _Walk(trace, model, rows, len(recorded), to_float64(linear.weight[cut]))
    if linear.bias is not None:
        walk.add(Writer("bias", f"{place}/{letter}"), to_float64(linear.bias[cut])[None])
    if at.is_cross and letter == "k":
        walk.whole("encoder")
    else:
        if config.norm_place == "pre":
            walk.norm(f"{place}_norm")
        walk.before(at)
    if trace.edits:
        rest = recorded - torch.stack(walk.vectors).sum(dim=0)
        walk.add(Writer("switched", f"{place}/{letter}"), rest)
    vectors = torch.stack(walk.vectors)  # (N, rows, K)
    normed = attention.turned.q_norm if letter == "q" else attention.turned.k_norm
    if normed is not None:
        vectors = _normed_as_recorded(vectors, recorded, normed)
    if attention.turned.rotates:
        vectors = rotate_heads(vectors, rows.start or 0, config)
    return tuple(walk.writers), vectors


def _normed_as_recorded(vectors: Tensor, recorded: Tensor, norm: RMSNorm) -> Tensor:
    """Each head's own norm (Qwen3) with the mean square of what the run recorded before it."""
    square = recorded.square().mean(dim=-1, keepdim=True)  # (rows, 1)
    return vectors * to_float64(norm.gamma) / (square + norm.epsilon).sqrt()


class _Walk:
    """From an attention down to the words, with the map that takes a vector there to the head.

    A norm is that map times γ, without its mean, over a number a row: so one map of (K, D) does for
    all rows, with a factor for each.
    """

    def __init__(
        self, trace: Trace, model: Transformer, rows: slice, count: int, weight: Tensor
    ) -> None:
        self.trace, self.model, self.rows, self.count = trace, model, rows, count
        self.weight = weight  # (K, D)
        self.factor = torch.ones(1, 1, dtype=torch.float64)  # (rows, 1)
        self.writers: list[Writer] = []
        self.vectors: list[Tensor] = []  # (rows, K) each

    def add(self, writer: Writer, vectors: Tensor) -> None:
        """A writer, and what it is in the query or key: (rows, K), (1, K) where all are alike."""
        self.writers.append(writer)
        self.vectors.append(vectors.expand(self.count, -1))

    def before(self, at: Address) -> None:
        """All that wrote into the stream that a sub-layer reads."""
        stack: Stack = "encoder" if at.stack == "encoder" else "decoder"
        names = [str(each) for each in sublayers(self.trace.config, stack)]
        for name in reversed(names[: names.index(at.sublayer)]):
            self.sublayer(f"{stack}/{at.layer}/{name}")
        self.layers(stack, at.layer or 0)

    def whole(self, stack: Stack) -> None:
        """All that wrote into what leaves a stack."""
        if self.trace.config.final_norm:
            self.norm(f"{stack}/norm")
        self.layers(stack, layer_count(self.trace.config, stack))

    def layers(self, stack: Stack, count: int) -> None:
        """The first layers of a stack, the last of them first, and what enters it."""
        for layer in reversed(range(count)):
            for name in reversed(sublayers(self.trace.config, stack)):
                self.sublayer(f"{stack}/{layer}/{name}")
        config, side = self.trace.config, "source" if stack == "encoder" else "target"
        if config.embedding_norm:
            self.norm(f"{side}/norm")
        names: dict[WriterName, bool] = {
            "token_type": config.token_types > 0, "positions": config.adds_positions,
        }  # fmt: skip
        for entering, there in names.items():
            if there:
                self.stream(Writer(entering, f"{side}/{entering}"), f"{side}/kept")
        self.stream(Writer("embedding", f"{side}/scaled"), f"{side}/kept")

    def sublayer(self, place: str) -> None:
        """What a sub-layer wrote; its own norm comes behind it in post-norm."""
        if self.trace.config.norm_place == "post":
            self.norm(f"{place}_norm")
        kept = f"{place}_residual/kept"
        module = self.model.get_submodule(Address.of(place).module)
        if isinstance(module, MultiHeadAttention):
            self.heads(place, module, kept)
            self.bias("attention_bias", place, module.w_o.bias, kept)
            return
        linear = module.get_submodule("w_2")
        assert isinstance(linear, nn.Linear)
        bias: Tensor | None = linear.bias
        wrote = self.rows_of(f"{place}/output")
        if bias is not None:
            wrote = wrote - to_float64(bias)
        self.add(Writer("feed_forward", f"{place}/output"), self.arrived(self.thinned(wrote, kept)))
        self.bias("feed_forward_bias", place, bias, kept)

    def heads(self, place: str, attention: MultiHeadAttention, kept: str) -> None:
        """Each head through its columns of W^O."""
        width = attention.config.d_k
        matrix = to_float64(attention.w_o.weight)  # (D, H · K)
        contexts = to_float64(self.trace[f"{place}/context"][0][:, self.rows])  # (H, rows, K)
        through = self.weight @ matrix  # (K, H · K)
        for head, context in enumerate(contexts):
            cut = slice(head * width, (head + 1) * width)
            if kept in self.trace:
                wrote = self.arrived(self.thinned(context @ matrix[:, cut].T, kept))
            else:
                wrote = context @ through[:, cut].T * self.factor
            self.add(Writer("head", f"{place}/context", head), wrote)

    def norm(self, place: str) -> None:
        """The map before a norm whose statistics are held as the run recorded them."""
        module = self.model.get_submodule(Address.of(f"{place}/output").module)
        gamma = to_float64(module.get_parameter("gamma"))
        if isinstance(module, LayerNorm):
            self.add(Writer("norm_shift", f"{place}/output"), self.arrived(to_float64(module.beta)))
            divisor = NORM_DIVISORS[module.formula].spread
            deviations = self.rows_of(f"{place}/std").flatten().tolist()
            divisors = [divisor(each, module.epsilon) for each in deviations]
            self.factor = self.factor / torch.tensor(divisors, dtype=torch.float64)[:, None]
            scaled = self.weight * gamma
            self.weight = scaled - scaled.mean(dim=-1, keepdim=True)
            return
        assert isinstance(module, RMSNorm)
        square = self.rows_of(f"{place}/mean_square")  # (rows, 1)
        self.factor = self.factor / (square + module.epsilon).sqrt()
        self.weight = self.weight * gamma

    def bias(self, name: WriterName, place: str, bias: Tensor | None, kept: str) -> None:
        """What a bias adds; nothing for a layer without."""
        if bias is not None:
            wrote = self.thinned(to_float64(bias).expand(self.count, -1), kept)
            self.add(Writer(name, f"{place}/output"), self.arrived(wrote))

    def stream(self, writer: Writer, kept: str) -> None:
        """What was recorded as a part of the stream."""
        self.add(writer, self.arrived(self.thinned(self.rows_of(writer.address), kept)))

    def arrived(self, vectors: Tensor) -> Tensor:
        """What vectors (rows, D) of the stream are in the query or key: (rows, K)."""
        return vectors @ self.weight.T * self.factor

    def thinned(self, vectors: Tensor, kept: str) -> Tensor:
        """What dropout left of vectors (rows, D); all of it in a run without."""
        if kept not in self.trace:
            return vectors
        return vectors * self.rows_of(kept) / (1 - self.trace.config.dropout)

    def rows_of(self, address: str) -> Tensor:
        tensor = self.trace[address]
        return to_float64((tensor[0] if tensor.dim() == 3 else tensor)[self.rows])
