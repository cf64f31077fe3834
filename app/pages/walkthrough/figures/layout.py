"""How the tensors of a step stand beside each other: columns of panels, an operation between."""

import re
from dataclasses import dataclass

from glassformer.core.config import ModelConfig
from glassformer.core.explain.steps.steps import Step
from glassformer.core.explain.steps.wires import Wire
from glassformer.core.model.activation import ACTIVATIONS
from glassformer.core.trace.address import Address
from glassformer.core.trace.sites import site_at

NORMS = ("norm", "final_norm", "embedding_norm", "dense_norm")
STATISTICS = ("mean", "std", "mean_square")
DROPOUTS = ("embedding_dropout", "weights_dropout", "hidden_dropout", "sublayer_dropout")
# What stands between two columns, by the step's kind: symbols, the same in every language. An
# underscore lowers what follows it.
OPERATIONS: dict[str, tuple[str, ...]] = {
    "lookup": ("w", "E_w"),
    "embedding_scale": ("× √d_model",),
    "positions": ("sin, cos",),
    "sum": ("+",),
    "token_type": ("T",),
    **dict.fromkeys(NORMS, ("μ, σ", "(x − μ) / σ")),
    "project": ("× W + b",),
    "head_norms": ("÷ √m",),
    "rotate": ("R_t ·",),
    "scores": ("Q Kᵀ",),
    "scale": ("÷ √dₖ",),
    "position_bias": ("b[s − t]", "+"),
    "mask": ("M", "M = 0 ?"),
    "softmax": ("softmax",),
    "context": ("A V",),
    "output": ("× W_O + b_O",),
    "expand": ("× W_1 + b_1",),
    "up": ("× W_3 + b_3",),
    "gate": ("⊙",),
    "contract": ("× W_2 + b_2",),
    "dense": ("× W + b",),
    "output_scale": ("÷ √D",),
    **dict.fromkeys(DROPOUTS, ("m ~", "× m / (1 − p)")),
    "residual": ("+",),
    "memory": ("=",),
    "logits": ("× Eᵀ + b",),
    "probabilities": ("softmax",),
    "choice": ("arg max",),
    "given": ("w_t+1",),
}
# Steps whose tensors are compared by eye: all on one colour scale.
ONE_SCALE = frozenset(
    {
        "embedding_scale",
        "sum",
        "residual",
        "scale",
        "mask",
        "activation",
        "memory",
        "rotate",
        *DROPOUTS,
    }
)
_PLAIN = (
    (r"\mathrm{Concat}(head_1, \dots, head_H)", "Concat"), (r"\mathrm{Sublayer}(x)", "Sublayer(x)"),
    (r"\mathrm{Encoder}(x)", "Encoder(x)"), (r"\mathrm{MHA}(x)", "MHA(x)"),
    (r"\mathrm{FFN}(x)", "FFN(x)"), (r"\mathrm{LN}(x)", "LN(x)"),
    (r"\sqrt{d_{model}}", "√d_{model}"),
    (r"\sqrt{D}\,E_w", "√D E_w"), (r"\hat{x}", "x̂"), (r"\hat{w}", "ŵ"), (r"\tilde{S}", "S̃"),
    (r"\mu", "μ"), (r"\sigma", "σ"), (r"\gamma", "γ"), (r"\beta", "β"), (r"\varepsilon", "ε"),
    ("S'", "S′"), (r"\frac{x}{\sqrt{D}}", "x / √D"), (r"\odot", "⊙"),
)  # fmt: skip
_SYMBOLS = {  # in place of what the site says
    ("residual", "summed"): "x + Sublayer(x)",
    ("norm", "output"): "LN(x)",
    ("attention", "concat"): "Concat",
}
_POSITIVE = frozenset({"weights", "mask", "kept", "activation", "probabilities"})


@dataclass(frozen=True)
class Column:
    """Panels below each other; `narrow` ones hold one number a row."""

    wires: tuple[Wire, ...]
    narrow: bool = False


def step_columns(step: Step) -> tuple[Column, ...]:
    """The tensors of a step from left to right."""
    before, after = step.inputs, step.outputs
    if step.kind in NORMS:
        told = sum(Address.of(wire.address).name in STATISTICS for wire in after)
        return Column(before), Column(after[:told], narrow=True), Column(after[told:])
    if step.kind in ("mask", "position_bias", *DROPOUTS) and len(after) > 1:
        return Column(before), Column(after[:1]), Column(after[1:])
    narrow = all(Address.of(wire.address).name == "ids" for wire in before)
    return Column(before, narrow), Column(after)


def operations(config: ModelConfig, kind: str) -> list[str]:
    """What stands between the columns of a step of that kind in a model of this config."""
    if kind in NORMS and config.norm_kind == "rms":
        return ["m", "x / √m"]
    if kind in ("activation", "dense_activation"):
        written = ACTIVATIONS[config.activation].written.removesuffix("(·)")
        return [re.sub(r"\\mathrm|[\\{}]", "", written)]
    biased = {
        "project": config.attention_bias,
        "output": config.attention_bias and config.attention_output_bias,
        **dict.fromkeys(("expand", "up", "contract"), config.feed_forward_bias),
        "logits": config.generator_bias,
    }
    found = list(OPERATIONS.get(kind, ()))
    if kind == "logits" and not config.tie_generator:
        found = [each.replace("Eᵀ", "W") for each in found]
    return found if biased.get(kind, True) else [each.partition(" + b")[0] for each in found]


def wire_symbol(wire: Wire) -> str:
    """The symbol of a tensor as plain text; an underscore lowers what follows it."""
    if wire.form == "chosen":
        return "ŵ"
    if wire.form == "added":
        return "x"
    site = site_at(wire.address)
    known = _SYMBOLS.get((site.group, site.name)) or plain_symbol(site.symbol)
    return f"{known} ⊙ · / (1 − p)" if wire.form == "dropped" else known


def plain_symbol(latex: str) -> str:
    """A symbol's LaTeX as plain text."""
    for given, written in _PLAIN:
        latex = latex.replace(given, written)
    return latex


def is_positive(wire: Wire) -> bool:
    """Whether a tensor holds nothing below 0: its colours run one way, from the panel's."""
    return site_at(wire.address).name in _POSITIVE and wire.form != "dropped"
