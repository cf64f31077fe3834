"""Answers as bytes, bit for bit: a safetensors file whose header says what its tensors belong to.

Nothing that is read can run: only values, and the classes named here. Tensors keep their layout,
and those that share memory share it again.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np
import torch
from safetensors.torch import load, save
from torch import Tensor

from glassformer.core.analysis.training_views import Moment, Plane, Replay, Word
from glassformer.core.config import ModelConfig
from glassformer.core.decoding.step import Step
from glassformer.core.interventions.head_ablation import AblatedHead
from glassformer.core.interventions.padding import InBatch
from glassformer.core.trace.trace import Trace
from glassformer.core.untrusted import UNREADABLE, problem_of

CLASSES: dict[str, Any] = {
    each.__name__: each
    for each in (Trace, ModelConfig, Step, AblatedHead, InBatch, Replay, Moment, Word, Plane)
}
DTYPES = {
    str(each).removeprefix("torch."): each
    for each in (
        torch.float64, torch.float32, torch.float16, torch.bfloat16,
        torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool,
    )
}  # fmt: skip
KIND = "$"  # of an object in the header: map, tensor, array, or a class
VALUE = "value"


@dataclass
class _Span:
    """The bytes of one memory that some tensors read."""

    tensor: Tensor  # one of them
    start: int
    end: int
    entries: list[tuple[dict[str, Any], Tensor]]


def pack_value(value: Any) -> bytes:
    """A value of texts, numbers, tuples, mappings, tensors, arrays and `CLASSES`, as bytes.

    Errors: TypeError for anything else.
    """
    spans: dict[Any, _Span] = {}
    header = _plain(value, spans)
    parts = {}
    for place, span in enumerate(spans.values()):
        for entry, tensor in span.entries:
            entry["of"] = str(place)
            entry["at"] = tensor.storage_offset() - span.start // tensor.itemsize
        memory = torch.empty(0, dtype=torch.uint8, device=span.tensor.device)
        memory.set_(span.tensor.untyped_storage())
        parts[str(place)] = memory[span.start : span.end].cpu().clone()
    return save(parts, {VALUE: json.dumps(header)})


def unpack_value(data: bytes) -> Any:
    """The value again, its tensors on the CPU. Errors: ValueError for bytes of anything else."""
    try:
        size = int.from_bytes(data[:8], "little")
        header = json.loads(json.loads(data[8 : 8 + size])["__metadata__"][VALUE])
        return _value(header, load(data))
    except (*UNREADABLE, RuntimeError) as error:
        raise ValueError(problem_of(error)) from error


def _plain(value: Any, spans: dict[Any, _Span]) -> Any:
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, tuple):
        return [_plain(each, spans) for each in value]
    if isinstance(value, Mapping):
        items = [[_plain(key, spans), _plain(each, spans)] for key, each in value.items()]
        return {KIND: "map", "items": items}
    if isinstance(value, np.ndarray):
        return _tensor(torch.from_numpy(value), spans, "array")
    if isinstance(value, Tensor):
        return _tensor(value.detach(), spans)
    if is_dataclass(value) and type(value).__name__ in CLASSES:
        given = {each.name: getattr(value, each.name) for each in fields(value) if each.init}
        return {KIND: type(value).__name__, **{k: _plain(v, spans) for k, v in given.items()}}
    raise TypeError(f"{type(value).__name__} does not travel")


def _tensor(tensor: Tensor, spans: dict[Any, _Span], kind: str = "tensor") -> dict[str, Any]:
    last = int(
        sum((n - 1) * stride for n, stride in zip(tensor.shape, tensor.stride(), strict=True))
    )
    start = int(tensor.storage_offset()) * tensor.itemsize
    end = start + (last + 1) * tensor.itemsize if tensor.numel() else start
    memory = tensor.device, tensor.untyped_storage().data_ptr(), tensor.itemsize
    span = spans.setdefault(memory, _Span(tensor, start, end, []))
    span.start, span.end = min(span.start, start), max(span.end, end)
    entry = {
        KIND: kind,
        "dtype": str(tensor.dtype).removeprefix("torch."),
        "shape": list(tensor.shape),
        "stride": list(tensor.stride()),
    }
    span.entries.append((entry, tensor))
    return entry


def _value(plain: Any, parts: dict[str, Tensor]) -> Any:
    if isinstance(plain, list):
        return tuple([_value(each, parts) for each in plain])
    if not isinstance(plain, dict):
        return plain
    kind = plain.pop(KIND)
    if kind == "map":
        return {_value(key, parts): _value(each, parts) for key, each in plain["items"]}
    if kind in ("tensor", "array"):
        memory, dtype = parts[plain["of"]], DTYPES[plain["dtype"]]
        found = memory.view(dtype).as_strided(plain["shape"], plain["stride"], plain["at"])
        return found.numpy() if kind == "array" else found
    return CLASSES[kind](**{name: _value(each, parts) for name, each in plain.items()})
