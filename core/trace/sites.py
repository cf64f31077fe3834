"""Every name a run can record, a row each: what it is, what it is made of, how it is explained.

An address is a path such as `encoder/0/self_attention/weights`; counting starts from 0. Its last
part is the site, what stands before it says where in the model. One line of text for each site is
kept under the words key `sites.<group>.<name>`, a name of a word or two under `trail.short`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from glassformer.core.config import ModelConfig
from glassformer.core.trace.address import Address

Role = Literal["query", "key", "value", "weights", "data", "feed_forward", "norm"]
AxisName = Literal[
    "batch", "head", "position", "query", "key", "feature", "head_feature", "hidden", "vocabulary",
    "one",
]  # fmt: skip


@dataclass(frozen=True)
class Site:
    """One recorded name within its group (`attention`, `norm`, …).

    reads: the names of its group that it is computed from, in the order of its equation; ">" is
    what comes from outside of the group. instead: what it reads in a model that records another
    name; the first one recorded counts. when: which models record it; all without. across: whether
    cross-attention does, too.
    step: the kind of the step of the Walkthrough that makes it, of `explain.steps`; "" for what is
    only given or passed on. unfold: the function of `explain.provenance` that unfolds a number of
    it; "" for what is drawn by lot. symbols: what the symbols of the equation stand for: "=" itself,
    "<0" the first input, "~weight" a parameter, "#D" a size, else a name recorded beside it.
    """

    group: str
    name: str
    symbol: str  # LaTeX
    axes: tuple[AxisName, ...]
    equation: str  # LaTeX, of the paper's conventions; `explain.equations` has the others
    role: Role
    training_only: bool = False  # recorded only in runs with dropout
    is_view: bool = False  # shares the memory of an earlier tensor
    per_map: bool = False  # grows with query × key; can be recomputed from q, k and mask
    per_word: bool = False  # grows with the vocabulary; can be recomputed from the last vectors
    reads: tuple[str, ...] = ()
    instead: tuple[tuple[str, tuple[str, ...]], ...] = ()
    when: Callable[[ModelConfig], bool] | None = None
    across: bool = True
    step: str = ""
    unfold: str = ""
    symbols: Mapping[str, str] = field(default_factory=dict, hash=False)

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
        """The first place of a word; in a pair of texts also without the mark of its text.

        Args:
            word: as it is shown.

        Returns:
            The place, counted from 0: of the word as it stands before one with a mark; None where
            the axis has no such word.
        """
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
    Site("embedding", "ids", r"w", ("batch", "position"), r"w_t \in \{0, \dots, V - 1\}", "data",
         unfold="token"),
    Site("embedding", "embedding", r"E_w", _STREAM, r"E_w = E[w]", "data",
         reads=("ids",), step="lookup", unfold="embedding_number",
         symbols={"E_w": "=", "E": "~table.weight", "w": "ids"}),
    Site("embedding", "scaled", r"\sqrt{D}\,E_w", _STREAM, r"\sqrt{d_{model}} \cdot E_w", "data",
         reads=("embedding",), step="embedding_scale", unfold="embedding_scaled",
         symbols={r"\sqrt{d_{model}}": "#√D", "E_w": "<0"}),
    Site("embedding", "positions", r"PE", ("position", "feature"), r"PE_{(t, 2i)} = \sin(t / 10000^{2i/D}),\ PE_{(t, 2i+1)} = \cos(t / 10000^{2i/D})", "data",
         reads=("ids",), step="positions", unfold="position_encoding",
         symbols={"PE": "=", "PE_t": "=", "D": "#D", "P": "~position_table.weight"}),
    Site("embedding", "token_type", r"T_s", ("position", "feature"), r"T_s = T[s]", "data",
         reads=("ids",), when=lambda config: config.token_types > 0, step="token_type",
         unfold="token_type", symbols={"T_s": "=", "T": "~type_table.weight"}),
    Site("embedding", "kept", r"m", _STREAM, _KEPT, "data",
         training_only=True, reads=("scaled", "positions"),
         instead=(("token_type", ("scaled", "positions", "token_type")),),
         step="embedding_dropout"),
    Site("embedding", "input", r"x", _STREAM, r"x = \sqrt{D}\,E_w + PE", "data",
         reads=("scaled", "positions"),
         instead=(("token_type", ("scaled", "positions", "token_type")),), step="sum",
         unfold="stream_input",
         symbols={"x": "=", r"\sqrt{D}\,E_w": "scaled", "E_w": "scaled", "PE": "positions", "m": "kept", "p": "#p", "T_s": "token_type"}),

    Site("residual", "stream", r"x", _STREAM, r"x", "data",
         is_view=True, reads=(">",), unfold="copied_stream"),
    Site("residual", "branch_input", r"x", _STREAM, r"x", "data",
         is_view=True, reads=(">",), unfold="copied_stream"),
    Site("residual", "kept", r"m", _STREAM, _KEPT, "data",
         training_only=True, reads=(">",), step="sublayer_dropout",
         symbols={"m": "=", "p": "#p", r"\mathrm{Sublayer}(x)": "<0"}),
    Site("residual", "summed", r"x + f(x)", _STREAM, r"x + \mathrm{Sublayer}(x)", "data",
         reads=("stream", ">"), step="residual", unfold="residual_sum",
         symbols={"x": "<0", r"\mathrm{Sublayer}(x)": "<1"}),

    Site("norm", "mean", r"\mu", _STATISTIC, r"\mu = \frac{1}{D} \sum_i x_i", "norm",
         reads=(">",), when=lambda config: config.norm_kind == "layer", step="norm", unfold="mean",
         symbols={r"\mu": "=", "x": "<0", "D": "#D"}),
    Site("norm", "std", r"\sigma", _STATISTIC, r"\sigma = \sqrt{\frac{1}{D} \sum_i (x_i - \mu)^2}", "norm",
         reads=(">", "mean"), when=lambda config: config.norm_kind == "layer", step="norm",
         unfold="std", symbols={r"\sigma": "=", "s": "=", "x": "<0", r"\mu": "mean", "D": "#D"}),
    Site("norm", "mean_square", r"m", _STATISTIC, r"m = \frac{1}{D} \sum_i x_i^2", "norm",
         reads=(">",), when=lambda config: config.norm_kind == "rms", step="norm",
         unfold="mean_square", symbols={"m": "=", "x": "<0", "D": "#D"}),
    Site("norm", "normalized", r"\hat{x}", _STREAM, r"\hat{x} = \frac{x - \mu}{\sqrt{\sigma^2 + \varepsilon}}", "norm",
         reads=(">", "mean", "std"), instead=(("mean_square", (">", "mean_square")),), step="norm",
         unfold="normalized_number",
         symbols={r"\hat{x}": "=", "x": "<0", r"\mu": "mean", r"\sigma": "std", "s": "std", r"\varepsilon": "#ε", "m": "mean_square"}),
    Site("norm", "output", r"\gamma \hat{x} + \beta", _STREAM, r"\gamma \odot \hat{x} + \beta", "norm",
         reads=("normalized",), step="norm", unfold="norm_output",
         symbols={r"\gamma": "~gamma", r"\hat{x}": "normalized", r"\beta": "~beta"}),

    Site("attention", "memory", r"Z", ("batch", "key", "feature"), r"Z = \mathrm{Encoder}(x)", "data",
         is_view=True, reads=(">",), unfold="copied_stream"),
    Site("attention", "q", r"Q", _HEADS, r"Q = x W^Q + b^Q", "query",
         reads=(">",), step="project", unfold="linear",
         symbols={"Q": "=", "x": "<0", "W^Q": "~w_q.weight", "b^Q": "~w_q.bias"}),
    Site("attention", "k", r"K", _KEYS, r"K = x W^K + b^K", "key",
         reads=(">",), step="project", unfold="linear",
         symbols={"K": "=", "x": "<0", "Z": "<1", "W^K": "~w_k.weight", "b^K": "~w_k.bias"}),
    Site("attention", "v", r"V", _KEYS, r"V = x W^V + b^V", "value",
         reads=(">",), step="project", unfold="linear",
         symbols={"V": "=", "x": "<0", "Z": "<1", "W^V": "~w_v.weight", "b^V": "~w_v.bias"}),
    Site("attention", "q_normed", r"\hat{Q}", _HEADS, r"\hat{Q} = \gamma^Q \odot \frac{Q}{\sqrt{\frac{1}{d_k} \sum_i Q_i^2 + \varepsilon}}", "query",
         reads=("q",), when=lambda config: config.qk_norm, across=False, step="head_norms",
         unfold="head_normed",
         symbols={r"\hat{Q}": "=", "Q": "<0", r"\gamma^Q": "~turned.q_norm.gamma", "d_k": "#K", r"\varepsilon": "#ε"}),
    Site("attention", "k_normed", r"\hat{K}", _KEYS, r"\hat{K} = \gamma^K \odot \frac{K}{\sqrt{\frac{1}{d_k} \sum_i K_i^2 + \varepsilon}}", "key",
         reads=("k",), when=lambda config: config.qk_norm, across=False, step="head_norms",
         unfold="head_normed",
         symbols={r"\hat{K}": "=", "K": "<0", r"\gamma^K": "~turned.k_norm.gamma", "d_k": "#K", r"\varepsilon": "#ε"}),
    Site("attention", "q_rotated", r"R Q", _HEADS, r"(R Q)_{t,i} = Q_{t,i} \cos t\theta_i \mp Q_{t,\,i \pm d_k/2} \sin t\theta_i", "query",
         reads=("q",), instead=(("q_normed", ("q_normed",)),),
         when=lambda config: config.positions == "rotary", across=False, step="rotate",
         unfold="rotated_feature", symbols={"R Q": "=", r"\hat{Q}": "<0", "Q": "<0", "d_k": "#K"}),
    Site("attention", "k_rotated", r"R K", _KEYS, r"(R K)_{s,i} = K_{s,i} \cos s\theta_i \mp K_{s,\,i \pm d_k/2} \sin s\theta_i", "key",
         reads=("k",), instead=(("k_normed", ("k_normed",)),),
         when=lambda config: config.positions == "rotary", across=False, step="rotate",
         unfold="rotated_feature", symbols={"R K": "=", r"\hat{K}": "<0", "K": "<0", "d_k": "#K"}),
    Site("attention", "scores", r"S", _MAP, r"S = Q K^\top", "weights",
         per_map=True, reads=("q", "k"),
         instead=(("q_rotated", ("q_rotated", "k_rotated")), ("q_normed", ("q_normed", "k_normed"))),
         step="scores", unfold="score",
         symbols={"S": "=", "Q": "<0", "K": "<1", r"\hat{Q}": "<0", r"\hat{K}": "<1", "R Q": "<0", "R K": "<1"}),
    Site("attention", "scaled", r"S'", _MAP, r"S' = \frac{S}{\sqrt{d_k}}", "weights",
         per_map=True, reads=("scores",), step="scale", unfold="scaled_score",
         symbols={"S'": "=", "S": "<0", "d_k": "#K"}),
    Site("attention", "position_bias", r"B", _MAP, r"B_{ts} = b[\mathrm{bucket}(s - t)]", "weights",
         is_view=True, reads=(">",), when=lambda config: config.positions == "relative",
         across=False, step="position_bias", unfold="position_bias", symbols={"B": "="}),
    Site("attention", "biased", r"S' + B", _MAP, r"S' + B", "weights",
         per_map=True, reads=("scaled", "position_bias"),
         when=lambda config: config.positions == "relative", across=False, step="position_bias",
         unfold="biased_score", symbols={"S'": "<0", "B": "position_bias"}),
    Site("attention", "mask", r"M", _MAP, r"M_{ts} \in \{0, 1\}", "weights",
         is_view=True, reads=(">",), step="mask", unfold="mask", symbols={"M": "=", "w": "<1"}),
    Site("attention", "masked", r"\tilde{S}", _MAP, r"\tilde{S}_{ts} = \begin{cases} S'_{ts} & M_{ts} = 1 \\ -10^9 & M_{ts} = 0 \end{cases}", "weights",
         per_map=True, reads=("scaled", "mask"), instead=(("biased", ("biased", "mask")),),
         step="mask", unfold="masked_score",
         symbols={r"\tilde{S}": "=", "S'": "scaled", "B": "position_bias", "M": "mask"}),
    Site("attention", "weights", r"A", _MAP, r"A = \mathrm{softmax}(\tilde{S})", "weights",
         per_map=True, reads=("masked",), step="softmax", unfold="weight",
         symbols={"A": "=", r"\tilde{S}": "<0"}),
    Site("attention", "kept", r"m", _MAP, _KEPT, "weights",
         training_only=True, reads=("weights",), step="weights_dropout",
         symbols={"m": "=", "p": "#p", "A": "<0"}),
    Site("attention", "context", r"A V", _HEADS, r"A V", "value",
         reads=("weights", "v"), step="context", unfold="context", symbols={"A": "<0", "V": "<1"}),
    Site("attention", "concat", r"[A_1 V_1; \dots; A_H V_H]", _STREAM, r"\mathrm{Concat}(head_1, \dots, head_H)", "value",
         reads=("context",), step="concat", unfold="concat",
         symbols={"head_1": "<0", "head_H": "<0"}),
    Site("attention", "output", r"\mathrm{MHA}(x)", _STREAM, r"\mathrm{Concat}(head_1, \dots, head_H)\, W^O + b^O", "data",
         reads=("concat",), step="output", unfold="linear",
         symbols={r"\mathrm{Concat}(head_1, \dots, head_H)": "<0", "W^O": "~w_o.weight", "b^O": "~w_o.bias"}),

    Site("feed_forward", "pre_activation", r"x W_1 + b_1", _HIDDEN, r"x W_1 + b_1", "feed_forward",
         reads=(">",), step="expand", unfold="linear",
         symbols={"x": "<0", "W_1": "~w_1.weight", "b_1": "~w_1.bias"}),
    Site("feed_forward", "activation", r"a", _HIDDEN, r"a = \max(0, x W_1 + b_1)", "feed_forward",
         reads=("pre_activation",), step="activation", unfold="activation",
         symbols={"a": "=", "x W_1 + b_1": "<0", "x W_1": "<0"}),
    Site("feed_forward", "up", r"u", _HIDDEN, r"u = x W_3", "feed_forward",
         reads=(">",), when=lambda config: config.gated, step="up", unfold="linear",
         symbols={"u": "=", "x": "<0", "W_3": "~w_3.weight", "b_3": "~w_3.bias"}),
    Site("feed_forward", "gated", r"a \odot u", _HIDDEN, r"a \odot u", "feed_forward",
         reads=("activation", "up"), when=lambda config: config.gated, step="gate", unfold="gated_unit",
         symbols={"a": "<0", "u": "<1"}),
    Site("feed_forward", "kept", r"m", _HIDDEN, _KEPT, "feed_forward",
         training_only=True, reads=("activation",), instead=(("gated", ("gated",)),),
         step="hidden_dropout", symbols={"m": "=", "p": "#p", "a": "<0"}),
    Site("feed_forward", "output", r"\mathrm{FFN}(x)", _STREAM, r"a W_2 + b_2", "feed_forward",
         reads=("activation",), instead=(("gated", ("gated",)),), step="contract", unfold="linear",
         symbols={r"a \odot u": "<0", "a": "<0", "W_2": "~w_2.weight", "b_2": "~w_2.bias"}),

    Site("stack", "memory", r"Z", _STREAM, r"Z = \mathrm{Encoder}(x)", "data",
         is_view=True, reads=(">",), step="memory", unfold="copied_stream",
         symbols={"Z": "=", r"\mathrm{Encoder}(x)": "<0"}),

    Site("output", "dense", r"x W + b", _STREAM, r"x W + b", "data",
         reads=(">",), when=lambda config: config.head_transform, step="dense", unfold="linear",
         symbols={"x": "<0", "W": "~transform.dense.weight", "b": "~transform.dense.bias"}),
    Site("output", "activation", r"a", _STREAM, r"a = \mathrm{GELU}(x W + b)", "data",
         reads=("dense",), when=lambda config: config.head_transform, step="dense_activation",
         unfold="activation", symbols={"a": "=", "x W + b": "<0"}),
    Site("output", "scaled", r"\frac{x}{\sqrt{D}}", _STREAM, r"\frac{x}{\sqrt{d_{model}}}", "data",
         reads=(">",), instead=(("dense", ("norm/output",)),),
         when=lambda config: config.generator_scale, step="output_scale", unfold="scaled_down",
         symbols={"x": "<0", r"\sqrt{d_{model}}": "#√D"}),
    Site("output", "logits", r"z", _WORDS, r"z = x E^\top + b", "data",
         per_word=True, reads=(">",),
         instead=(("scaled", ("scaled",)), ("dense", ("norm/output",))), step="logits",
         unfold="linear",
         symbols={"z": "=", "x": "<0", "E": "~weight", "W": "~weight", "b": "~bias"}),
    Site("output", "probabilities", r"p", _WORDS, r"p = \mathrm{softmax}(z)", "weights",
         per_word=True, reads=("logits",), step="probabilities", unfold="probability",
         symbols={"p": "=", "z": "<0"}),
)
# fmt: on


# What a sparse autoencoder at an address records below it, see `core.tools.sparse_autoencoder`.
BELOW = {
    "features": Site(
        "dictionary",
        "features",
        "f",
        _STREAM,
        r"f = \sigma((x - b_{dec}) W_{enc} + b_{enc})",
        "data",
    ),
    "error": Site(
        "dictionary",
        "error",
        r"\varepsilon",
        _STREAM,
        r"\varepsilon = x - f W_{dec} - b_{dec}",
        "data",
    ),
}


@cache
def sites_of(group: str) -> tuple[Site, ...]:
    """The sites of one group.

    Args:
        group: the kind of part, such as `attention` or `norm`.

    Returns:
        The rows of `SITES`, in the order in which they are computed; () of an unknown group.
    """
    return tuple(site for site in SITES if site.group == group)


@cache
def site_at(address: str) -> Site:
    """What is recorded at an address.

    Args:
        address: of a tensor; a pattern with "*" for the layer will do.

    Returns:
        The row of `SITES`, of what an autoencoder recorded the row of `BELOW`.

    Raises:
        KeyError: no run can have the address.
    """
    at = Address.of(address)
    for site in sites_of(at.group):
        if site.name == at.name:
            return site
    if "/" in at.name and at.last in BELOW:
        return BELOW[at.last]
    raise KeyError(address)
