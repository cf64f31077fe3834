"""What do the tools of research cost, beside other libraries and beside plain passes?"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from torch import Tensor

from glassformer import (
    Batch,
    attribution_patch,
    keep_freed_memory,
    load_model,
    logit,
    patch,
    wrap,
)  # fmt: skip
from glassformer.core.text_models.batches import run_batch
from glassformer.core.text_models.model import Model
from tests.benchmarks.libraries import MISSING
from tests.benchmarks.report import Table, verdict
from tests.benchmarks.timing import race
from tests.browser.driver import ROOT

LAYER, HEADS, WIDTH = 5, 16, 48
SHAPE = {
    "vocab_size": 50257, "n_embd": HEADS * WIDTH, "n_layer": 12, "n_head": HEADS,
    "attn_implementation": "eager",
}  # fmt: skip
CLEAN = [5 + at for at in range(12)]
CORRUPT = [*CLEAN[:4], 99, *CLEAN[5:]]
OURS, SITE = "ours: patch", f"decoder/{LAYER}/self_attention/context"
TEXTS, AT_ONCE = 500, 50
FEWEST_IMPORTS = 9
PAIR = ("The cat sat on the mat because it was tired.",
        "The dog sat on the mat because it was tired.")  # fmt: skip


def tables(seconds: float) -> Iterator[Table]:
    """Heads patched, gradients, attribution patching, many texts, and the import."""
    keep_freed_memory()  # whether pages are fresh would otherwise be chance, for all alike
    os.environ["HF_HUB_OFFLINE"] = "1"  # nothing here is fetched
    model = load_model()
    table = Table("Beside passes of the same model", ("what", "ms", "beside", "ratio", "goal"))
    models = {"bundled": model}
    if find_spec("transformers") is not None:
        theirs, models["12 layers"] = _twelve_layers()
        yield _patched_heads(theirs, models["12 layers"], seconds)
    for name, each in models.items():
        for tokens in (16, 64):
            _gradients(table, f"{name}, {tokens} words", each, tokens, seconds)
    _attribution(table, model, seconds)
    _many_texts(table, model, seconds)
    _import(table)
    yield table


def _last_logit(batch: Batch) -> Tensor:
    return batch["output/logits"][:, -1, 7]


def _twelve_layers() -> tuple[Any, Model]:
    """A GPT-2 with random weights, as transformers has it and as ours."""
    import transformers  # slow to import, and not everywhere

    torch.manual_seed(0)
    theirs = transformers.GPT2LMHeadModel(transformers.GPT2Config(**SHAPE)).eval()
    return theirs, wrap(theirs, Tokenizer(WordLevel({"a": 0}, "a")))


def _patched_heads(theirs: Any, model: Model, seconds: float) -> Table:
    def ours() -> list[float]:
        return patch(model, CLEAN, CORRUPT, logit(7), site=SITE, over=("head",)).values.tolist()

    variants: dict[str, Callable[[], list[float]]] = {OURS: ours}
    variants |= _transformer_lens(theirs) | _nnsight(theirs)
    found = race(variants, seconds)
    title = f"{HEADS} heads of a model of 12 layers patched, {len(CLEAN)} words"
    table = Table(title, ("with", "ms", "ours to it", "goal"))
    for name, work in variants.items():
        torch.testing.assert_close(work(), ours(), rtol=1e-4, atol=1e-4)
        ratio = found.ratio(OURS, name)
        goal = verdict(ratio.middle, 1) if name != OURS else ""
        table.add(name, f"{found.milliseconds(name):.0f}", str(ratio), goal)
    for package in ("transformer_lens", "nnsight"):
        if find_spec(package) is None:
            table.notes.append(f"{package} is {MISSING}")
    return table


def _transformer_lens(theirs: Any) -> dict[str, Callable[[], list[float]]]:
    if find_spec("transformer_lens") is None:
        return {}
    from transformer_lens.model_bridge.sources import build_bridge_from_module

    bridge: Any = build_bridge_from_module(theirs, "GPT2LMHeadModel", hf_config=theirs.config)
    name = f"blocks.{LAYER}.attn.hook_z"
    clean, corrupt = torch.tensor([CLEAN]), torch.tensor([CORRUPT])

    @torch.no_grad()
    def one_by_one() -> list[float]:
        given = bridge.run_with_cache(clean, names_filter=name)[1][name]

        def with_head(head: int) -> float:
            def put(z: Tensor, hook: Any) -> Tensor:
                z[:, :, head] = given[:, :, head]
                return z

            return float(bridge.run_with_hooks(corrupt, fwd_hooks=[(name, put)])[0, -1, 7])

        return [with_head(head) for head in range(HEADS)]

    @torch.no_grad()
    def at_once() -> list[float]:
        given = bridge.run_with_cache(clean, names_filter=name)[1][name][0]

        def put(z: Tensor, hook: Any) -> Tensor:
            for head in range(HEADS):
                z[head, :, head] = given[:, head]
            return z

        found = bridge.run_with_hooks(corrupt.expand(HEADS, -1), fwd_hooks=[(name, put)])
        return [float(each) for each in found[:, -1, 7]]

    return {"TransformerLens, one by one": one_by_one, "TransformerLens, in one batch": at_once}


def _nnsight(theirs: Any) -> dict[str, Callable[[], list[float]]]:
    if find_spec("nnsight") is None:
        return {}
    from nnsight import NNsight

    wrapped: Any = NNsight(theirs)
    clean, corrupt = torch.tensor([CLEAN]), torch.tensor([CORRUPT])

    @torch.no_grad()
    def at_once() -> list[float]:
        with wrapped.trace(input_ids=clean):
            given = wrapped.transformer.h[LAYER].attn.c_proj.input.save()
        with wrapped.trace(input_ids=corrupt.expand(HEADS, -1)):
            for head in range(HEADS):
                own = slice(head * WIDTH, (head + 1) * WIDTH)
                wrapped.transformer.h[LAYER].attn.c_proj.input[head, :, own] = given[0, :, own]
            found = wrapped.output.logits[:, -1, 7].save()
        return [float(each) for each in found]

    return {"nnsight, in one batch": at_once}


def _gradients(table: Table, name: str, model: Model, tokens: int, seconds: float) -> None:
    ids = [20 + at % 500 for at in range(tokens)]
    both = model.config.has_both
    source, target = torch.tensor([ids]) if both else None, torch.tensor([ids])
    targets = [ids] if both else None

    def record() -> Batch:
        return run_batch(model, [ids], targets=targets)

    def differentiate() -> object:
        batch = run_batch(model, [ids], targets=targets, grad=True)
        return batch.gradients(_last_logit)["target/embedding"]

    @torch.no_grad()
    def silent() -> object:
        return model.transformer(source, target)

    variants = {"everything recorded": record, "gradients of all sites": differentiate}
    found = race({**variants, "silent": silent}, seconds)
    for what, limit in zip(variants, (1.05, 2.6), strict=True):
        ratio = found.ratio(what, "silent")
        beside = f"a silent pass, {found.milliseconds('silent'):.1f} ms"
        table.add(f"{what}: {name}", f"{found.milliseconds(what):.1f}", beside, str(ratio),
                  verdict(ratio.middle, limit))  # fmt: skip


def _attribution(table: Table, model: Model, seconds: float) -> None:
    target = model.trace(PAIR[0]).output_ids
    sites = attribution_patch(model, *PAIR, _last_logit, target=target).values

    def estimate() -> object:
        return attribution_patch(model, *PAIR, _last_logit, target=target)

    def measure() -> object:
        return [
            patch(model, *PAIR, _last_logit, site=site, over=(), target=target) for site in sites
        ]

    found = race({"estimated": estimate, "patched": measure}, seconds)
    ratio = found.ratio("estimated", "patched")
    table.add(
        "attribution patching of all sites", f"{found.milliseconds('estimated'):.0f}",
        f"each of {len(sites)} patched once, {found.milliseconds('patched'):.0f} ms", str(ratio),
        verdict(ratio.middle, 1 / 20),
    )  # fmt: skip


def _many_texts(table: Table, model: Model, seconds: float) -> None:
    listed = json.loads((ROOT / "assets/sentences/everyday.json").read_text(encoding="utf-8"))
    known = [each["text"] for each in listed if each["text"].isascii()]
    inputs = [model.inputs_of(known[at % len(known)], "我不知道。") for at in range(TEXTS)]
    keep = ("decoder/1/cross_attention/context",)
    order = sorted(range(TEXTS), key=lambda at: (len(inputs[at].target), len(inputs[at].source)))
    batches = []
    for begin in range(0, TEXTS, AT_ONCE):
        part = [inputs[at] for at in order[begin : begin + AT_ONCE]]
        sides = ([each.source for each in part], [each.target for each in part])
        batches.append([_padded(side, model.config.pad_id) for side in sides])

    def ours() -> object:
        return run_batch(model, inputs, keep=keep, batch_size=AT_ONCE)

    def silent() -> object:
        with torch.no_grad():
            return [model.transformer(*each).amax() for each in batches]

    found = race({"ours": ours, "silent": silent}, seconds)
    over = (found.milliseconds("ours") - found.milliseconds("silent")) / TEXTS
    table.add(
        f"{TEXTS} sentences, one site kept", f"{found.milliseconds('ours'):.0f}",
        f"silent, the same batches, {found.milliseconds('silent'):.0f} ms",
        f"{over:+.2f} ms each", verdict(over, 0.25),
    )  # fmt: skip


def _padded(rows: list[tuple[int, ...]], pad: int) -> Tensor:
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[pad] * (longest - len(row))] for row in rows])


def _import(table: Table) -> None:
    def spent(code: str) -> float:
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
        return time.perf_counter() - begin

    rounds = [(spent("import glassformer"), spent("pass")) for _ in range(FEWEST_IMPORTS)]
    seconds = sorted(ours - empty for ours, empty in rounds)[FEWEST_IMPORTS // 2]
    table.add("import glassformer", f"{1000 * seconds:.0f}", "Python alone", "",
              verdict(seconds, 0.3))  # fmt: skip
