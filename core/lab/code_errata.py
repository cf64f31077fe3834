"""What the lecture notes say in code that is wrong: a piece of our own with the same fault is run.

What a piece does, its error or its numbers, is all that the screen says of it. None of the notes'
code is here.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import layer_norm, linear, scaled_dot_product_attention

from glassformer.core.lab.inputs import read_number, read_whole_number
from glassformer.core.lab.worked_examples import notes_inputs

Found = Mapping[str, str | int | float]


FEWEST, MOST = (2, 9), (8, 16)  # sentences, words of each: never as many words as sentences


@dataclass(frozen=True)
class CodeErratum:
    """A piece of the notes' code, and what running one with its fault and one without it gives."""

    key: str  # of its texts
    kind: Literal["cannot_run", "inconsistent"]
    code: str  # what of it is wrong
    found: Found  # the error that is raised, or the numbers that come out

    @property
    def fault(self) -> str | int | float:
        """What comes out with the fault: the kind of its error, or the number that is off."""
        return str(self.found.get("error", "")).partition(":")[0] or self._beside[0]

    @property
    def mended(self) -> str | int | float:
        """The same of the piece without the fault."""
        return self._beside[1]

    @property
    def _beside(self) -> tuple[str | int | float, ...]:
        return tuple(self.found[name] for name in BESIDE[self.key])


BESIDE = {  # which of what was found stands beside what
    "argument_order": ("error", "runs"),
    "integer_values": ("error", "mended"),
    "causal_not_stored": ("error", "mended"),
    "cut_by_batch": ("first", "mended"),
    "not_contiguous": ("error", "shape"),
    "sample_std": ("sample", "population"),
    "dropout_unused": ("unused", "applied"),
    "final_norm_lacks": ("deviation", "deviation_normed"),
    "widths_told": ("told", "widths"),
    "no_identity": ("told", "kept"),
}


@lru_cache(maxsize=16)
def code_errata(
    sentences: Any = 6, words: Any = 10, p: Any = 0.5, seed: Any = 0
) -> tuple[CodeErratum, ...]:
    """All faults of the notes' code, first those that cannot run.

    Args:
        sentences: of the batch whose positions are cut, 2 to 8.
        words: of each sentence there, 9 to 16.
        p: of the dropout, 0.1 to 0.9.
        seed: of what it zeroes, 0 to 2³¹.

    Returns:
        Each with what running a piece with its fault, and one without, gives.

    Raises:
        GlassformerError: `lab_…`, as `core.lab.inputs`.
    """
    arguments = "dropout=dropout, batch_size"
    batch = (
        read_whole_number("sentences", sentences, FEWEST[0], MOST[0]),
        read_whole_number("words", words, FEWEST[1], MOST[1]),
    )
    rate, start = read_number("p", p, 0.1, 0.9), read_whole_number("seed", seed, 0, 2**31)
    return (
        CodeErratum("argument_order", "cannot_run", arguments, _syntax(arguments)),
        CodeErratum("integer_values", "cannot_run", "torch.matmul(weights, value)", _integers()),
        CodeErratum("causal_not_stored", "cannot_run", "self.is_causal", _not_stored()),
        CodeErratum("cut_by_batch", "cannot_run", "x + pe[:x.size(0)]", _cut_by_batch(*batch)),
        CodeErratum("not_contiguous", "cannot_run", "x.transpose(1, 2).view(…)", _transposed()),
        CodeErratum("sample_std", "inconsistent", "x.std", _deviations()),
        CodeErratum(
            "dropout_unused", "inconsistent", "nn.Dropout(p)", _unused_dropout(rate, start)
        ),
        CodeErratum("final_norm_lacks", "inconsistent", "x = x + sublayer(norm(x))", _no_norm()),
        CodeErratum("widths_told", "inconsistent", "high → low → high", _widths()),
        CodeErratum("no_identity", "inconsistent", "softmax(X Xᵀ) = I", _similar()),
    )


def error_of(run: Callable[[], object]) -> str:
    """The error that a piece of code raises, with its kind.

    Args:
        run: the piece; errors other than AttributeError, RuntimeError and SyntaxError pass through.

    Returns:
        "RuntimeError: …", its first line; "" where the piece runs.
    """
    try:
        run()
    except (AttributeError, RuntimeError) as raised:
        return f"{type(raised).__name__}: {str(raised).splitlines()[0]}"
    except SyntaxError as raised:
        return f"SyntaxError: {raised.msg}"
    return ""


def _syntax(arguments: str) -> Found:
    """A call with arguments that Python cannot read."""
    mended = ", ".join(reversed(arguments.split(", ")))
    errors = [
        error_of(lambda: compile(f"call({each})", "<notes>", "eval"))  # noqa: B023
        for each in (arguments, mended)
    ]
    return {"error": errors[0], "runs": errors[1] or "✓"}


def _integers() -> Found:
    """The 4-D attention on the whole numbers that the notes write: scores run, the product not."""
    x = torch.tensor(notes_inputs("four-dim-attention")["query_sample0_head0"]).long()  # (S, K)
    weights = ((x @ x.T) / sqrt(x.size(1))).softmax(dim=-1)  # (S, S): divided, they are floats
    kinds = {"weights": str(weights.dtype), "value": str(x.dtype)}
    mended = torch.matmul(weights, x.float())
    found = {name: kind.removeprefix("torch.") for name, kind in kinds.items()}
    error = error_of(lambda: torch.matmul(weights, x))
    return {**found, "error": error, "mended": float(mended[0, 0])}


class Attention(nn.Module):
    """Takes a switch and does not keep it. Its name stands in the error."""

    def __init__(self, is_causal: bool = False) -> None:  # noqa: ARG002
        super().__init__()

    def forward(self, x: Tensor) -> Tensor:
        """Attention of words to themselves; as the switch is not kept, it never comes so far.

        Args:
            x: (B, S, D).

        Returns:
            (B, S, D), were the switch kept.

        Raises:
            AttributeError: the switch was not kept.
        """
        causal = bool(self.is_causal)
        return scaled_dot_product_attention(x, x, x, is_causal=causal)


class _Keeping(Attention):
    """Keeps the switch."""

    def __init__(self, is_causal: bool = False) -> None:
        super().__init__(is_causal)
        self.is_causal = is_causal


def _not_stored() -> Found:
    """An attention whose switch for the causal mask is asked for and was never kept; one kept."""
    x = torch.tensor(notes_inputs("layer-norm")["x"])  # (B, S, D)
    errors = [error_of(lambda: Attention(is_causal=each)(x)) for each in (False, True)]  # noqa: B023
    mended = str(tuple(_Keeping(is_causal=True)(x).shape))
    failed, tried = sum(map(bool, errors)), len(errors)
    return {"error": errors[0], "failed": failed, "tried": tried, "mended": mended}


def _cut_by_batch(sentences: int, words: int, width: int = 32) -> Found:
    """A table of positions of which so many rows are taken as there are sentences, not words."""
    table = torch.arange(200.0)[:, None].expand(-1, width)  # row p holds p
    batch, flat = torch.zeros(sentences, words, width), torch.zeros(sentences * words, width)

    def add(x: Tensor) -> Tensor:
        return x + table[: x.size(0)]

    return {
        "error": error_of(lambda: add(batch)), "shape": str(tuple(batch.shape)),
        "flat": str(tuple(flat.shape)), "words": words, "first": int(add(flat)[words, 0]),
        "last": int(add(flat)[-1, 0]), "mended": int((batch + table[:words])[1, 0, 0]),
    }  # fmt: skip


def _transposed() -> Found:
    """The heads put side by side again by a view on the transposed tensor."""
    heads = torch.zeros(2, 2, 3, 2).transpose(1, 2)  # (B, S, H, K), its memory still by head
    return {
        "error": error_of(lambda: heads.view(2, 3, 4)),
        "shape": str(tuple(heads.contiguous().view(2, 3, 4).shape)),
    }


def _deviations() -> Found:
    """The deviations of the first word of the layer norm example, divided by D − 1 and by D."""
    word = torch.tensor(notes_inputs("layer-norm")["x"])[0, 0]  # (D,)
    return {"sample": float(word.std()), "population": float(word.std(correction=0))}


class _Weights(nn.Module):
    """Attention weights with a dropout that is made, and applied or not."""

    def __init__(self, p: float, applied: bool) -> None:
        super().__init__()
        self.dropout, self.applied = nn.Dropout(p), applied

    def forward(self, scores: Tensor) -> Tensor:
        weights = scores.softmax(dim=-1)
        return self.dropout(weights) if self.applied else weights


def _unused_dropout(p: float, seed: int) -> Found:
    """How many of the weights are zeroed in training mode, with a dropout unused and applied."""
    scores = torch.zeros(20, 20)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        zeroed = [int((_Weights(p, each).train()(scores) == 0).sum()) for each in (False, True)]
    return {"unused": zeroed[0], "applied": zeroed[1], "all": scores.numel(), "p": f"{p:g}"}


def _no_norm() -> Found:
    """The largest mean and deviation of a word behind a pre-norm sub-layer and a last norm."""
    x = torch.tensor(notes_inputs("layer-norm")["x"])  # (B, S, D)
    width = x.shape[-1:]
    result = x + layer_norm(x, width).relu()
    normed = layer_norm(result, width)
    return {
        "mean": float(result.mean(dim=-1).max()),
        "deviation": float(result.std(dim=-1, correction=0).max()),
        "mean_normed": abs(float(normed.mean(dim=-1).max())),
        "deviation_normed": float(normed.std(dim=-1, correction=0).max()),
    }


def _widths() -> Found:
    """The widths that a word has on its way through a feed-forward network."""
    inside = int(notes_inputs("shapes-512")["d_ff"])
    outside = int(notes_inputs("shapes-512")["d_model"])
    seen = [torch.zeros(1, outside)]
    for weight in (torch.zeros(inside, outside), torch.zeros(outside, inside)):
        seen.append(linear(seen[-1], weight))
    told = torch.zeros(outside, inside)  # as the text has it: from high to low
    return {
        "told": error_of(lambda: linear(seen[0], told)).partition(":")[0],
        "widths": " → ".join(str(each.size(-1)) for each in seen),
    }


def _similar() -> Found:
    """The word whose product with another is larger than with itself, furthest."""
    given = notes_inputs("self-similarity-8d")
    x, words = torch.tensor(given["X"]), given["tokens"]
    scores = x @ x.T
    ahead = scores - scores.diagonal()[:, None]
    word, other = divmod(int(ahead.argmax()), len(words))
    return {
        "word": words[word], "other": words[other], "rows": len(words),
        "own": float(scores[word, word]), "more": float(scores[word, other]),
        "weight": float(scores.softmax(dim=-1)[word, other]), "told": 1,
        "kept": float(scores.softmax(dim=-1)[word, word]),
        "away": int((ahead.max(dim=-1).values > 0).sum()),
    }  # fmt: skip
