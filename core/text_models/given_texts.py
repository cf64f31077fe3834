"""Texts as they are given to a model: typed, or as ids in lists, tensors and tokenizers' tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from glassformer.core.errors import GlassformerError

GivenText = str | Sequence[int]  # as people type it, or as ids

if TYPE_CHECKING:
    Ids = Sequence[int] | Sequence[Sequence[int]] | Tensor
    Texts = str | Sequence[str] | Ids | Mapping[str, Ids]


def given_texts(given: Any, pad_id: int) -> tuple[list[GivenText], bool]:
    """What was given to be run, as a list.

    Args:
        given: a text, the ids of one, or a list of either; a tensor of ids for a list of them; what
            a tokenizer of `transformers` gives, `input_ids` with or without `attention_mask`.
        pad_id: the id at either end of a row of a tensor that is no word; -1 for none.

    Returns:
        The texts, and whether a list of them was given.

    Raises:
        GlassformerError: `run_nothing`, `run_mixed` or `run_ids`.
    """
    if isinstance(given, str):
        return [given], False
    if isinstance(given, Mapping):
        return _tokenized(given, pad_id)
    if isinstance(given, Tensor):
        rows = rows_of(given)
        return [_without_padding(row, pad_id) for row in rows], given.dim() == 2
    if not isinstance(given, Sequence):
        raise GlassformerError("run_ids", given=type(given).__name__)
    if not given:
        raise GlassformerError("run_nothing")
    if _is_number(given[0]):
        return [ids_of(given)], False
    is_text = isinstance(given[0], str)
    for place, each in enumerate(given):
        if isinstance(each, str) != is_text or _is_number(each):
            raise GlassformerError("run_mixed", place=place, given=_shown(each))
    return [each if is_text else ids_of(each) for each in given], True


def _tokenized(given: Mapping[str, Any], pad_id: int) -> tuple[list[GivenText], bool]:
    """The ids of a tokenizer's table, those alone that its mask calls words."""
    if "input_ids" not in given:
        raise GlassformerError("run_ids", given=", ".join(map(str, given)) or "{}")
    ids, mask = given["input_ids"], given.get("attention_mask")
    texts, is_list = given_texts(ids, -1 if mask is not None else pad_id)
    if mask is None:
        return texts, is_list
    marks, _ = given_texts(mask.long() if isinstance(mask, Tensor) else mask, -1)
    if [*map(len, texts)] != [*map(len, marks)]:
        raise GlassformerError("run_ids", given="attention_mask")
    return [
        [word for word, mark in zip(ids_of(text), row, strict=True) if mark]
        for text, row in zip(texts, marks, strict=True)
    ], is_list


def rows_of(ids: Tensor) -> list[list[int]]:
    """The rows of a tensor of ids, (B, S) or (S,), as lists.

    Args:
        ids: whole numbers.

    Returns:
        A list a row, padding included.

    Raises:
        GlassformerError: `run_nothing`, `run_ids`.
    """
    if ids.dim() not in (1, 2) or ids.is_floating_point() or ids.dtype == torch.bool:
        raise GlassformerError("run_ids", given=f"{tuple(ids.shape)} {ids.dtype}")
    if not len(ids):
        raise GlassformerError("run_nothing")
    found: list[list[int]] = ids.tolist() if ids.dim() == 2 else [ids.tolist()]
    return found


def _without_padding(row: list[int], pad_id: int) -> list[int]:
    words = [place for place, each in enumerate(row) if each != pad_id]
    return row[words[0] : words[-1] + 1] if words else row[:1]


def ids_of(given: Any) -> list[int]:
    """One text's ids as a list.

    Args:
        given: a list or a tensor (S,).

    Returns:
        The ids.

    Raises:
        GlassformerError: `run_ids` for anything else.
    """
    if isinstance(given, Tensor):
        if given.dim() != 1:
            raise GlassformerError("run_ids", given=f"{tuple(given.shape)} {given.dtype}")
        (row,) = rows_of(given)
        return row
    for each in given if isinstance(given, Sequence) else [given]:
        if not _is_number(each):
            raise GlassformerError("run_ids", given=_shown(each))
    return list(given)


def _is_number(given: object) -> bool:
    return isinstance(given, int) and not isinstance(given, bool)


def _shown(given: object) -> str:
    return repr(given) if isinstance(given, str | int | float) else type(given).__name__
