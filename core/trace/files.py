"""A trace as one safetensors file: the tensors, and everything else as JSON in its header."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from core.config import ModelConfig
from core.decoding.step import Step
from core.errors import GlassformerError
from core.trace.sites import addresses, letters, sizes
from core.trace.trace import Trace

FORMAT = 1
_TUPLES = frozenset(
    field.name for field in fields(Trace) if str(field.type).startswith("tuple[")
) - {"steps"}


def save_trace(trace: Trace, path: Path) -> None:
    """Writes the run; views are written out in full, for a file holds no views."""
    about = {
        field.name: getattr(trace, field.name)
        for field in fields(Trace)
        if field.name not in ("config", "tensors", "steps", "surfaces")
    }
    about["surfaces"] = dict(trace.surfaces)
    about["config"] = trace.config.to_dict()
    about["steps"] = [vars(step) for step in trace.steps]
    tensors = {
        address: tensor.cpu().clone().contiguous() for address, tensor in trace.tensors.items()
    }
    header = {"glassformer_trace": str(FORMAT), "about": json.dumps(about, ensure_ascii=False)}
    save_file(tensors, path, metadata=header)


def load_trace(path: Path) -> Trace:
    """Reads a run back.

    Raises `GlassformerError`: `trace_foreign` for another program's file, `trace_newer` for a later
    format, `trace_damaged` for one that cannot be read or does not hold together.
    """
    try:
        with safe_open(path, framework="pt") as file:
            header = file.metadata() or {}
            _check_header(header, path)
            tensors = {address: file.get_tensor(address) for address in file.keys()}  # noqa: SIM118
        return _rebuild(json.loads(header["about"]), tensors)
    except GlassformerError:
        raise
    except (OSError, SafetensorError, KeyError, TypeError, ValueError) as error:
        raise GlassformerError("trace_damaged", path=path, problem=error) from error


def _check_header(header: dict[str, str], path: Path) -> None:
    found = header.get("glassformer_trace", "")
    if not found.isdecimal():
        raise GlassformerError("trace_foreign", path=path)
    if int(found) > FORMAT:
        raise GlassformerError("trace_newer", path=path, found=found, known=FORMAT)


def _rebuild(about: dict[str, Any], tensors: dict[str, Tensor]) -> Trace:
    about["config"] = ModelConfig.from_dict(about["config"])
    about["steps"] = tuple(
        Step(**{**step, "candidates": tuple(map(tuple, step["candidates"]))})
        for step in about["steps"]
    )
    for name in _TUPLES & set(about):
        about[name] = tuple(about[name])
    trace = Trace(tensors=tensors, **about)
    _check_tensors(trace)
    return trace


def _check_tensors(trace: Trace) -> None:
    """Every tensor must be one that this config and these words can have recorded."""
    if foreign := set(trace.tensors) - set(addresses(trace.config, dropout=True)):
        raise ValueError(f"it holds {sorted(foreign)[0]}, which its config does not have")
    size = sizes(trace.config, len(trace.source_tokens), len(trace.target_tokens))
    for address, tensor in trace.tensors.items():
        expected = tuple(size[letter] for letter in letters(address))
        if tuple(tensor.shape) != expected:
            raise ValueError(f"{address} is {tuple(tensor.shape)}, not {expected}")
