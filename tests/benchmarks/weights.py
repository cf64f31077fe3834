"""What do other people's models cost: recording GPT-2, opening a translator, keeping its run?

All weights are random. GPT-2's shape is recorded as opened models are (what scores the words is
left out, maps from a budget on), and beside it by TransformerLens's bridge and nnsight, each
compared with its own library's unrecorded pass.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import Tensor

from glassformer.core.config import ModelConfig
from glassformer.core.model.stack import model_of
from glassformer.core.model.transformer import Transformer
from glassformer.core.settings import keep_freed_memory
from glassformer.core.trace.on_demand import kept_without
from glassformer.core.trace.shapes import recorded_bytes
from glassformer.core.trace.tape import Recorder
from glassformer.core.weights.opened_model import MEMORY_BUDGET, OpenedModel, open_model
from tests.benchmarks.libraries import MISSING
from tests.benchmarks.models import sentence, shape
from tests.benchmarks.report import Table, megabytes, verdict
from tests.benchmarks.timing import Spread, race

TOKENS = (16, 64, 256)
MOST_RECORDED, MOST_SECONDS, MOST_MEGABYTES = 1.05, 3.0, 45
FEWEST = 3  # times a folder is opened
GPT2 = ModelConfig(
    vocabulary_size=50257, d_model=768, n_heads=12, encoder_layers=0, decoder_layers=12, d_ff=3072,
    max_length=1024, embedding_scale=False, positions="learned", norm_place="pre", final_norm=True,
    activation="gelu_tanh", generator_bias=False, tie_generator=True, pad_id=-1,
)  # fmt: skip
OPUS = {  # the shape of the OPUS-MT translators
    "vocab_size": 58101, "d_model": 512, "encoder_layers": 6, "decoder_layers": 6,
    "encoder_attention_heads": 8, "decoder_attention_heads": 8, "encoder_ffn_dim": 2048,
    "decoder_ffn_dim": 2048, "activation_function": "swish", "scale_embedding": True,
    "max_position_embeddings": 512, "forced_eos_token_id": None, "bos_token_id": 0,
}  # fmt: skip
OURS, OURS_PLAIN = "ours: recorded", "ours: unrecorded"
EVERYTHING = "ours: recorded, everything kept"

Variants = dict[str, Callable[[], object]]
Beside = dict[str, str]  # what records -> the unrecorded pass that it is compared with


def tables(seconds: float) -> Iterator[Table]:
    """Recording, then opening and keeping."""
    keep_freed_memory()  # whether pages are fresh would otherwise be chance, for all alike
    os.environ["HF_HUB_OFFLINE"] = "1"  # nothing here is fetched
    os.environ["TRANSFORMERS_VERBOSITY"] = "error"
    yield _recording(seconds)
    if find_spec("transformers") is not None:
        yield _opening(seconds)


@torch.no_grad()
def _recording(seconds: float) -> Table:
    model = model_of(GPT2).requires_grad_(False)
    table = Table(
        f"Recording GPT-2's shape ({shape(GPT2)})",
        ("tokens", "variant", "ms", "to own unrecorded", "goal", "held"),
    )
    others = [each(GPT2) for each in (_transformer_lens, _nnsight)]
    for tokens in TOKENS:
        ids = sentence(GPT2, tokens, 1)
        variants, beside = _ours(model, ids)
        for made in others:
            more, own = made(ids)
            variants, beside = variants | more, beside | own
        found = race(variants, seconds)
        for name in variants:
            cells = ["", "", ""]
            if name in beside:
                ratio = found.ratio(name, beside[name])
                goal = verdict(ratio.middle, MOST_RECORDED) if name == OURS else ""
                cells = [str(ratio), goal, _held(tokens, name)]
            table.add(str(tokens), name, f"{found.milliseconds(name):.1f}", *cells)
        table.notes.append(f"{tokens} tokens: {found.rounds} rounds")
    for package in ("transformers", "transformer_lens", "nnsight"):
        if find_spec(package) is None:
            table.notes.append(f"{package} is {MISSING}")
    return table


def _held(tokens: int, name: str) -> str:
    """What a run keeps, as stated before it."""
    if name == OURS:
        return megabytes(recorded_bytes(GPT2, 0, tokens, maps=_keeps_maps(tokens), words=False))
    return megabytes(recorded_bytes(GPT2, 0, tokens)) if name == EVERYTHING else ""


def _keeps_maps(tokens: int) -> bool:
    return recorded_bytes(GPT2, 0, tokens, words=False) <= MEMORY_BUDGET


def _ours(model: Transformer, ids: Tensor) -> tuple[Variants, Beside]:
    none, keep = ids[:, :0], kept_without((), _keeps_maps(ids.size(1)))
    return {
        OURS_PLAIN: lambda: model(none, ids),
        OURS: lambda: model(none, ids, Recorder(keep=keep)),
        EVERYTHING: lambda: model(none, ids, Recorder()),
    }, {OURS: OURS_PLAIN, EVERYTHING: OURS_PLAIN}


def _gpt2(config: ModelConfig) -> Any:
    from transformers import GPT2Config, GPT2LMHeadModel

    return GPT2LMHeadModel(
        GPT2Config(
            vocab_size=config.vocabulary_size, n_embd=config.d_model, n_layer=config.decoder_layers,
            n_head=config.n_heads, n_positions=config.max_length, attn_implementation="eager",
        )
    ).eval().requires_grad_(False)  # fmt: skip


_Made = Callable[[Tensor], tuple[Variants, Beside]]


def _transformer_lens(config: ModelConfig) -> _Made:
    if find_spec("transformer_lens") is None or find_spec("transformers") is None:
        return lambda _: ({}, {})
    from transformer_lens.model_bridge.sources import build_bridge_from_module

    model = _gpt2(config)
    bridge: Any = build_bridge_from_module(model, "GPT2LMHeadModel", hf_config=model.config)
    plain, cached = "TransformerLens bridge: unrecorded", "TransformerLens run_with_cache"
    return lambda ids: (
        {plain: lambda: bridge(ids), cached: lambda: bridge.run_with_cache(ids)[1]},
        {cached: plain},
    )


def _nnsight(config: ModelConfig) -> _Made:
    if find_spec("nnsight") is None or find_spec("transformers") is None:
        return lambda _: ({}, {})
    from nnsight import NNsight

    model = _gpt2(config)
    wrapped = NNsight(_gpt2(config))

    def cached(ids: Tensor) -> Any:
        with wrapped.trace(ids, use_cache=False) as tracer:
            cache = tracer.cache()
        return cache  # noqa: RET504, nnsight runs the block above from its source

    plain, name = "GPT-2 (transformers): unrecorded", "nnsight cache"
    return lambda ids: (
        {plain: lambda: model(ids, use_cache=False), name: lambda: cached(ids)},
        {name: plain},
    )


def _opening(seconds: float) -> Table:
    table = Table("A translator of OPUS-MT's shape, from its folder", ("", "", "goal"))
    with TemporaryDirectory() as room:
        folder = Path(room)
        _write(folder)
        spent, end = [], time.monotonic() + seconds
        while len(spent) < FEWEST or time.monotonic() < end:
            begin = time.process_time()
            model = open_model(folder)
            spent.append(time.process_time() - begin)
        parameters = sum(each.numel() for each in model.transformer.parameters())
        seen = Spread.of(spent)
        table.add(
            f"opening {parameters / 1e6:.1f} million weights, seconds of CPU time", str(seen),
            verdict(seen.middle, MOST_SECONDS),
        )  # fmt: skip
        source, target, held = _run(model)
        goal = verdict(held / 1e6, MOST_MEGABYTES)
        table.add(f"a run of {source} + {target} tokens keeps", megabytes(held), goal)
    return table


def _write(folder: Path) -> None:
    """The folder, with a vocabulary as long as theirs."""
    from tests.weights import small_tokenizers
    from tests.weights.oracle import Kind

    small_tokenizers.marian(folder)
    path = folder / "vocab.json"
    pieces = json.loads(path.read_text("utf-8"))
    words = OPUS["vocab_size"]
    pieces |= {f"▁{number}": number for number in range(len(pieces), words)}
    path.write_text(json.dumps(pieces), encoding="utf-8")
    marks = {"pad_token_id": pieces["<pad>"], "decoder_start_token_id": pieces["<pad>"]}
    Kind("MarianMTModel", {**OPUS, **marks, "eos_token_id": pieces["</s>"]}, noise=0.0).make(folder)


def _run(model: OpenedModel) -> tuple[int, int, int]:
    """Lengths of a run of 64 tokens a side, and the bytes that it keeps."""
    text, written = "a", "a"
    while len(model.tokens.ids(text)) < 64:
        text += " a"
    while len(model.tokens.target_ids(written)) < 64:
        written += " a"
    trace = model.trace(text, written)
    return len(trace.source_tokens), len(trace.target_tokens), trace.nbytes
