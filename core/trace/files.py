"""A run as one safetensors file: the tensors, and everything else as JSON in its header."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors.torch import load_file, save_file
from torch import Tensor

from core.errors import GlassformerError
from core.stored import UNREADABLE, problem_of, read_json, tensor_header
from core.trace.reopened import check_tensors, facts_of

FORMAT = 1


def write_run(path: Path, tensors: Mapping[str, Tensor], about: dict[str, Any]) -> None:
    """Writes the tensors (views in full, for a file holds no views) and the facts about them."""
    whole = {address: tensor.cpu().clone().contiguous() for address, tensor in tensors.items()}
    header = {"glassformer_trace": str(FORMAT), "about": json.dumps(about, ensure_ascii=False)}
    save_file(whole, path, metadata=header)


def read_run(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The tensors of a run, and its other fields.

    Raises `GlassformerError`: `trace_foreign`, `trace_newer`, or `trace_damaged` for a file that
    cannot be read, or whose facts and tensors do not fit together.
    """
    try:
        header, stored = tensor_header(path)
        _check_header(header, path)
        facts = facts_of(read_json(header["about"]))
        check_tensors(facts, stored)
        return load_file(path), facts
    except UNREADABLE as error:
        if isinstance(error, GlassformerError) and error.key.startswith("trace_"):
            raise
        raise GlassformerError(
            "trace_damaged", path=path.name, problem=problem_of(error)
        ) from error


def _check_header(header: dict[str, str], path: Path) -> None:
    found = header.get("glassformer_trace", "")
    if not found.isdecimal():
        raise GlassformerError("trace_foreign", path=path.name)
    if int(found) > FORMAT:
        raise GlassformerError("trace_newer", path=path.name, found=found, known=FORMAT)
