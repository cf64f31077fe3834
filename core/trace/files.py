"""A run as one safetensors file: the tensors, and everything else as JSON in its header.

A file must say every fact and have every shape before a number of it is read.
"""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors.torch import load_file, save_file
from torch import Tensor

from glassformer.core.config import ModelConfig
from glassformer.core.decoding.step import Step
from glassformer.core.errors import GlassformerError
from glassformer.core.trace.graph import addresses
from glassformer.core.trace.on_demand import LOGITS
from glassformer.core.trace.shapes import shape_of_address
from glassformer.core.trace.sites import site_at
from glassformer.core.untrusted import (
    UNREADABLE,
    Stored,
    problem_of,
    read_json,
    string_list,
    table_of,
    tensor_header,
)

SIDES = ("source", "target", "output")
TEXTS = ("source_text", "output_text", "direction", "model_name", "task", "sent", "text_pair")
TASKS = ("translate", "continue", "fill_in")
LISTS = ("edits", "further", "vocabulary")
DIRECTIONS = ("en-zh", "zh-en", "")
YOUNGER: dict[str, Any] = {  # fields that files of the first days lack
    "surfaces": {}, "source_unknown": [], "direction": "", "model_name": "", "edits": [],
    "steps": [], "further": [], "calibration": {},
    "task": "translate", "given": 0, "sent": "", "text_pair": "", "segments": [],
}  # fmt: skip


FORMAT = 1


def write_run(path: Path, tensors: Mapping[str, Tensor], about: dict[str, Any]) -> None:
    """Writes the tensors and the facts about them into one safetensors file.

    Views are written in full, for a file holds no views.

    Args:
        path: of the file; one that is there is replaced.
        tensors: by their addresses, of any device.
        about: the other fields of the run, as JSON can hold them.
    """
    whole = {address: tensor.cpu().clone().contiguous() for address, tensor in tensors.items()}
    header = {"glassformer_trace": str(FORMAT), "about": json.dumps(about, ensure_ascii=False)}
    save_file(whole, path, metadata=header)


def read_run(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The tensors of a run, and its other fields.

    Args:
        path: of a file that `write_run` wrote.

    Returns:
        The tensors by their addresses, on the CPU, and the facts as `facts_of` gives them.

    Raises:
        GlassformerError: `trace_foreign`, `trace_newer`, or `trace_damaged` for a file that cannot
            be read, or whose facts and tensors do not fit together.
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


def facts_of(about: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a run but its tensors, from the object in the file's header.

    Args:
        about: the object; fields that files of the first days lack may be absent.

    Returns:
        The values by the names of the fields of a `Trace`; lists as tuples, `config` as a
        `ModelConfig`, `steps` as `Step`s.

    Raises:
        KeyError: a field is missing.
        TypeError: a field is of another type.
        AttributeError: a decoding step is no object.
        ValueError: a field cannot be so, belongs to no run, or does not fit the others; as
            `GlassformerError` where the config cannot be.
    """
    about = {**YOUNGER, **about}
    config = ModelConfig.from_dict(about["config"])
    found: dict[str, Any] = {"config": config}
    for name in TEXTS:
        if not isinstance(about[name], str):
            raise ValueError(f"{name} is no text")
        found[name] = about[name]
    for name in (*LISTS, *(f"{side}_{part}" for side in SIDES for part in ("tokens", "pieces"))):
        found[name] = string_list(about[name], name)
    found["surfaces"] = table_of(about["surfaces"], str, "surfaces")
    found["calibration"] = _calibration(about["calibration"])
    unknown = about["source_unknown"]
    if not isinstance(unknown, list):
        raise ValueError("source_unknown is no list of positions")
    length = len(found["source_tokens"])
    found["source_unknown"] = tuple(_index(place, length, "source_unknown") for place in unknown)
    kinds = config.token_types
    found["segments"] = tuple(_index(each, kinds, "segments") for each in about["segments"])
    found["given"] = _index(about["given"], len(found["output_tokens"]) + 1, "given")
    found["steps"] = tuple(_step(step, config.vocabulary_size) for step in about["steps"])
    _check_lengths(found)
    if foreign := sorted(set(about) - set(found)):
        raise ValueError(f"{foreign[0]} belongs to no run")
    return found


def check_tensors(facts: Mapping[str, Any], stored: Mapping[str, Stored]) -> None:
    """Raises where what a file holds is not what a run of its config and words records.

    Args:
        facts: the other fields of the run, as `facts_of` gives them.
        stored: type and shape of each tensor in the file, by its address.

    Raises:
        ValueError: a tensor is foreign, missing, or of another shape or type.
    """
    config: ModelConfig = facts["config"]
    if foreign := set(stored) - set(addresses(config, dropout=True)):
        raise ValueError(f"it holds {sorted(foreign)[0]}, which its config does not have")
    # What may be left out is computed from what is there; logits would need the model.
    for address in addresses(config):
        if address not in stored and (not site_at(address).is_left_out or address == LOGITS):
            raise ValueError(f"{address} is missing")
    lengths = len(facts["source_tokens"]), len(facts["target_tokens"])
    for address, tensor in stored.items():
        expected = shape_of_address(config, address, *lengths)
        if tensor.shape != expected:
            raise ValueError(f"{address} is {tensor.shape}, not {expected}")
        name = site_at(address).name
        kind = {"ids": "I64", "mask": "BOOL", "kept": "BOOL"}.get(name, "")
        if not (tensor.dtype == kind if kind else tensor.is_float):
            raise ValueError(f"{address} holds numbers of the kind {tensor.dtype}")


def _check_lengths(found: Mapping[str, Any]) -> None:
    for side in SIDES:
        alone = side == "source" and not found["config"].encoder_layers
        if not found[f"{side}_tokens"] and not alone:
            raise ValueError(f"{side}_tokens is empty")
        if len(found[f"{side}_tokens"]) != len(found[f"{side}_pieces"]):
            raise ValueError(f"{side}_tokens and {side}_pieces differ in length")
    rows = len(found["target_tokens"])
    if len(found["output_tokens"]) != rows or len(found["steps"]) not in (0, rows):
        raise ValueError("target, output and steps differ in length")
    if len(found["segments"]) not in (0, len(found["source_tokens"])):
        raise ValueError("segments has not one for each word")
    if len(found["vocabulary"]) != found["config"].vocabulary_size:
        raise ValueError("the vocabulary is not that of its config")
    if found["direction"] not in DIRECTIONS:
        raise ValueError("direction is neither en-zh nor zh-en")
    if found["task"] not in TASKS:
        raise ValueError(f"task is none of {', '.join(TASKS)}")


def _calibration(value: Any) -> dict[str, Any]:
    """Of the run's confidence; {} or as `Calibration.to_dict` writes it."""
    if value == {}:
        return {}
    table = table_of({**value, "weights": 0}, (int, float), "calibration")
    weights = table_of(value["weights"], (int, float), "calibration")
    for number in (table["intercept"], *weights.values()):
        if not math.isfinite(number):
            raise ValueError("calibration holds what is no finite number")
    return {**table, "weights": weights}


def _step(step: Any, words: int) -> Step:
    """A decoding step; its numbers may be NaN, as those of an experiment may."""
    given = {name: each for name, each in step.items() if name not in ("candidates", "guarded")}
    table = table_of(given, (int, float), "steps")
    pairs = tuple(
        (_index(id, words, "candidates"), _number(share)) for id, share in step["candidates"]
    )
    guarded = None if step["guarded"] is None else _index(step["guarded"], words, "guarded")
    if foreign := set(table) - {"chosen", "probability", "entropy"}:
        raise ValueError(f"a step has no {sorted(foreign)[0]}")
    chosen = _index(step["chosen"], words, "chosen")
    return Step(chosen, float(table["probability"]), float(table["entropy"]), pairs, guarded)


def _index(value: Any, size: int, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < size:
        raise ValueError(f"{name} holds a place that does not exist")
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("steps hold what is no number")
    return float(value)
