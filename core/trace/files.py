"""A run as one safetensors file: the tensors, and everything else as JSON in its header."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from core.errors import GlassformerError

FORMAT = 1
Run = TypeVar("Run")


def write_run(path: Path, tensors: Mapping[str, Tensor], about: dict[str, Any]) -> None:
    """Writes the tensors (views in full, for a file holds no views) and the facts about them."""
    whole = {address: tensor.cpu().clone().contiguous() for address, tensor in tensors.items()}
    header = {"glassformer_trace": str(FORMAT), "about": json.dumps(about, ensure_ascii=False)}
    save_file(whole, path, metadata=header)


def read_run(path: Path, rebuild: Callable[[dict[str, Tensor], dict[str, Any]], Run]) -> Run:
    """Reads tensors and facts back and hands them to `rebuild`.

    Raises `GlassformerError`: `trace_foreign`, `trace_newer`, or `trace_damaged`, also for what
    `rebuild` refuses with a KeyError, TypeError or ValueError.
    """
    try:
        with safe_open(path, framework="pt") as file:
            header = file.metadata() or {}
            _check_header(header, path)
            tensors = {address: file.get_tensor(address) for address in file.keys()}  # noqa: SIM118
        return rebuild(tensors, json.loads(header["about"]))
    except GlassformerError as error:
        if error.key.startswith("trace_"):
            raise
        raise GlassformerError("trace_damaged", path=path, problem=error) from error
    except (OSError, SafetensorError, KeyError, TypeError, ValueError) as error:
        raise GlassformerError("trace_damaged", path=path, problem=error) from error


def _check_header(header: dict[str, str], path: Path) -> None:
    found = header.get("glassformer_trace", "")
    if not found.isdecimal():
        raise GlassformerError("trace_foreign", path=path)
    if int(found) > FORMAT:
        raise GlassformerError("trace_newer", path=path, found=found, known=FORMAT)
