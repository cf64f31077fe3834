"""The inputs of each worked example."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.widgets.lab.fields import Field
from app.widgets.lab.kit import Ties
from app.words import say
from core.lab.worked_examples import Worked, notes_inputs, work

BOTH: tuple[Any, ...] = ("rows", "columns")
# How an input is drawn; what stands here for an example goes before what stands for all.
DRAWN: dict[str, dict[str, Any]] = {
    "max_len": {"kind": "slider", "low": 1, "high": 64, "step": 1},
    "d_model": {"low": 2, "high": 1024, "step": 2},
    "positions": {"kind": "row"},
    "embedding": {"kind": "row", "grow": ("columns",), "by": 2, "least": 2},
    "X": {"kind": "table", "grow": BOTH},
    "W_Q": {"kind": "table", "grow": ("columns",), "role": "query"},
    "W_K": {"kind": "table", "grow": ("columns",), "role": "key"},
    "W_V": {"kind": "table", "grow": ("columns",), "role": "value"},
    "scores": {"kind": "table", "grow": BOTH, "role": "weights"},
    "tokens": {"kind": "row", "of_words": True},
    "query_sample0_head0": {"kind": "table", "grow": BOTH, "role": "query", "most": 8},
    "batch": {"kind": "slider", "low": 1, "high": 8, "step": 1},
    "x": {"kind": "block", "grow": ("columns",), "least": 2},
    "keys": {"kind": "row", "of_words": True, "grow": ("columns",), "role": "key"},
    "values": {"kind": "row", "role": "value"},
    "weights": {"kind": "row", "role": "weights"},
    "query": {"kind": "words", "role": "query", "wide": 8},
    "d_k": {"kind": "slider", "low": 1, "high": 512, "step": 1, "role": "key"},
    "T": {"kind": "slider", "low": 1, "high": 32, "step": 1},
    "ids": {"kind": "table", "grow": BOTH},
    "vocabulary": {"low": 1, "high": 100_000, "step": 1},
    "heads": {"low": 1, "high": 64, "step": 1, "role": "query"},
    "d_ff": {"low": 1, "high": 2048, "step": 1, "role": "feed_forward"},
    "words": {"kind": "row", "of_words": True, "grow": ("columns",)},
    "together": {"kind": "words", "wide": 8},
}
SPECIAL: dict[str, dict[str, dict[str, Any]]] = {
    "pe-matrix": {"d_model": {"kind": "slider", "low": 2, "high": 32, "step": 2}},
    "softmax-alternatives": {"scores": {"kind": "row", "grow": ("columns",)}},
    "two-word-weights": {"scores": {"kind": "row", "grow": ("columns",)}},
    "four-dim-attention": {"heads": {"kind": "slider", "low": 1, "high": 8, "step": 1}},
    "mask-softmax-3x3": {"scores": {"kind": "table", "grow": ("rows",)}},
}
LABELS = {
    "query_sample0_head0": "Q = K = V", "batch": "B", "heads": "H", "eps": "ε", "scores": "S",
    "positions": "pos", "embedding": "x", "keys": "k", "values": "v", "weights": "w", "query": "q",
    "words": "x", "together": "y",
}  # fmt: skip
TIES: dict[str, Ties] = {
    "self-attention-3x4": [
        [("X", "columns"), ("W_Q", "rows"), ("W_K", "rows"), ("W_V", "rows")],
        [("W_Q", "columns"), ("W_K", "columns")],
    ],
    "self-similarity-8d": [[("X", "rows"), ("tokens", "columns")]],
    "soft-dictionary": [[("keys", "columns"), ("values", "columns"), ("weights", "columns")]],
    "mask-softmax-3x3": [[("scores", "rows"), ("scores", "columns")]],
}


def fields(key: str) -> list[Field]:
    """The inputs of an example, as its notes have them."""
    given = notes_inputs(key)
    if key == "pe-same-word":
        del given["d_model"]  # as many as the embedding has
    if key == "four-dim-attention":
        batch, heads, *_ = given.pop("full_shape")  # its other sizes are those of the matrix
        given |= {"batch": batch, "heads": heads}
    special = SPECIAL.get(key, {})
    return [
        Field(
            name=name,
            label=LABELS.get(name, name),
            original=value,
            about=say(f"lab_examples.input_{name}"),
            **DRAWN.get(name, {}) | special.get(name, {}),
        )
        for name, value in given.items()
    ]


def computing(key: str) -> Callable[..., Worked]:
    """What computes an example from its fields."""

    def compute(**typed: Any) -> Worked:
        if key == "pe-same-word":
            typed["d_model"] = len(typed["embedding"])
        if key == "four-dim-attention":
            rows = typed["query_sample0_head0"]
            sizes = [typed.pop("batch"), typed.pop("heads"), len(rows), len(rows[0])]
            typed["full_shape"] = sizes
        return work(key, **typed)

    return compute
