"""What is wrong in the code that the lecture notes print: each piece is run, and says so itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import sqrt
from typing import Literal

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from core.lab.worked_examples import notes_inputs

ARGUMENTS = "dropout=dropout, batch_size"


@dataclass(frozen=True)
class CodeErratum:
    """A piece of the notes' code, and what running it gives."""

    key: str  # of its texts
    kind: Literal["cannot_run", "inconsistent"]
    code: str  # what of it is wrong
    found: Mapping[str, str | float]  # the error that is raised, or the numbers that come out


@cache
def code_errata() -> tuple[CodeErratum, ...]:
    """All of them, first those that cannot run."""
    return (
        CodeErratum("argument_order", "cannot_run", ARGUMENTS, _syntax(ARGUMENTS)),
        CodeErratum("integer_values", "cannot_run", "torch.matmul(weights, value)", _integers()),
        CodeErratum("causal_not_set", "inconsistent", "is_causal", _future()),
        CodeErratum("sample_std", "inconsistent", "x.std", _deviations()),
    )


def _syntax(arguments: str) -> Mapping[str, str | float]:
    """The error of Python for a call with arguments that it cannot read; empty where it can."""
    error = ""
    try:
        compile(f"call({arguments})", "<notes>", "eval")
    except SyntaxError as raised:
        error = f"SyntaxError: {raised.msg}"
    return {"error": error}


def _integers() -> Mapping[str, str | float]:
    """The 4-D attention on the whole numbers that the notes write: scores run, the product not."""
    x = torch.tensor(notes_inputs("four-dim-attention")["query_sample0_head0"]).long()  # (S, K)
    weights = ((x @ x.T) / sqrt(x.size(1))).softmax(dim=-1)  # (S, S): divided, they are floats
    error = ""
    try:
        torch.matmul(weights, x)
    except RuntimeError as raised:
        error = f"RuntimeError: {raised}"
    kinds = {"weights": str(weights.dtype), "value": str(x.dtype)}
    return {"error": error} | {name: kind.removeprefix("torch.") for name, kind in kinds.items()}


def _future() -> dict[str, str | float]:
    """The largest share that a row gives to later positions, by default and with the switch set."""
    scores = torch.tensor(notes_inputs("mask-softmax-3x3")["scores"])  # (T, T)
    many = len(scores)

    def share(is_causal: bool) -> float:
        query, key = scores * sqrt(many), torch.eye(many)  # query keyᵀ / √T = scores
        weights: Tensor = scaled_dot_product_attention(
            query[None], key[None], key[None], is_causal=is_causal
        )[0]  # the values are the unit vectors, so that the result is the weights
        return float(weights.triu(1).sum(dim=1).max())

    return {"ahead": share(False), "ahead_causal": share(True)}


def _deviations() -> dict[str, str | float]:
    """The deviations of the first word of the layer norm example, divided by D − 1 and by D."""
    word = torch.tensor(notes_inputs("layer-norm")["x"])[0, 0]  # (D,)
    return {
        "sample": float(word.std(-1)),
        "population": float(word.std(-1, correction=0)),
    }
