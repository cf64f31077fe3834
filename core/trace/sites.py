"""Every name a run can record: symbol, axes, equation, role. Panels, documents and tests read it.

An address is a path such as `encoder/0/self_attention/weights`; counting starts from 0. Its last
part is the site, what stands before it says where in the model. One line of text for each site is
kept under the words key `sites.<group>.<name>`.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from glassformer.core.config import ModelConfig
from glassformer.core.trace.address import Address
from glassformer.core.trace.graph import Stack, layer_count, records, sublayers

Role = Literal["query", "key", "value", "weights", "data", "feed_forward", "norm"]
AxisName = Literal[
    "batch", "head", "position", "query", "key", "feature", "head_feature", "hidden", "vocabulary",
    "one",
]  # fmt: skip


@dataclass(frozen=True)
class Site:
    """One recorded name within its group (`attention`, `norm`, …)."""

    group: str
    name: str
    symbol: str  # LaTeX
    axes: tuple[AxisName, ...]
    equation: str  # LaTeX
    role: Role
    training_only: bool = False  # recorded only in runs with dropout
    is_view: bool = False  # shares the memory of an earlier tensor
    per_map: bool = False  # grows with query × key; can be recomputed from q, k and mask
    per_word: bool = False  # grows with the vocabulary; can be recomputed from the last vectors

    @property
    def is_left_out(self) -> bool:
        """Whether runs may leave it out, see `core.trace.on_demand`."""
        return self.per_map or self.per_word

    @property
    def text_key(self) -> str:
        return f"sites.{self.group}.{self.name}"


PAIR_MARKS = ("A:", "B:")  # what the words of the two texts of a pair are shown with


@dataclass(frozen=True)
class Axis:
    """One axis of a recorded tensor; `labels` are its words, where it has any."""

    name: AxisName
    letter: str
    size: int
    labels: tuple[str, ...] | None = None

    def index_of(self, word: str) -> int | None:
        """The first place of a word; in a pair of texts also without the mark of its text."""
        named = (word, *(mark + word for mark in PAIR_MARKS))
        found = [at for at, each in enumerate(self.labels or ()) if each in named]
        exact = [at for at in found if self.labels and self.labels[at] == word]
        return next(iter(exact or found), None)


_STREAM: tuple[AxisName, ...] = ("batch", "position", "feature")
_HEADS: tuple[AxisName, ...] = ("batch", "head", "position", "head_feature")
_KEYS: tuple[AxisName, ...] = ("batch", "head", "key", "head_feature")
_MAP: tuple[AxisName, ...] = ("batch", "head", "query", "key")
_HIDDEN: tuple[AxisName, ...] = ("batch", "position", "hidden")
_STATISTIC: tuple[AxisName, ...] = ("batch", "position", "one")
_WORDS: tuple[AxisName, ...] = ("batch", "position", "vocabulary")

_KEPT = r"m \sim \mathrm{Bernoulli}(1 - p)"

# fmt: off
SITES: tuple[Site, ...] = (
    Site("embedding", "ids", r"w", ("batch", "position"), r"w_t \in \{0, \dots, V - 1\}", "data"),
    Site("embedding", "embedding", r"E_w", _STREAM, r"E_w = E[w]", "data"),
    Site("embedding", "scaled", r"\sqrt{D}\,E_w", _STREAM, r"\sqrt{d_{model}} \cdot E_w", "data"),
    Site("embedding", "positions", r"PE", ("position", "feature"), r"PE_{(t, 2i)} = \sin(t / 10000^{2i/D}),\ PE_{(t, 2i+1)} = \cos(t / 10000^{2i/D})", "data"),
    Site("embedding", "token_type", r"T_s", ("position", "feature"), r"T_s = T[s]", "data"),
    Site("embedding", "kept", r"m", _STREAM, _KEPT, "data", training_only=True),
    Site("embedding", "input", r"x", _STREAM, r"x = \sqrt{D}\,E_w + PE", "data"),

    Site("residual", "stream", r"x", _STREAM, r"x", "data", is_view=True),
    Site("residual", "branch_input", r"x", _STREAM, r"x", "data", is_view=True),
    Site("residual", "kept", r"m", _STREAM, _KEPT, "data", training_only=True),
    Site("residual", "summed", r"x + f(x)", _STREAM, r"x + \mathrm{Sublayer}(x)", "data"),

    Site("norm", "mean", r"\mu", _STATISTIC, r"\mu = \frac{1}{D} \sum_i x_i", "norm"),
    Site("norm", "std", r"\sigma", _STATISTIC, r"\sigma = \sqrt{\frac{1}{D} \sum_i (x_i - \mu)^2}", "norm"),
    Site("norm", "mean_square", r"m", _STATISTIC, r"m = \frac{1}{D} \sum_i x_i^2", "norm"),
    Site("norm", "normalized", r"\hat{x}", _STREAM, r"\hat{x} = \frac{x - \mu}{\sqrt{\sigma^2 + \varepsilon}}", "norm"),
    Site("norm", "output", r"\gamma \hat{x} + \beta", _STREAM, r"\gamma \odot \hat{x} + \beta", "norm"),

    Site("attention", "memory", r"Z", ("batch", "key", "feature"), r"Z = \mathrm{Encoder}(x)", "data", is_view=True),
    Site("attention", "q", r"Q", _HEADS, r"Q = x W^Q + b^Q", "query"),
    Site("attention", "k", r"K", _KEYS, r"K = x W^K + b^K", "key"),
    Site("attention", "v", r"V", _KEYS, r"V = x W^V + b^V", "value"),
    Site("attention", "q_normed", r"\hat{Q}", _HEADS, r"\hat{Q} = \gamma^Q \odot \frac{Q}{\sqrt{\frac{1}{d_k} \sum_i Q_i^2 + \varepsilon}}", "query"),
    Site("attention", "k_normed", r"\hat{K}", _KEYS, r"\hat{K} = \gamma^K \odot \frac{K}{\sqrt{\frac{1}{d_k} \sum_i K_i^2 + \varepsilon}}", "key"),
    Site("attention", "q_rotated", r"R Q", _HEADS, r"(R Q)_{t,i} = Q_{t,i} \cos t\theta_i \mp Q_{t,\,i \pm d_k/2} \sin t\theta_i", "query"),
    Site("attention", "k_rotated", r"R K", _KEYS, r"(R K)_{s,i} = K_{s,i} \cos s\theta_i \mp K_{s,\,i \pm d_k/2} \sin s\theta_i", "key"),
    Site("attention", "scores", r"S", _MAP, r"S = Q K^\top", "weights", per_map=True),
    Site("attention", "scaled", r"S'", _MAP, r"S' = \frac{S}{\sqrt{d_k}}", "weights", per_map=True),
    Site("attention", "position_bias", r"B", _MAP, r"B_{ts} = b[\mathrm{bucket}(s - t)]", "weights", is_view=True),
    Site("attention", "biased", r"S' + B", _MAP, r"S' + B", "weights", per_map=True),
    Site("attention", "mask", r"M", _MAP, r"M_{ts} \in \{0, 1\}", "weights", is_view=True),
    Site("attention", "masked", r"\tilde{S}", _MAP, r"\tilde{S}_{ts} = \begin{cases} S'_{ts} & M_{ts} = 1 \\ -10^9 & M_{ts} = 0 \end{cases}", "weights", per_map=True),
    Site("attention", "weights", r"A", _MAP, r"A = \mathrm{softmax}(\tilde{S})", "weights", per_map=True),
    Site("attention", "kept", r"m", _MAP, _KEPT, "weights", training_only=True),
    Site("attention", "context", r"A V", _HEADS, r"A V", "value"),
    Site("attention", "concat", r"[A_1 V_1; \dots; A_H V_H]", _STREAM, r"\mathrm{Concat}(head_1, \dots, head_H)", "value"),
    Site("attention", "output", r"\mathrm{MHA}(x)", _STREAM, r"\mathrm{Concat}(head_1, \dots, head_H)\, W^O + b^O", "data"),

    Site("feed_forward", "pre_activation", r"x W_1 + b_1", _HIDDEN, r"x W_1 + b_1", "feed_forward"),
    Site("feed_forward", "activation", r"a", _HIDDEN, r"a = \max(0, x W_1 + b_1)", "feed_forward"),
    Site("feed_forward", "up", r"u", _HIDDEN, r"u = x W_3", "feed_forward"),
    Site("feed_forward", "gated", r"a \odot u", _HIDDEN, r"a \odot u", "feed_forward"),
    Site("feed_forward", "kept", r"m", _HIDDEN, _KEPT, "feed_forward", training_only=True),
    Site("feed_forward", "output", r"\mathrm{FFN}(x)", _STREAM, r"a W_2 + b_2", "feed_forward"),

    Site("stack", "memory", r"Z", _STREAM, r"Z = \mathrm{Encoder}(x)", "data", is_view=True),
    Site("output", "dense", r"x W + b", _STREAM, r"x W + b", "data"),
    Site("output", "activation", r"a", _STREAM, r"a = \mathrm{GELU}(x W + b)", "data"),
    Site("output", "scaled", r"\frac{x}{\sqrt{D}}", _STREAM, r"\frac{x}{\sqrt{d_{model}}}", "data"),
    Site("output", "logits", r"z", _WORDS, r"z = x E^\top + b", "data", per_word=True),
    Site("output", "probabilities", r"p", _WORDS, r"p = \mathrm{softmax}(z)", "weights", per_word=True),
)
# fmt: on


@cache
def sites_of(group: str) -> tuple[Site, ...]:
    """The sites of one group, in the order in which they are computed."""
    return tuple(site for site in SITES if site.group == group)


@cache
def site_at(address: str) -> Site:
    """What is recorded at an address; `KeyError` for an address no run can have."""
    at = Address.of(address)
    for site in sites_of(at.group):
        if site.name == at.name:
            return site
    raise KeyError(address)


def addresses(config: ModelConfig, dropout: bool = False) -> Iterator[str]:
    """Every address a run of this model records, in computation order."""
    for where, sites in _places(config):
        at = Address.of(where)
        for site in sites:
            if site.training_only and not (dropout and config.dropout > 0):
                continue
            own_keys = site.group == "attention" and not at.is_cross
            if not (own_keys and site.name == "memory") and records(
                config, site.group, site.name, at.is_cross
            ):
                yield f"{where}/{site.name}".lstrip("/")


_Place = tuple[str, tuple[Site, ...]]


def _places(config: ModelConfig) -> Iterator[_Place]:
    if config.encoder_layers:
        yield from _entrance("source", config)
        yield from _stack("encoder", config)
    if config.has_both:
        yield "", sites_of("stack")
    if config.decoder_layers:
        yield from _entrance("target", config)
        yield from _stack("decoder", config)
    if config.has_generator:
        transform, scores = sites_of("output")[:2], sites_of("output")[2:]
        yield "output", transform
        if config.head_transform:
            yield "output/norm", sites_of("norm")
        yield "output", scores


def _entrance(side: str, config: ModelConfig) -> Iterator[_Place]:
    yield side, sites_of("embedding")
    if config.embedding_norm:
        yield f"{side}/norm", sites_of("norm")


def _stack(stack: Stack, config: ModelConfig) -> Iterator[_Place]:
    for layer in range(layer_count(config, stack)):
        for name in sublayers(config, stack):
            yield from _sublayer(f"{stack}/{layer}/{name}", config)
    if config.final_norm:
        yield f"{stack}/norm", sites_of("norm")


def _sublayer(where: str, config: ModelConfig) -> Iterator[_Place]:
    """A sub-layer in its residual connection: in, (norm,) sub-layer, out(, norm)."""
    residual, norm = sites_of("residual"), (f"{where}_norm", sites_of("norm"))
    yield f"{where}_residual", residual[:2]
    if config.norm_place == "pre":
        yield norm
    yield where, sites_of(Address.of(where).group)
    yield f"{where}_residual", residual[2:]
    if config.norm_place == "post":
        yield norm


def letters(address: str, config: ModelConfig | None = None) -> tuple[str, ...]:
    """The shape of an address in the paper's letters, such as ("B", "H", "T", "S").

    With a config G stands for heads of keys that are fewer than H, HK for heads side by side that
    are not D wide.
    """
    at = Address.of(address)
    own, keys = at.side[0].upper(), at.key_side[0].upper()
    by_name = {
        "batch": "B", "head": "H", "position": own, "query": own, "key": keys, "feature": "D",
        "head_feature": "K", "hidden": "F", "vocabulary": "V", "one": "1",
    }  # fmt: skip
    if config is not None and at.group == "attention":
        config = config.of(address)
        if config.key_heads != config.n_heads and at.name in KEYS_AND_VALUES:
            by_name["head"] = "G"
        if config.inner_width != config.d_model and at.name == "concat":
            by_name["feature"] = "HK"
    return tuple(by_name[axis] for axis in site_at(address).axes)


KEYS_AND_VALUES = ("k", "k_normed", "k_rotated", "v")


def sizes(config: ModelConfig, source: int, target: int, batch: int = 1) -> dict[str, int]:
    """What each letter of a shape stands for in a run of these lengths."""
    return {
        "B": batch, "H": config.n_heads, "S": source, "T": target, "D": config.d_model,
        "K": config.d_k, "F": config.d_ff, "V": config.vocabulary_size, "1": 1,
        "G": config.key_heads, "HK": config.inner_width,
    }  # fmt: skip


def shape(
    config: ModelConfig, address: str, source: int, target: int, batch: int = 1
) -> tuple[int, ...]:
    """The shape of what a run of these lengths records at an address."""
    size = sizes(config.of(address), source, target, batch)
    return tuple(size[letter] for letter in letters(address, config))


def recorded_bytes(
    config: ModelConfig, source: int, target: int, batch: int = 1, maps: bool = True,
    words: bool = True,
) -> int:  # fmt: skip
    """Bytes of memory a float32 recording of S source and T target tokens takes, before it is spent.

    maps: False leaves out what is recomputed from q, k and mask (scores … weights). words: False
    leaves out what is recomputed from the last vectors (logits, probabilities).
    """
    total = 0
    for address in addresses(config):
        site = site_at(address)
        shared = site.is_view and not address.endswith("/0/self_attention/position_bias")
        if shared or (site.per_map and not maps) or (site.per_word and not words):
            continue  # distances: once a stack
        entries = math.prod(shape(config, address, source, target, batch))
        total += entries * (8 if site.name == "ids" else 4)
    return total
