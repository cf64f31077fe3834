"""What do the tools that others use cost, on a model of the same shape?

The stranger is a Marian model (encoder–decoder, the paper's shape, random weights) in eager
attention, as TransformerLens's bridge and nnsight wrap it. Each is compared with its own library's
unrecorded pass, and in milliseconds with ours. nnsight also wraps our own Transformer.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import torch
from torch import Tensor, nn

from glassformer.core.config import ModelConfig
from glassformer.core.model.transformer import Transformer
from glassformer.core.settings import keep_freed_memory
from tests.benchmarks.models import paper_model, sentence, shape, small_model
from tests.benchmarks.recording import recording
from tests.benchmarks.report import Table, megabytes
from tests.benchmarks.timing import Race, held_bytes, race

TOKENS = (16, 64, 256)
OURS, OURS_PLAIN = "ours: recorded, everything", "ours: unrecorded"
ON_DEMAND = "ours: recorded, maps on demand"
MISSING = "not installed: pip install --group bench"


@dataclass(frozen=True)
class Rival:
    """One way of recording: what runs, what it is compared with, what it kept."""

    run: Callable[[], object]
    beside: str  # the unrecorded pass of the same library
    kept: Callable[[], Iterable[Tensor]]
    model: nn.Module


def tables(seconds: float) -> Iterator[Table]:
    """One table a model."""
    keep_freed_memory()  # whether pages are fresh would otherwise be chance, for all alike
    os.environ["HF_HUB_OFFLINE"] = "1"  # nothing here is fetched
    os.environ["TRANSFORMERS_VERBOSITY"] = "error"
    for name, model in (paper_model(), small_model()):
        table = Table(
            f"Recording beside other tools: {name} ({shape(model.config)})",
            (
                "tokens",
                "variant",
                "ms",
                "to own unrecorded",
                "ms to ours",
                "names",
                "tensors",
                "held",
            ),
        )
        with torch.no_grad():
            for tokens in TOKENS:
                _rows(table, model, tokens, seconds)
        table.notes.append(
            "to ours: unrecorded to unrecorded, recorded to recorded; tensors: names that share "
            "memory count once; freed memory is kept by the process, for all alike"
        )
        for package in ("transformers", "transformer_lens", "nnsight"):
            if find_spec(package) is None:
                table.notes.append(f"{package} is {MISSING}")
        yield table


def _rows(table: Table, model: Transformer, tokens: int, seconds: float) -> None:
    source, target = sentence(model.config, tokens, 1), sentence(model.config, tokens, 2)
    plain, rivals = _ours(model, source, target)
    if find_spec("transformers") is not None:
        for more_plain, more_rivals in (
            _transformer_lens(model.config, source, target),
            _nnsight(model, source, target),
        ):
            plain |= more_plain
            rivals |= more_rivals
    result = race(plain | {name: rival.run for name, rival in rivals.items()}, seconds)
    for name in (*plain, *rivals):
        table.add(str(tokens), name, *_cells(result, name, rivals.get(name)))
    table.notes.append(f"{tokens} tokens in source and target: {result.rounds} rounds")


def _cells(result: Race, name: str, rival: Rival | None) -> tuple[str, ...]:
    milliseconds = f"{result.milliseconds(name):.1f}"
    if rival is None:
        return (milliseconds, "1", f"{result.ratio(name, OURS_PLAIN).middle:.2f}", "", "", "")
    kept = list(rival.kept())
    return (
        milliseconds,
        str(result.ratio(name, rival.beside)),
        f"{result.ratio(name, OURS).middle:.2f}",
        str(len(kept)),
        str(len({tensor.untyped_storage().data_ptr() for tensor in kept})),
        megabytes(held_bytes(kept, rival.model.parameters())),
    )


_Variants = tuple[dict[str, Callable[[], object]], dict[str, Rival]]


def _ours(model: Transformer, source: Tensor, target: Tensor) -> _Variants:
    def rival(maps: bool) -> Rival:
        def run() -> Any:
            return recording(source, target, model, maps)

        return Rival(run, OURS_PLAIN, lambda: run().tensors.values(), model)

    plain: dict[str, Callable[[], object]] = {OURS_PLAIN: lambda: model(source, target)}
    return plain, {OURS: rival(maps=True), ON_DEMAND: rival(maps=False)}


def _marian(config: ModelConfig) -> Any:
    from transformers import MarianConfig, MarianMTModel

    heads, width = config.n_heads, config.d_ff
    return MarianMTModel(
        MarianConfig(
            vocab_size=config.vocabulary_size,
            d_model=config.d_model,
            encoder_layers=config.encoder_layers,
            decoder_layers=config.decoder_layers,
            encoder_attention_heads=heads,
            decoder_attention_heads=heads,
            encoder_ffn_dim=width,
            decoder_ffn_dim=width,
            activation_function="relu",
            scale_embedding=True,
            max_position_embeddings=config.max_length,
            pad_token_id=0,
            eos_token_id=2,
            decoder_start_token_id=4,
            forced_eos_token_id=None,
            attn_implementation="eager",  # the maps exist only then
        )
    ).eval().requires_grad_(False)  # fmt: skip


def _transformer_lens(config: ModelConfig, source: Tensor, target: Tensor) -> _Variants:
    if find_spec("transformer_lens") is None:
        return {}, {}
    from transformer_lens.model_bridge.sources import build_bridge_from_module

    model = _marian(config)
    bridge: Any = build_bridge_from_module(model, "MarianMTModel", hf_config=model.config)
    given = {"decoder_input": target, "use_cache": False}

    def run() -> Any:
        return bridge.run_with_cache(source, **given)[1]

    def kept() -> list[Tensor]:
        cache = run().cache_dict
        return [value for value in cache.values() if isinstance(value, Tensor)]

    own = "TransformerLens bridge: unrecorded"
    rival = Rival(run, own, kept, model)
    return {own: lambda: bridge(source, **given)}, {"TransformerLens run_with_cache": rival}


def _nnsight(model: Transformer, source: Tensor, target: Tensor) -> _Variants:
    if find_spec("nnsight") is None:
        return {}, {}
    from nnsight import NNsight

    marian = _marian(model.config)
    wrapped = NNsight(_marian(model.config))
    given = {"input_ids": source, "decoder_input_ids": target, "use_cache": False}
    ours = NNsight(_copy(model))

    def on_marian() -> Any:
        with wrapped.trace(**given) as tracer:
            cache = tracer.cache()
        return cache  # noqa: RET504, nnsight runs the block above from its source

    def on_ours() -> Any:
        with ours.trace(source, target) as tracer:
            cache = tracer.cache()
        return cache  # noqa: RET504, nnsight runs the block above from its source

    own = "Marian (transformers): unrecorded"
    return {own: lambda: marian(**given)}, {
        "nnsight cache on Marian": Rival(on_marian, own, lambda: _outputs(on_marian()), marian),
        "nnsight cache on our model": Rival(
            on_ours, OURS_PLAIN, lambda: _outputs(on_ours()), model
        ),
    }


def _copy(model: Transformer) -> Transformer:
    """The same weights in modules of their own: a wrapper may change the modules it wraps."""
    twin = Transformer(model.config).requires_grad_(False)
    twin.load_state_dict(model.state_dict())
    return twin


def _outputs(cache: Any) -> list[Tensor]:
    return list(_tensors([cache[path].output for path in cache.keys()]))  # noqa: SIM118, a view


def _tensors(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, dict):
        yield from _tensors(list(value.values()))
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _tensors(each)
