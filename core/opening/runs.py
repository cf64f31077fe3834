"""A run file as it comes from outside: read, and held against what every run of this app has."""

import math
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from glassformer.core.analysis.confidence import Calibration
from glassformer.core.errors import GlassformerError
from glassformer.core.opening.kinds import as_object, damaged_by, header_of, require_facts
from glassformer.core.text_models.model import DIRECTIONS, Model
from glassformer.core.trace.files import FORMAT
from glassformer.core.trace.graph import addresses
from glassformer.core.trace.sites import site_at
from glassformer.core.trace.trace import Trace

MOST_WORDS = 1024  # tokens of a side
MOST_LAYERS = 64  # of both stacks together
MOST_WIDTH = 2**18  # the largest of all sizes of a config
LONGEST = 10_000  # characters of a text
# What reading something that is not what it seems may raise; GlassformerError is a ValueError.
UNREADABLE = (
    LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError,
)  # fmt: skip
LONGEST_WORD = 200
# What a model does with a text by its stacks, (encoder, decoder).
TASKS = {(True, True): "translate", (False, True): "continue", (True, False): "fill_in"}


def read_run(data: bytes) -> Trace:
    """The run of a file's bytes, with every tensor that such a run records.

    Args:
        data: the whole file.

    Returns:
        The run, its tensors on the CPU.

    Raises:
        GlassformerError: `file_newer` for a later format, `file_large`, `file_damaged` for one that
            cannot be read, is cut off, lacks a tensor, or does not hold together.
    """
    about = _about(header_of(data))
    check_config(about.get("config"))
    with damaged_by(*UNREADABLE):
        trace = _load(data)
        for facts in (_words, _tensors, _decoding):
            require_facts(all(facts(trace)))
        return trace


def is_made_by(trace: Trace, model: Model) -> bool:
    """Whether a run comes from these weights.

    Args:
        trace: the run.
        model: the one that is asked about.

    Returns:
        True for the same vocabulary and task, and the same embeddings of the sentence's words, bit
        for bit.
    """
    if trace.vocabulary != model.vocabulary or trace.task != model.kind:
        return False
    side = "source" if trace.config.encoder_layers else "target"
    table: Tensor = getattr(model.transformer, f"{side}_embedding").table.weight  # (V, D)
    ids, held = trace[f"{side}/ids"][0].cpu(), trace[f"{side}/embedding"][0].cpu()
    if int(ids.max()) >= len(table) or held.dtype != table.dtype:
        return False
    return torch.equal(table.cpu()[ids], held)  # (S, D)


def _about(header: dict[str, Any]) -> dict[str, Any]:
    """The facts in the header; the format is looked at first."""
    facts = header.get("__metadata__")
    found = str(facts.get("glassformer_trace", "")) if isinstance(facts, dict) else ""
    if not (isinstance(facts, dict) and found.isascii() and found.isdigit() and len(found) < 9):
        raise GlassformerError("file_damaged")
    if int(found) > FORMAT:
        raise GlassformerError("file_newer", found=found, known=FORMAT)
    return as_object(str(facts.get("about", "")).encode("utf-8", "replace"), lost=True)


def check_config(config: Any) -> None:
    """Raises for sizes that are too large, or no sizes, before anything is built of them.

    Args:
        config: settings by name, as they stand in a file; anything else is refused.

    Raises:
        GlassformerError: `file_damaged`.
    """
    sizes = list(config.values()) if isinstance(config, dict) else []
    whole = [size for size in sizes if isinstance(size, int) and not isinstance(size, bool)]
    require_facts(bool(whole) and max(whole) <= MOST_WIDTH)
    require_facts(*(math.isfinite(size) for size in sizes if isinstance(size, float)))
    layers = [config.get(f"{stack}_layers") for stack in ("encoder", "decoder")]
    require_facts(all(isinstance(each, int) for each in layers) and sum(layers) <= MOST_LAYERS)


def _load(data: bytes) -> Trace:
    """By way of a file that is gone afterwards; its tensors are copied out of it."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = Path(folder) / "run.safetensors"
        path.write_bytes(data)
        trace = Trace.load(path)
        return replace(trace, tensors={name: t.clone() for name, t in trace.tensors.items()})


def _words(trace: Trace) -> Iterable[bool]:
    """Whether the words are words, as many as the tensors have rows, and in the vocabulary."""
    texts = (trace.source_text, trace.text_pair, trace.sent, trace.output_text, trace.model_name)
    others = (*trace.further, *trace.edits)
    yield all(isinstance(each, str) and len(each) <= LONGEST for each in (*texts, *others))
    yield trace.task == "fill_in" or not trace.text_pair
    known, config = set(trace.vocabulary), trace.config
    for side, tokens, pieces in _sides(trace):
        yield len(tokens) == len(pieces) <= MOST_WORDS
        yield bool(tokens) or (side == "source" and not config.encoder_layers)
        yield _are_words(tokens)
        yield known.issuperset(pieces) or (side == "source" and config.source_vocabulary_size > 0)
    yield len(trace.target_tokens) == len(trace.output_tokens)
    yield _are_words((*trace.vocabulary, *trace.surfaces.keys(), *trace.surfaces.values()))
    yield len(known) == len(trace.vocabulary) == config.vocabulary_size
    yield trace.direction in (*DIRECTIONS, "")
    yield trace.task == TASKS[bool(config.encoder_layers), bool(config.decoder_layers)]
    yield trace.task != "continue" or not trace.source_tokens
    yield trace.task != "fill_in" or trace.target_pieces == trace.source_pieces
    yield all(_is_index(at, len(trace.source_tokens)) for at in trace.source_unknown)


def _sides(trace: Trace) -> Iterable[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    yield "source", trace.source_tokens, trace.source_pieces
    yield "target", trace.target_tokens, trace.target_pieces
    yield "output", trace.output_tokens, trace.output_pieces


def _are_words(words: Iterable[Any]) -> bool:
    return all(isinstance(word, str) and 0 < len(word) <= LONGEST_WORD for word in words)


def _is_index(number: Any, size: int) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and 0 <= number < size


def _tensors(trace: Trace) -> Iterable[bool]:
    """Whether all are there, of the right type, with numbers, and their ids are the words."""
    needs = addresses(trace.config)
    yield all(address in trace for address in needs)
    for address, tensor in trace.tensors.items():
        whole = {"ids": torch.int64, "mask": torch.bool}.get(site_at(address).name)
        yield tensor.dtype == whole if whole else tensor.dtype.is_floating_point
    # What is not a number comes of switches, or of −∞ in a mask; a plain run has none.
    if not trace.edits and trace.config.mask_fill == "large_negative":
        yield not any(bool(tensor.isnan().any()) for tensor in trace.tensors.values())
    for side, _, pieces in _sides(trace):
        if f"{side}/ids" not in trace:  # of a stack that there is not, or of what was written
            continue
        ids, own = trace[f"{side}/ids"][0].tolist(), trace.config.source_vocabulary_size
        if side == "source" and own:  # words of a vocabulary that is not in the file
            yield all(_is_index(at, own) for at in ids)
        else:
            yield [trace.vocabulary[at] for at in ids if at >= 0] == list(pieces)


def _decoding(trace: Trace) -> Iterable[bool]:
    """Whether each step tells a word of the vocabulary and a probability."""
    size = len(trace.vocabulary)
    yield len(trace.steps) in (0, len(trace.output_tokens))
    for step in trace.steps:
        ids = [step.chosen, *(at for at, _ in step.candidates)]
        ids += [] if step.guarded is None else [step.guarded]
        yield all(_is_index(at, size) for at in ids)
        yield all(
            isinstance(number, int | float)
            for number in (step.probability, step.entropy, *(share for _, share in step.candidates))
        )
    if trace.calibration:
        found = Calibration.from_dict(trace.calibration)
        yield (
            torch.tensor([found.intercept, *found.weights.values()]).isfinite().all().item() is True
        )
