r"""The formulas of the worked examples as LaTeX, in the colours of the roles.

`@query{Q}` stands for Q in the colour of its role.
"""

from __future__ import annotations

import re

from app.plots.latex import painted
from app.plots.theme import Look

_MARK = re.compile(r"@(\w+)\{((?:[^{}]|\{[^{}]*\})*)\}")
_Q, _K, _V, _A = "@query{Q}", "@key{K}", "@value{V}", "@weights{A}"
_SHARE = r"\frac{e^{S_{ij}}}{\sum_k e^{S_{ik}}}"
_ATTENTION = {
    "scores": rf"S = {_Q} {_K}^{{\top}}",
    "scaled": r"S' = S / \sqrt{d_k}",
    "weights": rf"{_A} = \mathrm{{softmax}}(S')",
    "context": rf"{_A} {_V}",
}
FORMULAS = {
    "pe-matrix": {
        "div_term": r"@data{\omega_i} = 10000^{-2i/d_{model}}",
        "pe": r"@data{PE_{pos,2i}} = \sin(pos \cdot \omega_i), \quad"
        r" @data{PE_{pos,2i+1}} = \cos(pos \cdot \omega_i)",
        "angles": r"pos \cdot @data{\omega_i}",
    },
    "pe-same-word": {
        "pe": r"@data{PE_{pos,2i}} = \sin\frac{pos}{10000^{2i/d_{model}}}, \quad"
        r" @data{PE_{pos,2i+1}} = \cos\frac{pos}{10000^{2i/d_{model}}}",
        "input": r"x_{pos} = x + @data{PE_{pos}}",
    },
    "self-attention-3x4": {
        "Q": rf"{_Q} = X\,@query{{W_Q}}",
        "K": rf"{_K} = X\,@key{{W_K}}",
        "V": rf"{_V} = X\,@value{{W_V}}",
        **_ATTENTION,
    },
    "softmax-4x4": {
        "weights": rf"@weights{{A_{{ij}}}} = {_SHARE}",
        "exp_row_0": r"e^{S_{0j}}",
        "e_to_s_00": r"e^{S_{00}}",
        "e_to_s_01": r"e^{S_{01}}",
    },
    "self-similarity-8d": {
        "scores": r"S = X X^{\top}",
        "weights_unscaled": rf"{_A} = \mathrm{{softmax}}(S)",
        "weights_scaled": rf"{_A} = \mathrm{{softmax}}(S / \sqrt{{d_k}})",
        "context_scaled": rf"{_A} X",
    },
    "four-dim-attention": _ATTENTION,
    "layer-norm": {
        "mean": r"@norm{\mu} = \frac{1}{D} \sum_i x_i",
        "population_std": r"@norm{\sigma} = \sqrt{\tfrac{1}{D} \sum_i (x_i - \mu)^2}",
        "sample_std": r"@norm{s} = \sqrt{\tfrac{1}{D-1} \sum_i (x_i - \mu)^2}",
        "normalised_population": r"\frac{x - \mu}{\sqrt{@norm{\sigma}^2 + \varepsilon}}",
        "normalised_sample": r"\frac{x - \mu}{@norm{s} + \varepsilon}",
        "batch_norm_mean_per_feature": r"@norm{\mu_i} = \frac{1}{B S} \sum_{b,t} x_{b,t,i}",
        "batch_norm_population_std_per_feature": r"@norm{\sigma_i} ="
        r" \sqrt{\tfrac{1}{B S} \sum_{b,t} (x_{b,t,i} - \mu_i)^2}",
        "std": r"@norm{s} = \mathrm{x.std}()",
        "normalised": r"\frac{x - \mu}{@norm{s} + \varepsilon}",
    },
    "softmax-alternatives": {
        "softmax": r"@weights{w_i} = \frac{e^{s_i}}{\sum_j e^{s_j}}",
        "relu": r"@weights{w_i} = \max(0, s_i)",
        "sigmoid": r"@weights{w_i} = \frac{1}{1 + e^{-s_i}}",
        "sigmoid_sum": r"\textstyle\sum_i @weights{w_i}",
        "l2": r"@weights{w_i} = \frac{s_i}{\sqrt{\sum_j s_j^2}}",
    },
    "soft-dictionary": {"value": r"\textstyle\sum_i @weights{w_i}\,@value{v_i}"},
    "two-word-weights": {
        "scaled": r"s'_i = s_i / \sqrt{d_k}",
        "weights": r"@weights{w_i} = \frac{e^{s'_i}}{\sum_j e^{s'_j}}",
    },
    "mask-softmax-3x3": {
        "allowed": r"M_{ts} = [s \le t]",
        "masked": r"\tilde S_{ts} = \begin{cases} S_{ts} & M_{ts} = 1 \\ -10^9 & M_{ts} = 0"
        r" \end{cases}",
        "weights": rf"{_A} = \mathrm{{softmax}}(\tilde S)",
    },
    "all-zero-mask": {
        "weights_fill_-1e9": r"\mathrm{softmax}(-10^9, -10^9, \dots)",
        "weights_fill_-inf": r"\mathrm{softmax}(-\infty, -\infty, \dots) = \frac{0}{0}",
    },
    "shapes-512": {
        "embedding": r"E[\mathrm{ids}] \cdot \sqrt{d_{model}} + PE",
        "split": r"@query{Q} \to (B, S, H, d_k)",
        "per_head": r"@query{Q}_h = @query{Q}.\mathrm{transpose}(1, 2)",
        "weights": rf"{_A} = \mathrm{{softmax}}({_Q} {_K}^{{\top}} / \sqrt{{d_k}})",
        "concat": r"\mathrm{concat}(\mathrm{head}_1, \dots, \mathrm{head}_H)",
        "d_ff": r"@feed_forward{\max(0, x W_1 + b_1)}",
        "encoder": r"\mathrm{encoder}(x)",
        "decoder": r"\mathrm{decoder}(y, \mathrm{memory})",
    },
    "word-positions": {
        "places": r"\{pos : x_{pos} = x_{pos'},\ pos \ne pos'\}",
        "count": r"|x|",
    },
}
_ROLES = {
    "query": "Q",
    "key": "K",
    "value": "V context context_scaled value",
    "weights": "scores scaled exp_row_0 e_to_s_00 e_to_s_01 allowed masked sigmoid_sum",
}


def formula(example: str, quantity: str, look: Look) -> str:
    """The formula of a quantity: LaTeX for `$…$`."""
    template = FORMULAS[example][of_kind(example, quantity)]
    return _MARK.sub(lambda mark: painted(mark[2], mark[1], look), template)


def role(example: str, quantity: str) -> str:
    """The colour role of a quantity's numbers."""
    for hue, quantities in _ROLES.items():
        if quantity in quantities.split():
            return hue
    if example == "layer-norm":
        return "norm"
    is_share = quantity.startswith("weights") or example == "softmax-alternatives"
    return "weights" if is_share else "data"


def of_kind(example: str, quantity: str) -> str:
    """A quantity without the place in its key: "pe_6" of the same word is "pe"."""
    return quantity.rpartition("_")[0] if example == "pe-same-word" else quantity
