r"""The equations of `sites.py` as one model's config makes them true.

`sites.py` prints the paper's conventions; a model that scales nothing, has another activation or
another norm formula computes something else, and the screen must print that.
"""

from __future__ import annotations

from core.config import ModelConfig
from core.trace.sites import site_at

_SINES = {
    "notes": r"PE_{(t, 2i)} = \sin(t / 10000^{2i/D}),\ "
    r"PE_{(t, 2i+1)} = \cos(t / 10000^{(2i+1)/D})",
    "halves": r"PE_{(t, i)} = \sin(t / 10000^{2i/D}),\ "
    r"PE_{(t, D/2+i)} = \cos(t / 10000^{2i/D})",
    "learned": r"PE_t = P[t]",
    "none": r"PE = 0",
}
_ACTIVATIONS = {
    "gelu": r"a = \mathrm{GELU}(x W_1 + b_1)",
    "gelu_tanh": r"a = \mathrm{GELU}_{\tanh}(x W_1 + b_1)",
}
_SAMPLE_NORM = {
    "std": r"s = \sqrt{\frac{1}{D - 1} \sum_i (x_i - \mu)^2}",
    "normalized": r"\hat{x} = \frac{x - \mu}{s + \varepsilon}",
}
_FILLS = {"large_negative": "-10^9", "minus_infinity": r"-\infty", "additive": r"-\infty"}


def equation(config: ModelConfig, address: str) -> str:
    """The LaTeX of what is computed at an address in a model of this config.

    Raises:
        KeyError: for an address no run can have.
    """
    site = site_at(address)
    special = {
        "embedding": _embedding,
        "attention": _attention,
        "feed_forward": _feed_forward,
        "norm": _norm,
        "output": _output,
    }.get(site.group)
    found = (special(config, site.name) if special else "") or site.equation
    if "cross_attention" in address and site.name in ("k", "v"):
        return found.replace("= x W", "= Z W")  # keys and values are made of the memory (§3.2.3)
    return found


def _embedding(config: ModelConfig, name: str) -> str:
    word = r"\sqrt{D}\,E_w" if config.embedding_scale else "E_w"
    if name == "scaled" and not config.embedding_scale:
        return "E_w"
    if name == "positions":
        return _SINES.get(config.positions, "")
    if name == "input":
        return f"x = {word}" + ("" if config.positions == "none" else " + PE")
    return ""


def _attention(config: ModelConfig, name: str) -> str:
    if name == "masked":
        return site_at("encoder/0/self_attention/masked").equation.replace(
            "-10^9", _FILLS[config.mask_fill]
        )
    if config.attention_bias:
        return ""
    if name == "output":
        return r"\mathrm{Concat}(head_1, \dots, head_H)\, W^O"
    return f"{name.upper()} = x W^{name.upper()}" if name in ("q", "k", "v") else ""


def _feed_forward(config: ModelConfig, name: str) -> str:
    return _ACTIVATIONS.get(config.activation, "") if name == "activation" else ""


def _norm(config: ModelConfig, name: str) -> str:
    return _SAMPLE_NORM.get(name, "") if config.norm_formula == "sample" else ""


def _output(config: ModelConfig, name: str) -> str:
    if name != "logits":
        return ""
    weight = r"E^\top" if config.tie_generator else "W"
    return rf"z = x {weight}" + (" + b" if config.generator_bias else "")
