"""Models in half as many bits, or on a device of one's choice: they run and are shown."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import glassformer as gf
from glassformer.core.analysis.export import csv_bytes, npz_bytes, run_bytes, safetensors_bytes
from glassformer.core.analysis.logit_attribution import logit_attribution
from glassformer.core.analysis.logit_lens import lens
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions.experiment import fingerprint
from glassformer.core.model.transformer import Transformer
from glassformer.core.weights.opened_model import open_model
from tests.weights.folders import whole

HALVES = {"bfloat16": torch.bfloat16, "float16": torch.float16}
KINDS = ["ours", "marian", "t5", "gpt2", "llama 3", "bert"]
TEXT = "I like the small house"


def opened(kind: str, folder: Path, **how: Any) -> Any:
    if kind == "ours":
        return gf.load(**how)
    if not (folder / "config.json").exists():
        whole(kind, folder)
    return gf.load(folder, **how)


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_run_in_half_is_shown_everywhere(kind: str, dtype: str, tmp_path: Path) -> None:
    model = opened(kind, tmp_path, dtype=dtype)
    trace = model.trace("the [MASK] house" if kind == "bert" else TEXT)
    assert {each.dtype for each in model.transformer.parameters()} == {HALVES[dtype]}
    for address in trace:
        tensor = trace[address]
        assert tensor.dtype in (HALVES[dtype], torch.bool, torch.long)
        held = {"vocabulary": 3} if trace.axes(address)[-1].name == "vocabulary" else {}
        table = trace.table(address, **held)
        told = torch.tensor(table["value"].to_numpy().astype(np.float64))
        assert torch.equal(told, trace.pick(address, **held).double().reshape(-1))
    address = list(trace)[-3]
    exact = np.load(io.BytesIO(npz_bytes(trace, address)))[address]
    assert np.array_equal(exact, trace[address].float().numpy())
    assert csv_bytes(trace, address) and safetensors_bytes(trace, address)
    path = tmp_path / "run.safetensors"
    path.write_bytes(run_bytes(trace))
    again = gf.Trace.load(path)
    for each in trace:
        if not each.endswith("probabilities") and trace[each].isfinite().all():
            assert again[each].dtype == trace[each].dtype and torch.equal(again[each], trace[each])
    assert fingerprint(model)


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("kind", KINDS)
def test_lens_and_attribution_hold_in_half(kind: str, dtype: str, tmp_path: Path) -> None:
    model = opened(kind, tmp_path, dtype=dtype)
    trace = model.trace("the [MASK] house" if kind == "bert" else TEXT)
    seen = lens(trace, model.transformer)
    found = logit_attribution(trace, model.transformer, 1, trace.output_ids[1])
    recorded = float(trace["output/logits"][0, 1, trace.output_ids[1]])
    assert seen is not None
    digits = 0.03 if dtype == "bfloat16" else 0.004
    total = sum(found.by_layer().values())
    largest = max(map(abs, found.by_layer().values()))
    assert abs(total - recorded) <= digits * max(largest, abs(recorded))


def test_numbers_are_those_that_were_asked_for(tmp_path: Path) -> None:
    kinds = {
        "auto": torch.float16, None: torch.float32, "float64": torch.float64,
        "torch.bfloat16": torch.bfloat16, torch.float16: torch.float16,
    }  # fmt: skip
    for given, expected in kinds.items():
        for name in (None, "small-gpt", "small-gpt@400"):
            model = gf.load(name, dtype=given, device="cpu")
            assert model.transformer.generator.weight.dtype == expected, (given, name)
    whole("gpt2", tmp_path).to(torch.bfloat16).save_pretrained(tmp_path)
    kept = open_model(tmp_path, dtype="auto").transformer.generator.weight
    assert kept.dtype == torch.bfloat16


def test_what_cannot_be_loaded_so_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    for key, how in (
        ("lab_choice", {"dtype": "int8"}),
        ("device_missing", {"device": "abacus"}),
        ("device_missing", {"device": "meta"}),
        ("device_missing", {"device": 3.5}),
    ):
        with pytest.raises(GlassformerError) as refused:
            gf.load(**how)  # type: ignore[arg-type]
        assert refused.value.key == key and "\n" not in str(refused.value)

    def lacks(*_: Any, **__: Any) -> None:
        raise NotImplementedError("\"addmm_impl\" not implemented for 'Half'\nmore of it")

    monkeypatch.setattr(Transformer, "forward", lacks)
    assert gf.load()  # in float32 nothing is tried
    with pytest.raises(GlassformerError, match=r"cpu cannot compute .* float16: .*Half'\. Choose"):
        gf.load(dtype="float16")
