"""What may be typed into each worked example, and what must fit together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from torch import Tensor

from core.errors import GlassformerError
from core.lab.inputs import array, number, whole

Reader = Callable[[str, Any], Any]
LABEL = 40  # characters of a word
WORDS = 32  # of a sentence

_row: Reader = partial(array, axes=1, limit=32)
_table: Reader = partial(array, axes=2, limit=256)
_batch: Reader = partial(array, axes=3, limit=512)


def _whole(low: int, high: int) -> Reader:
    return partial(whole, low=low, high=high)


def _words(name: str, given: Any) -> tuple[str, ...]:
    words = given if isinstance(given, list | tuple) else str(given).split()
    return tuple(_word(name, each) for each in words)


def _word(name: str, given: Any) -> str:
    word = str(given)
    if len(word) > LABEL:
        raise GlassformerError("lab_large", name=name, given=len(word), limit=LABEL)
    return word


READERS: Mapping[str, Mapping[str, Reader]] = {
    "pe-matrix": {"max_len": _whole(1, 64), "d_model": _whole(2, 32)},
    "pe-same-word": {"d_model": _whole(2, 32), "positions": _row, "embedding": _row},
    "self-attention-3x4": {"X": _table, "W_Q": _table, "W_K": _table, "W_V": _table},
    "softmax-4x4": {"scores": _table},
    "self-similarity-8d": {"X": _table, "tokens": _words},
    "four-dim-attention": {"query_sample0_head0": _table, "full_shape": _row},
    "layer-norm": {"x": _batch, "eps": partial(number, low=0, high=1)},
    "softmax-alternatives": {"scores": _row},
    "soft-dictionary": {"keys": _words, "values": _row, "weights": _row, "query": _word},
    "two-word-weights": {"scores": _row, "d_k": _whole(1, 4096)},
    "mask-softmax-3x3": {"scores": _table},
    "all-zero-mask": {"T": _whole(1, 32)},
    "shapes-512": {
        "ids": partial(array, axes=2, limit=64),
        "vocabulary": _whole(1, 100_000),
        "d_model": _whole(2, 1024),
        "heads": _whole(1, 64),
        "d_ff": _whole(1, 2048),
    },
    "word-positions": {"words": _words, "together": _word},
}


def check(key: str, inputs: Mapping[str, Any]) -> None:
    """Whether the inputs of an example fit each other.

    Raises:
        GlassformerError: `lab_shape`, `lab_whole` or `lab_large`, naming the one that does not.
    """
    if key in _CHECKS:
        _CHECKS[key](inputs)


def _even(inputs: Mapping[str, Any]) -> None:
    if inputs["d_model"] % 2:
        _refuse("d_model", str(inputs["d_model"]), "2 × n")


def _same_word(inputs: Mapping[str, Any]) -> None:
    _even(inputs)
    _fit("embedding", inputs["embedding"], (inputs["d_model"],))
    _fit("positions", inputs["positions"], (2,))
    for place in inputs["positions"].tolist():
        whole("positions", place, 0, 511)


def _projections(inputs: Mapping[str, Any]) -> None:
    width, head = inputs["X"].size(1), inputs["W_Q"].size(1)
    for name in ("W_Q", "W_K"):
        _fit(name, inputs[name], (width, head))
    _fit("W_V", inputs["W_V"], (width, inputs["W_V"].size(1)))


def _four_axes(inputs: Mapping[str, Any]) -> None:
    _fit("full_shape", inputs["full_shape"], (4,))
    sizes = [whole("full_shape", each, 1, 8) for each in inputs["full_shape"].tolist()]
    _fit("query_sample0_head0", inputs["query_sample0_head0"], tuple(sizes[2:]))


def _at_least_two(inputs: Mapping[str, Any]) -> None:
    if inputs["x"].size(-1) < 2:
        _refuse("x", _size(tuple(inputs["x"].shape)), "B × S × 2 …")


def _dictionary(inputs: Mapping[str, Any]) -> None:
    entries = (len(inputs["keys"]),)
    for name in ("values", "weights"):
        _fit(name, inputs[name], entries)


def _tokens(inputs: Mapping[str, Any]) -> None:
    words, rows = len(inputs["tokens"]), inputs["X"].size(0)
    if words != rows:
        _refuse("tokens", str(words), str(rows))


def _square(inputs: Mapping[str, Any]) -> None:
    rows = inputs["scores"].size(0)
    _fit("scores", inputs["scores"], (rows, rows))


def _model(inputs: Mapping[str, Any]) -> None:
    last = inputs["vocabulary"] - 1
    for each in inputs["ids"].flatten().tolist():
        whole("ids", each, 0, last)
    _even(inputs)
    if inputs["d_model"] % inputs["heads"]:
        _refuse("heads", str(inputs["heads"]), f"{inputs['d_model']} / n")


def _sentence(inputs: Mapping[str, Any]) -> None:
    many = len(inputs["words"])
    if not many:
        raise GlassformerError("lab_empty", name="words")
    if many > WORDS:
        raise GlassformerError("lab_large", name="words", given=many, limit=WORDS)


def _fit(name: str, given: Tensor, shape: tuple[int, ...]) -> None:
    if tuple(given.shape) != shape:
        _refuse(name, _size(tuple(given.shape)), _size(shape))


def _size(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape))


def _refuse(name: str, given: str, needed: str) -> None:
    raise GlassformerError("lab_shape", name=name, given=given, needed=needed)


_CHECKS: Mapping[str, Callable[[Mapping[str, Any]], None]] = {
    "pe-matrix": _even,
    "pe-same-word": _same_word,
    "self-attention-3x4": _projections,
    "self-similarity-8d": _tokens,
    "four-dim-attention": _four_axes,
    "layer-norm": _at_least_two,
    "soft-dictionary": _dictionary,
    "mask-softmax-3x3": _square,
    "shapes-512": _model,
    "word-positions": _sentence,
}
