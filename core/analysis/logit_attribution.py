"""Direct logit attribution: how much each part of the model wrote for a word, exactly.

§3.1: what leaves the last stack is a sum of what the embedding, every head (through its columns of
W^O), every unit of every feed-forward network and every bias wrote; times the word's row of the
generator that sum is its logit. A norm between a part and the word is linear once its statistics
are frozen: the deviation (or root mean square) of this run is held, the mean is taken off each part
by itself. In post-norm every norm on the way is frozen in turn, in BERT's head also the share that
its activation lets through. So the parts add up to the logit, whatever the family; what they would
have been with other statistics they do not say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np
import torch
from torch import Tensor, nn

from glassformer.core.analysis.vectors import Numbers, row_at
from glassformer.core.errors import GlassformerError, check_index
from glassformer.core.model.activation import ACTIVATIONS
from glassformer.core.model.device import in_widest
from glassformer.core.model.layer_norm import NORM_DIVISORS, LayerNorm
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.address import Address
from glassformer.core.trace.graph import Stack, layer_count, sublayers
from glassformer.core.trace.tables import exact_numbers
from glassformer.core.trace.trace import Trace

if TYPE_CHECKING:
    import pandas as pd

PartName = Literal[
    "embedding", "positions", "token_type", "head", "attention_bias", "feed_forward",
    "feed_forward_bias", "norm_shift", "head_bias", "generator_bias", "switched",
]  # fmt: skip
EQUATIONS = {
    "sum": r"z_w = \sum_{\text{parts}} c_j + b_w",
    "head": r"c_{l,h} = (A_h V_h)_t\, W^O_h \cdot d_l",
    "unit": r"c_{l,i} = a_{t,i}\, W_{2,i} \cdot d_l",
    "layer": r"d \leftarrow \frac{\gamma \odot d}{\sigma} - "
    r"\mathrm{mean}\!\left(\frac{\gamma \odot d}{\sigma}\right)",
    "rms": r"d \leftarrow \frac{\gamma \odot d}{\sqrt{m + \varepsilon}}",
}  # LaTeX; d starts as the word's row of the generator, less the other word's


@dataclass(frozen=True)
class LogitPart:
    """What one part of the model adds to the logit.

    `address` and `cell` name the one recorded number that adds most of it (`cell` as
    `core.explain.provenance` takes it: axis by axis, the batch first); a bias has () for a cell.
    """

    name: PartName
    address: str
    value: float
    head: int | None = None
    cell: tuple[int, ...] = ()

    @property
    def layer(self) -> int | None:
        """The layer of its stack, from 0; None before the first and after the last."""
        return Address.of(self.address).layer


@dataclass(frozen=True)
class LogitAttribution:
    """A logit, or the difference of two, as the sum of what every part wrote.

    `frozen` are the addresses of what was held as it was in this run. `directions` has, by place
    (`decoder/0/feed_forward`), what a vector written there is multiplied by, (D,).
    """

    row: int
    word: int
    other: int | None
    logit: float  # as recorded
    parts: tuple[LogitPart, ...]  # in computation order
    frozen: tuple[str, ...]
    directions: Mapping[str, Numbers] = field(repr=False)

    @property
    def error(self) -> float:
        """How far the sum of the parts is from what was recorded: rounding, no more."""
        return abs(sum(part.value for part in self.parts) - self.logit)

    def by_layer(self) -> dict[int | None, float]:
        """What each layer adds, None for all that is in no layer."""
        found: dict[int | None, float] = {}
        for part in self.parts:
            found[part.layer] = found.get(part.layer, 0.0) + part.value
        return found

    def by_head(self) -> dict[tuple[str, int], float]:
        """What each head adds, by attention and head."""
        return {(_place(p), p.head): p.value for p in self.parts if p.head is not None}

    def table(self) -> pd.DataFrame:
        """A row a part: name, place, layer, head (from 0) and what it adds."""
        import pandas as pd  # slow to import, and no page needs it to begin

        rows = [
            {"part": p.name, "place": _place(p), "layer": p.layer, "head": p.head, "adds": p.value}
            for p in self.parts
        ]
        return pd.DataFrame(rows).astype({"layer": "Int64", "head": "Int64"})


def logit_attribution(
    trace: Trace, model: Transformer, row: int, word: int, other: int | None = None
) -> LogitAttribution:
    """The logit of a word at a row (less another word's) as the sum of what every part wrote.

    What an experiment set in place of what was computed stands as a part of its own, `switched`.

    Args:
        trace: the run that is read, its first sentence.
        model: the one that made the run (of a run with other conventions, the model that has them).
        row: of the output, from 0.
        word: the id of the word, from 0.
        other: the id of the word whose logit is taken off; None for the logit itself.

    Returns:
        The parts in computation order, float64: they add up to the recorded logit but for rounding.

    Raises:
        GlassformerError: `no_generator` for a model that writes no words, `out_of_range` for a row
            or a word that does not exist.
    """
    if not trace.config.has_generator:
        raise GlassformerError("no_generator", name=trace.model_name)
    logits = trace["output/logits"][0]  # (T, V)
    check_index("row", row, len(logits))
    for each in (word, *([] if other is None else [other])):
        check_index("word", each, logits.size(-1))
    scores = exact_numbers(logits[row, [word, word if other is None else other]])
    logit = float(scores[0] - (0.0 if other is None else scores[1]))
    walk = _Walk(trace, model, row, _generator_row(model, word, other))
    walk.generator(word, other)
    stack: Stack = "decoder" if trace.config.decoder_layers else "encoder"
    walk.layers(stack)
    if trace.edits:
        rest = logit - sum(part.value for part in walk.parts)
        walk.parts.append(LogitPart("switched", "output/logits", rest))
    parts = tuple(reversed(walk.parts))
    return LogitAttribution(row, word, other, logit, parts, tuple(walk.frozen), walk.directions)


def neuron_contributions(
    trace: Trace, model: Transformer, found: LogitAttribution, layer: int
) -> Numbers:
    """What each hidden unit of a layer's feed-forward network adds to the logit.

    Args:
        trace: the run that was taken apart.
        model: the one that made it.
        found: what `logit_attribution` found in this run.
        layer: of the stack that writes, from 0.

    Returns:
        (F,) float64; they add up to the network's part without its bias.

    Raises:
        GlassformerError: `out_of_range` for a layer that does not exist.
    """
    stack: Stack = "decoder" if trace.config.decoder_layers else "encoder"
    check_index("layer", layer, layer_count(trace.config, stack))
    place = f"{stack}/{layer}/feed_forward"
    weight = _linear(model, place, "w_2").weight  # (D, F)
    return _units(trace, place, found.row) * _through(found.directions[place], weight)


def position_contributions(
    trace: Trace, model: Transformer, found: LogitAttribution, place: str, head: int
) -> Numbers:
    """What a head adds to the logit from each word that it looks at: A[t, s] (v_s W^O_h · d).

    They add up to the head's part.

    Args:
        trace: the run that was taken apart.
        model: the one that made it.
        found: what `logit_attribution` found in this run.
        place: an attention, such as `decoder/1/cross_attention`.
        head: counted from 0.

    Returns:
        (S,) float64, a number a key.

    Raises:
        GlassformerError: `unknown_address` for a place that is no attention of the stack that
            writes, `out_of_range` for a head that does not exist.
    """
    config = trace.config.of(place)
    if place not in found.directions or not Address.of(place).is_attention:
        known = ", ".join(each for each in found.directions if Address.of(each).is_attention)
        raise GlassformerError("unknown_address", address=place, nearest=known)
    check_index("head", head, config.n_heads)
    weights = exact_numbers(trace[f"{place}/weights"][0, head, found.row])  # (S,)
    if f"{place}/kept" in trace:
        kept = exact_numbers(trace[f"{place}/kept"][0, head, found.row])
        weights = weights * kept / (1 - config.dropout)
    values = exact_numbers(trace[f"{place}/v"][0, config.key_head(head)])  # (S, K)
    return weights * (values @ _pulled(model, place, found.directions[place])[head])


class _Walk:
    """From the generator backwards: the direction that counts, and the parts met on the way."""

    def __init__(self, trace: Trace, model: Transformer, row: int, direction: Numbers) -> None:
        self.trace, self.model, self.row, self.direction = trace, model, row, direction
        self.parts: list[LogitPart] = []  # the last computed first
        self.frozen: list[str] = []
        self.directions: dict[str, Numbers] = {}

    def generator(self, word: int, other: int | None) -> None:
        """The generator's bias, √D and what BERT puts before it."""
        bias, head = self.model.generator.bias, self.model.generator.transform
        if bias is not None:
            value = float(bias[word]) - (0.0 if other is None else float(bias[other]))
            self.add("generator_bias", "output/logits", value)
        self.direction = self.direction * self.model.generator.scale
        if head is None:
            return
        self.norm("output/norm")
        self.frozen.append("output/activation")
        gate = ACTIVATIONS[self.trace.config.activation].gate
        before = row_at(self.trace, "output/dense", self.row)  # (D,)
        self.direction = self.direction * np.array([gate(float(x)) for x in before])
        self.bias("head_bias", "output/dense", head.dense.bias)
        self.direction = _through(self.direction, head.dense.weight)

    def layers(self, stack: Stack) -> None:
        """The final norm, the layers from the last to the first, what enters them."""
        config = self.trace.config
        if config.final_norm:
            self.norm(f"{stack}/norm")
        for layer in reversed(range(layer_count(config, stack))):
            for name in reversed(sublayers(config, stack)):
                self.sublayer(f"{stack}/{layer}/{name}")
        side = "source" if stack == "encoder" else "target"
        if config.embedding_norm:
            self.norm(f"{side}/norm")
        direction = self._thinned(f"{side}/kept", self.direction)
        if config.token_types:
            self.dot("token_type", f"{side}/token_type", direction)
        if config.adds_positions:
            self.dot("positions", f"{side}/positions", direction)
        self.dot("embedding", f"{side}/scaled", direction)

    def sublayer(self, place: str) -> None:
        """What a sub-layer wrote, and the way around it."""
        norm, before = f"{place}_norm", len(self.parts)
        if self.trace.config.norm_place == "post":
            self.norm(norm)
            before = len(self.parts)
        direction = self._thinned(f"{place}_residual/kept", self.direction)
        self.directions[place] = direction
        kept, self.direction = self.direction, direction
        if Address.of(place).is_attention:
            self.bias("attention_bias", f"{place}/output", _linear(self.model, place, "w_o").bias)
            self.heads(place)
        else:
            self.bias(
                "feed_forward_bias", f"{place}/output", _linear(self.model, place, "w_2").bias
            )
            self.feed_forward(place)
        if self.trace.edits:
            wrote = float(row_at(self.trace, f"{place}/output", self.row) @ direction)
            rest = wrote - sum(part.value for part in self.parts[before:])
            self.add("switched", f"{place}/output", rest)
        self.direction = kept

    def heads(self, place: str) -> None:
        """Each head through its columns of W^O."""
        concat = row_at(self.trace, f"{place}/concat", self.row)  # (H · K,)
        products = _pulled(self.model, place, self.direction)  # (H, K)
        products = products * concat.reshape(products.shape)
        for head in reversed(range(len(products))):
            most = int(np.abs(products[head]).argmax())
            cell = (0, head, self.row, most)
            self.add("head", f"{place}/context", float(products[head].sum()), head, cell)

    def feed_forward(self, place: str) -> None:
        """All units of a network together; `neuron_contributions` has each."""
        weight = _linear(self.model, place, "w_2").weight  # (D, F)
        products = _units(self.trace, place, self.row) * _through(self.direction, weight)  # (F,)
        name = "gated" if self.trace.config.gated else "activation"
        cell = (0, self.row, int(np.abs(products).argmax()))
        self.add("feed_forward", f"{place}/{name}", float(products.sum()), None, cell)

    def norm(self, place: str) -> None:
        """The direction before a norm whose deviation is held as it was."""
        module = self.model.get_submodule(Address.of(f"{place}/output").module)
        gamma = exact_numbers(module.get_parameter("gamma"))
        if isinstance(module, LayerNorm):
            deviation = float(self.trace[f"{place}/std"][0, self.row, 0])
            divisor = NORM_DIVISORS[module.formula].spread(deviation, module.epsilon)
            self.frozen.append(f"{place}/std")
            self.bias("norm_shift", f"{place}/output", module.beta)
            scaled = self.direction * gamma / divisor
            self.direction = scaled - scaled.mean()
            return
        square = float(self.trace[f"{place}/mean_square"][0, self.row, 0])
        self.frozen.append(f"{place}/mean_square")
        epsilon = self.trace.config.norm_epsilon
        self.direction = self.direction * gamma / np.sqrt(square + epsilon)

    def bias(self, name: PartName, address: str, bias: Tensor | None) -> None:
        """What a bias adds; nothing for a layer without."""
        if bias is not None:
            self.add(name, address, float(exact_numbers(bias) @ self.direction))

    def dot(self, name: PartName, address: str, direction: Numbers) -> None:
        """What a recorded row adds."""
        products = row_at(self.trace, address, self.row) * direction
        most = int(np.abs(products).argmax())
        has_batch = self.trace[address].dim() == 3
        cell = (0, self.row, most) if has_batch else (self.row, most)
        self.add(name, address, float(products.sum()), None, cell)

    def add(
        self, name: PartName, address: str, value: float, head: int | None = None,
        cell: tuple[int, ...] = (),
    ) -> None:  # fmt: skip
        self.parts.append(LogitPart(name, address, value, head, cell))

    def _thinned(self, address: str, direction: Numbers) -> Numbers:
        """The direction as dropout left it; itself in a run without."""
        if address not in self.trace:
            return direction
        kept = row_at(self.trace, address, self.row)
        return direction * kept / (1 - self.trace.config.dropout)


def _linear(model: Transformer, place: str, name: str) -> nn.Linear:
    found = model.get_submodule(f"{Address.of(place).module}.{name}")
    assert isinstance(found, nn.Linear)
    return found


def _generator_row(model: Transformer, word: int, other: int | None) -> Numbers:
    row = exact_numbers(model.generator.weight[word])
    return row if other is None else row - exact_numbers(model.generator.weight[other])


def _pulled(model: Transformer, place: str, direction: Numbers) -> Numbers:
    """What each head's output is multiplied by, through its columns of W^O: (H, K)."""
    weight = _linear(model, place, "w_o").weight  # (D, H · K)
    return _through(direction, weight).reshape(-1, model.config.of(place).d_k)


def _through(direction: Numbers, weight: Tensor) -> Numbers:
    """A direction (D,) times weights (D, n), where these lie: they do not cross to the CPU."""
    wide = in_widest(weight)  # (D, n)
    return exact_numbers(torch.as_tensor(direction).to(wide) @ wide)


def _units(trace: Trace, place: str, row: int) -> Numbers:
    """What reaches W₂, (F,): the units' activations, thinned out in a run with dropout."""
    units = row_at(trace, f"{place}/{'gated' if trace.config.gated else 'activation'}", row)
    if f"{place}/kept" in trace:
        units = units * row_at(trace, f"{place}/kept", row) / (1 - trace.config.dropout)
    return units


def _place(part: LogitPart) -> str:
    return Address.of(part.address).place
