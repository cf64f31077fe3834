"""The blocks of the paper's Figure 1: what goes in, what comes out, what each did to the vectors.

A block's id is the address prefix of what it records (`encoder/0/feed_forward`, `memory`), so an
id stays good as long as the addresses do. Blocks follow the config: there is no positions block in
a model without positions, "add & norm" is one block in post-norm and two in pre-norm.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from glassformer.core.analysis.attention_views import entropy
from glassformer.core.analysis.vectors import Numbers, cosines, lengths, quotients, rows_at
from glassformer.core.config import ModelConfig
from glassformer.core.trace.address import ATTENTIONS
from glassformer.core.trace.graph import Stack, inputs, layer_count, layer_end, sublayers
from glassformer.core.trace.tables import as_numpy
from glassformer.core.trace.trace import Trace, once_a_run

Kind = Literal[
    "embedding", "positions", "token_type", "embedding_norm", "layer", "self_attention",
    "cross_attention", "feed_forward", "add_norm", "norm", "add", "final_norm", "memory", "head",
    "linear", "softmax",
]  # fmt: skip


@dataclass(frozen=True)
class Block:
    """One box of the map.

    `before`, `inside` and `after` are the addresses of what goes in, of what the block computes on
    the way ("" without one) and of what comes out. `stream` are the two addresses between which the
    block changed the vectors that pass through it; None where before and after cannot be compared.
    """

    id: str
    kind: Kind
    stack: Stack
    before: str
    inside: str
    after: str
    layer: int | None = None
    stream: tuple[str, str] | None = None

    @property
    def is_attention(self) -> bool:
        return self.kind in ATTENTIONS


def blocks_of_model(config: ModelConfig) -> tuple[Block, ...]:
    """Every block of a model, in computation order; a layer stands before its parts.

    Args:
        config: of the model.

    Returns:
        Encoder, memory, decoder, generator, as far as the model has them.
    """
    return tuple(_blocks(config))


def block_at(config: ModelConfig, block_id: str) -> Block | None:
    """The block that has an id.

    Args:
        config: of the model.
        block_id: the address prefix of what it records, such as `encoder/0/feed_forward`.

    Returns:
        The block; None where this model has none.
    """
    return next((block for block in _blocks(config) if block.id == block_id), None)


def _blocks(config: ModelConfig) -> Iterator[Block]:
    if config.encoder_layers:
        yield from _input(config, "encoder", "source")
        yield from _stack(config, "encoder")
    if config.has_both:
        whole = ("source/input", "memory")
        yield Block("memory", "memory", "encoder", whole[0], "", whole[1], stream=whole)
    if config.decoder_layers:
        yield from _input(config, "decoder", "target")
        yield from _stack(config, "decoder")
    if config.has_generator:
        yield from _output(config, "decoder" if config.decoder_layers else "encoder")


def _output(config: ModelConfig, stack: Stack) -> Iterator[Block]:
    dense, logits, chances = "output/dense", "output/logits", "output/probabilities"
    if config.head_transform:
        before, after = inputs(config, dense)[0], "output/norm/output"
        yield Block(dense, "head", stack, before, "output/activation", after)
    yield Block(logits, "linear", stack, inputs(config, logits)[0], "", logits)
    yield Block(chances, "softmax", stack, logits, "", chances)


def _input(config: ModelConfig, stack: Stack, side: str) -> Iterator[Block]:
    table, scaled, entered = (f"{side}/{name}" for name in ("embedding", "scaled", "input"))
    yield Block(table, "embedding", stack, f"{side}/ids", table, scaled)
    if config.adds_positions:
        place = f"{side}/positions"
        yield Block(place, "positions", stack, scaled, place, entered, stream=(scaled, entered))
    if config.token_types:
        yield Block(
            f"{side}/token_type", "token_type", stack, scaled, f"{side}/token_type", entered
        )
    if config.embedding_norm:
        where, after = f"{side}/norm", f"{side}/norm/output"
        ends = (entered, after)
        normalized = f"{where}/normalized"
        yield Block(where, "embedding_norm", stack, entered, normalized, after, stream=ends)


def _stack(config: ModelConfig, stack: Stack) -> Iterator[Block]:
    for layer in range(layer_count(config, stack)):
        ends = (f"{stack}/{layer}/self_attention_residual/stream", layer_end(config, stack, layer))
        yield Block(f"{stack}/{layer}", "layer", stack, ends[0], "", ends[1], layer, ends)
        for kind in sublayers(config, stack):
            yield from _sublayer(config, stack, layer, kind)
    if config.final_norm:
        where = f"{stack}/norm"
        normalized, after = f"{where}/normalized", f"{where}/output"
        before = inputs(config, normalized)[0]
        yield Block(where, "final_norm", stack, before, normalized, after, None, (before, after))


def _sublayer(config: ModelConfig, stack: Stack, layer: int, kind: Kind) -> Iterator[Block]:
    where = f"{stack}/{layer}/{kind}"
    residual, norm, output = f"{where}_residual", f"{where}_norm", f"{where}/output"
    inside = f"{where}/activation" if kind == "feed_forward" else f"{where}/weights"
    around = (f"{residual}/stream", f"{residual}/summed")
    enters = f"{residual}/branch_input"
    if config.norm_place == "pre":
        ends = (enters, f"{norm}/output")
        yield Block(norm, "norm", stack, enters, f"{norm}/normalized", ends[1], layer, ends)
        yield Block(where, kind, stack, ends[1], inside, output, layer, around)
        yield Block(residual, "add", stack, around[0], output, around[1], layer, around)
    else:
        yield Block(where, kind, stack, enters, inside, output, layer, around)
        ends = (around[1], f"{norm}/output")
        yield Block(norm, "add_norm", stack, around[0], output, ends[1], layer, ends)


@dataclass(frozen=True)
class Change:
    """How one block moved each word's vector; all are Euclidean lengths, one a word (T,)."""

    before: Numbers  # ‖before‖
    moved: Numbers  # ‖after − before‖
    after: Numbers  # ‖after‖
    cosine: Numbers  # of the angle between before and after: 1 is the same direction

    @property
    def ratios(self) -> Numbers:
        """‖after − before‖ / ‖before‖ of each word, (T,); NaN for a word of length 0."""
        return quotients(self.moved, self.before)

    @property
    def ratio(self) -> float:
        """The mean over the words; NaN where one of them has no number."""
        return float(self.ratios.mean())


@dataclass(frozen=True)
class Spread:
    """Mean and standard deviation over the features of each word's vector, (T,) each (§5.4)."""

    mean: Numbers
    std: Numbers


@dataclass(frozen=True)
class Neurons:
    """Which hidden units of a feed-forward network fired: those with an activation above 0."""

    active: Numbers  # (T,) the share that fired for each word, 0..1
    silent: int  # units that fired for no word of the sentence
    width: int  # F, how many there are


def change_by_block(trace: Trace, block: Block) -> Change | None:
    """How far a block moved each word's vector.

    Args:
        trace: the run that is read, its first sentence.
        block: one of its model's.

    Returns:
        Euclidean lengths and cosines, (T,) each; None where before and after are not comparable.
    """
    if block.stream is None:
        return None
    before, after = (rows_at(trace, address) for address in block.stream)  # (T, D) each
    return Change(lengths(before), lengths(after - before), lengths(after), cosines(before, after))


@once_a_run
def ratios(trace: Trace) -> Mapping[str, float]:
    """The mean ‖after − before‖ / ‖before‖ of every block that has one. Read once a run.

    Args:
        trace: the run that is read, its first sentence.

    Returns:
        By block id, the mean over the words; NaN where a word's vector has length 0.
    """
    found = {}
    for block in blocks_of_model(trace.config):
        if block.stream is not None:
            before, after = (rows_at(trace, address) for address in block.stream)  # (T, D) each
            moved = quotients(lengths(after - before), lengths(before))  # (T,)
            found[block.id] = float(moved.mean())
    return found


def feature_spread(trace: Trace, address: str) -> Spread:
    """Mean and standard deviation over the features of each word's vector (§5.4).

    Args:
        trace: the run that is read, its first sentence.
        address: of a (B, T, D) tensor.

    Returns:
        (T,) each, float64; the standard deviation is the population's.

    Raises:
        GlassformerError: `unknown_address` where nothing is recorded there.
    """
    rows = rows_at(trace, address)
    return Spread(rows.mean(axis=1), rows.std(axis=1))


def count_firing(trace: Trace, block: Block) -> Neurons:
    """How many hidden units of a feed-forward network fired: those with an activation above 0.

    Args:
        trace: the run that is read, its first sentence.
        block: a feed-forward block of its model.

    Returns:
        The share of the F units for each word, (T,), and how many fired for none.

    Raises:
        GlassformerError: `unknown_address` for a block without activations.
    """
    fired = rows_at(trace, f"{block.id}/activation") > 0  # (T, F)
    silent = int((~fired.any(axis=0)).sum())
    return Neurons(fired.mean(axis=1), silent, int(fired.shape[1]))


def head_entropies(trace: Trace, block: Block) -> Numbers:
    """The mean entropy of each head's rows of attention weights; 0 looks at one word only.

    Args:
        trace: the run that is read, its first sentence.
        block: an attention block of its model.

    Returns:
        (H,) float64, in nats; NaN for a head with a row that may look nowhere and is NaN.

    Raises:
        GlassformerError: `unknown_address` for a block without attention weights.
    """
    weights = as_numpy(trace[f"{block.id}/weights"][0])  # (H, T, S)
    return entropy(weights).astype(np.float64).mean(axis=-1)


def highest_entropy(trace: Trace, block: Block) -> float:
    """The mean entropy if every row looked at all its allowed words alike.

    Args:
        trace: the run that is read, its first sentence.
        block: an attention block of its model.

    Returns:
        Mean over heads and rows, in nats; a row that may look nowhere counts as 0.

    Raises:
        GlassformerError: `unknown_address` for a block without a mask.
    """
    allowed = as_numpy(trace[f"{block.id}/mask"][0]).sum(axis=-1)  # (H, T)
    return float(np.log(np.maximum(allowed, 1)).mean())
