"""Run files that somebody gave us: what cannot be a run is refused before a number is read."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from glassformer.core.errors import GlassformerError
from glassformer.core.trace import files
from glassformer.core.trace.trace import Trace
from tests.seeded_runs import bundled_run

DEEP = '{"a":' * 100_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    saved = tmp_path / "run.safetensors"
    bundled_run("I love cats")[0].save(saved)
    return saved


def about_of(path: Path) -> dict[str, Any]:
    with safe_open(path, framework="pt") as file:
        found: dict[str, Any] = json.loads(file.metadata()["about"])
    return found


def rewrite(path: Path, about: Any, tensors: dict[str, torch.Tensor] | None = None) -> None:
    text = about if isinstance(about, str) else json.dumps(about)
    kept = load_file(path) if tensors is None else tensors
    save_file(kept, path, metadata={"glassformer_trace": "1", "about": text})


def refused(path: Path) -> str:
    with pytest.raises(GlassformerError) as caught:
        Trace.load(path)
    assert caught.value.key == "trace_damaged" and len(str(caught.value)) < 300
    assert str(path.parent) not in str(caught.value)  # nobody needs the server's folders
    return str(caught.value)


@pytest.mark.parametrize("about", ["[]", "null", "3", '"x"', DEEP, "{", '{"a": "\\ud800"}', "{}"])
def test_an_about_that_is_no_object(path: Path, about: str) -> None:
    rewrite(path, about)
    refused(path)


WRONG: tuple[tuple[str, Any], ...] = (
    ("config", None), ("config", []), ("config", {"vocabulary_size": 2**62}),
    ("source_text", 3), ("output_text", None), ("direction", "en-fr"), ("direction", []),
    ("model_name", {}), ("source_tokens", "text"), ("source_tokens", []), ("source_tokens", [1]),
    ("target_pieces", ["a"]), ("output_tokens", None), ("vocabulary", ["a"]), ("vocabulary", 3),
    ("surfaces", []), ("surfaces", {"a": 1}), ("source_unknown", 3), ("source_unknown", [999]),
    ("source_unknown", [-1]), ("source_unknown", ["0"]), ("edits", [1]), ("edits", "x"),
    ("further", {}), ("steps", 3), ("steps", [3]), ("steps", [{}]), ("calibration", []),
    ("calibration", {"intercept": 1}), ("unheard_of", 1),
    ("calibration", {"intercept": 1.0, "weights": {"a": 1e999}, "threshold": 0.5}),
)  # fmt: skip


@pytest.mark.parametrize(("name", "value"), WRONG, ids=lambda each: str(each)[:30])
def test_a_fact_of_another_kind(path: Path, name: str, value: Any) -> None:
    rewrite(path, {**about_of(path), name: value})
    refused(path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("chosen", 10**9), ("chosen", "the"), ("chosen", None), ("probability", "high"),
        ("entropy", None), ("candidates", 3), ("candidates", [[1]]), ("candidates", [[-1, 0.5]]),
        ("candidates", [["a", 0.5]]), ("guarded", 10**9), ("more", 1),
    ],
)  # fmt: skip
def test_a_step_that_cannot_be(path: Path, name: str, value: Any) -> None:
    about = about_of(path)
    about["steps"] = copy.deepcopy(about["steps"])
    about["steps"][0][name] = value
    rewrite(path, about)
    refused(path)


@pytest.mark.parametrize(
    ("name", "value"),
    [("encoder_layers", 100_000), ("decoder_layers", 200), ("d_model", 2**62), ("d_ff", 2**18)],
)
def test_sizes_that_the_tensors_do_not_have(
    path: Path, name: str, value: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = about_of(path)
    about["config"][name] = value
    rewrite(path, about)
    monkeypatch.setattr(files, "load_file", lambda _: pytest.fail("numbers were read first"))
    refused(path)


def test_tensors_that_are_missing_or_of_another_kind(path: Path) -> None:
    about, tensors = about_of(path), load_file(path)
    lacking = {name: each for name, each in tensors.items() if name != "memory"}
    rewrite(path, about, lacking)
    assert "memory is missing" in refused(path)
    rewrite(path, about, {**tensors, "source/ids": tensors["source/ids"].float()})
    assert "source/ids holds" in refused(path)
    rewrite(path, about, {**tensors, "memory": tensors["memory"].to(torch.int64)})
    assert "memory holds" in refused(path)


def test_files_of_the_first_days_and_steps_without_numbers_are_read(path: Path) -> None:
    about = about_of(path)
    about["steps"][0]["entropy"] = float("nan")
    young = {name: each for name, each in about.items() if name not in ("further", "calibration")}
    rewrite(path, young)
    again = Trace.load(path)
    assert again.further == () and again.steps[0].entropy != again.steps[0].entropy
    assert again.source_tokens == bundled_run("I love cats")[0].source_tokens
