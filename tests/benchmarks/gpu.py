"""Is a GPU right, and what does recording cost on it? `make bench ARGS=gpu`, five minutes at most.

`python -m tests.benchmarks.gpu` needs nothing besides torch, numpy, safetensors, tokenizers and
pandas, and reaches nothing. Weights are random: what is compared is arithmetic.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from statistics import median
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from glassformer.core.analysis.attention_views import Kind, attention_at, head_map
from glassformer.core.config import ModelConfig
from glassformer.core.model.device import choose_device
from glassformer.core.model.stack import model_of
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.tape import SILENT, Recorder
from glassformer.core.trace.trace import Trace
from glassformer.core.weights.family import Facts
from glassformer.core.weights.model_folder import FAMILIES
from tests.benchmarks.models import PAPER, sentence, shape
from tests.benchmarks.report import Table, megabytes, verdict

GPT2 = FAMILIES["gpt2"].config(Facts({"model_type": "gpt2"}, ""))
SIZES = {"the paper's": PAPER, "GPT-2's": GPT2}
TOKENS = (64, 512, 4096)
CLOSE = 1e-4  # of the largest number
LIMIT = 1.1  # recorded ÷ silent
FEW, WORDS, LAYERS = 24, 1000, 2  # tokens, vocabulary and layers a stack, where all is compared
FEWEST = 3  # rounds
LONGEST = 20.0  # seconds of one row's rounds


def tables(seconds: float) -> Iterator[Table]:
    """Whether every family computes there as here; what a recording costs; what a view copies."""
    device = choose_device()
    if device.type == "cpu":
        table = Table("A GPU", ("",))
        table.notes.append("there is none here: the app computes on the CPU")
        yield table
        return
    yield families(device)
    yield recorded(device, seconds)
    yield copied(device)


def configs() -> dict[str, ModelConfig]:
    """The paper's and every family's, of as few layers and words as tell them apart."""
    heads = ("lm_head.weight", "cls.predictions.transform.dense.weight")
    found = {"the paper's": PAPER} | {
        kind: family.config(Facts({"model_type": kind, "sliding_window": None}, "", heads))
        for kind, family in FAMILIES.items()
    }
    return {name: _smaller(config) for name, config in found.items()}


def _smaller(config: ModelConfig) -> ModelConfig:
    source = min(config.source_vocabulary_size, WORDS)
    return replace(
        config,
        vocabulary_size=WORDS,
        source_vocabulary_size=source,
        encoder_layers=min(config.encoder_layers, LAYERS),
        decoder_layers=min(config.decoder_layers, LAYERS),
        pad_id=min(config.pad_id, 0),
    )


def families(device: torch.device) -> Table:
    """Every recorded tensor of every family on the device beside the same on the CPU."""
    table = Table(
        f"Every tensor of every family on {name_of(device)}, beside the CPU",
        ("family", "tensors", "largest difference, of the largest number", "its address", "goal"),
    )
    for name, config in configs().items():
        model = _model(config)
        here = run(model, config, FEW, Recorder())
        there = run(sent(model, device), config, FEW, Recorder())
        apart = {address: _apart(there.tensors[address], value) for address, value in
                 here.tensors.items()}  # fmt: skip
        worst = max(apart, key=apart.__getitem__)
        table.add(name, str(len(apart)), f"{apart[worst]:.1e}", worst, verdict(apart[worst], CLOSE))
    return table


def _apart(one: Tensor, other: Tensor) -> float:
    """The largest difference, of the largest finite number."""
    found, wanted = one.detach().cpu().double(), other.detach().cpu().double()
    finite = wanted.isfinite()
    if not torch.equal(found[~finite].nan_to_num(0), wanted[~finite].nan_to_num(0)):
        return float("inf")
    found, wanted = found[finite], wanted[finite]
    if not wanted.numel():
        return 0.0
    return float((found - wanted).abs().max() / wanted.abs().max().clamp(min=1e-30))


def recorded(device: torch.device, seconds: float) -> Table:
    """A recorded pass beside a silent one: real time, the device waited for, and memory."""
    table = Table(
        f"Recording a pass on {name_of(device)}",
        ("model", "numbers", "tokens", "silent ms", "recorded ÷ silent", "goal", "peak memory"),
    )
    for name, config in SIZES.items():
        for dtype in (torch.float32, torch.bfloat16):
            longest = replace(config, max_length=max(TOKENS))
            model = sent(_model(longest).to(dtype), device)
            for tokens in TOKENS:
                row = _race(model, longest, tokens, device, min(seconds, LONGEST))
                table.add(name, str(dtype).removeprefix("torch."), f"{tokens:,}", *row)
            del model
    table.notes.append(f"{shape(PAPER)}; {shape(GPT2)}; real time, medians of rounds in turn")
    return table


def _race(
    model: Transformer, config: ModelConfig, tokens: int, device: torch.device, seconds: float
) -> tuple[str, ...]:
    tapes: tuple[Callable[[], Any], ...] = (lambda: SILENT, Recorder)
    times: tuple[list[float], list[float]] = ([], [])
    _forget_peak(device)
    try:
        for make in tapes:  # what is loaded late is paid for here
            run(model, config, tokens, make())
        end = time.monotonic() + seconds
        while len(times[1]) < FEWEST or time.monotonic() < end:
            for make, spent in zip(tapes, times, strict=True):
                _wait(device)
                begin = time.perf_counter()
                run(model, config, tokens, make())
                _wait(device)
                spent.append(time.perf_counter() - begin)
    except torch.OutOfMemoryError:
        return ("–", "–", "more memory than there is", "–")
    ratio = median(b / a for a, b in zip(*times, strict=True))
    ms = median(times[0]) * 1000
    return f"{ms:.1f}", f"{ratio:.2f}", verdict(ratio, LIMIT), _peak(device)


def copied(device: torch.device) -> Table:
    """What crosses to the host for one head's map."""
    table = Table(
        "One head's map on the screen: bytes that cross to the host",
        ("model", "tokens", "stage", "crossed", "the map's own"),
    )
    for name, config in SIZES.items():
        kind: Kind = "encoder" if config.encoder_layers else "decoder"
        model = sent(_model(replace(config, max_length=max(TOKENS))), device)
        for tokens in TOKENS[:2]:
            trace = trace_of(model, config, tokens)
            for stage in ("scores", "weights"):
                with Crossing() as crossing:
                    head_map(trace, kind, 0, 1, stage)  # type: ignore[arg-type]
                own = 4 * trace[f"{attention_at(kind, 0)}/{stage}"][0, 1].numel()
                cells = f"{crossing.total:,}", f"{own:,}"
                table.add(name, f"{tokens:,}", stage, *cells)
    table.notes.append("a picture shows the map, its weights beside the rows, and what is masked")
    return table


class Crossing(TorchDispatchMode):
    """Counts the bytes of all that is copied from a device to the CPU."""

    total = 0

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        given = [each for each in tree_leaves((args, kwargs)) if isinstance(each, Tensor)]
        if any(each.device.type != "cpu" for each in given):
            here = [each for each in tree_leaves(result) if not isinstance(each, Tensor)
                    or each.device.type == "cpu"]  # fmt: skip
            self.total += sum(each.nbytes if isinstance(each, Tensor) else 8 for each in here)
        return result


def run(model: Transformer, config: ModelConfig, tokens: int, tape: Any) -> Any:
    """One pass over random words: of both stacks so many each. Gives the tape."""
    where = next(model.parameters()).device
    source, target = (sentence(config, tokens, seed).to(where) for seed in (1, 2))
    model(source, target, tape)
    return tape


def trace_of(model: Transformer, config: ModelConfig, tokens: int) -> Trace:
    """A recorded run as the app holds one; its words are numbers."""
    names = tuple(map(str, range(tokens)))
    texts = {f"{side}_{each}": names for side in ("source", "target", "output")
             for each in ("tokens", "pieces")}  # fmt: skip
    tensors = run(model, config, tokens, Recorder()).tensors
    return Trace(
        config=config, tensors=tensors, source_text="", output_text="", vocabulary=(), **texts
    )


def sent(model: Transformer, device: torch.device) -> Transformer:
    """The model, from now on on the device."""
    return model.to(device)


def name_of(device: torch.device) -> str:
    """What a device is called by whoever made it."""
    return torch.cuda.get_device_name(device) if device.type == "cuda" else str(device)


def _model(config: ModelConfig) -> Transformer:
    torch.manual_seed(0)
    return model_of(config).requires_grad_(False)


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    elif device.type == "mps":
        torch.mps.synchronize()


def _forget_peak(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats(device)


def _peak(device: torch.device) -> str:
    if device.type != "cuda":
        return "–"
    return megabytes(torch.cuda.max_memory_allocated(device))


if __name__ == "__main__":
    for each in tables(4):
        sys.stdout.write(each.markdown() + "\n")
        sys.stdout.flush()
