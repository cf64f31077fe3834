"""Files to take away: each gives back the very numbers of the tensor."""

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load

from glassformer import load_model
from glassformer.core.analysis.export import (
    csv_bytes,
    file_sizes,
    file_stem,
    npz_bytes,
    run_bytes,
    safetensors_bytes,
)
from glassformer.core.trace.trace import Trace
from tests.architecture.sources import ROOT, python_files
from tests.hand_made import hand_made
from tests.traces import small_trace

WEIGHTS = "decoder/0/cross_attention/weights"


@pytest.fixture
def run() -> Trace:
    weights = torch.rand(1, 2, 3, 4, generator=torch.manual_seed(1)).softmax(-1)
    weights[0, 0, 0, 0] = torch.nan
    weights[0, 0, 0, 1] = -torch.inf
    weights[0, 0, 0, 2] = 1.2345678e-30
    return hand_made(
        {
            WEIGHTS: weights,
            "decoder/0/cross_attention/context": torch.rand(1, 3, 2, 2).transpose(1, 2),
            "decoder/0/cross_attention/mask": torch.ones(1, 2, 3, 4, dtype=torch.bool),
            "source/ids": torch.tensor([[5, 1, 5, 2]]),
        }
    )


def test_csv_has_a_row_a_number_with_words(run: Trace) -> None:
    written = csv_bytes(run, WEIGHTS)
    assert written.startswith(b"\xef\xbb\xbf")  # spreadsheets then read Chinese
    table = pd.read_csv(io.BytesIO(written), keep_default_na=False, na_values=["NaN"])
    assert list(table) == ["head", "query", "query_token", "key", "key_token", "value"]
    assert len(table) == 24
    assert set(table["query_token"]) == {"<zh>", "猫", "$x$"}
    assert set(table["key_token"]) == {"the", "<b>x</b>", "<eos>"}
    back = table["value"].astype(np.float32).to_numpy()
    assert np.array_equal(back, run[WEIGHTS].numpy().reshape(-1), equal_nan=True)


def test_npz_and_safetensors_give_back_the_tensor(run: Trace) -> None:
    for address in run:
        loaded = np.load(io.BytesIO(npz_bytes(run, address)), allow_pickle=False)
        assert list(loaded) == [address]
        assert np.array_equal(loaded[address], run[address].numpy(), equal_nan=address == WEIGHTS)
        tensors = load(safetensors_bytes(run, address))
        assert list(tensors) == [address]
        assert tensors[address].dtype == run[address].dtype
        assert torch.equal(tensors[address].nan_to_num(), run[address].nan_to_num())


def test_safetensors_says_its_axes(run: Trace, tmp_path: Path) -> None:
    path = tmp_path / "one.safetensors"
    path.write_bytes(safetensors_bytes(run, WEIGHTS))
    with safe_open(path, framework="pt") as file:
        assert file.metadata() == {"address": WEIGHTS, "axes": "batch,head,query,key"}


def test_the_whole_run_opens_again(tmp_path: Path) -> None:
    run = small_trace()
    path = tmp_path / "run.safetensors"
    path.write_bytes(run_bytes(run))
    again = Trace.load(path)
    assert list(again) == list(run)
    assert again.source_tokens == run.source_tokens


def test_stated_sizes_are_near_the_truth(run: Trace) -> None:
    for address in (WEIGHTS, "source/ids"):
        stated = file_sizes(run, address)
        assert stated.npz == pytest.approx(len(npz_bytes(run, address)), rel=0.1)
        assert stated.safetensors == pytest.approx(len(safetensors_bytes(run, address)), rel=0.25)
        assert stated.csv == len(csv_bytes(run, address))  # small enough to be written


def test_the_size_of_a_table_is_near_the_truth() -> None:
    """Of small tensors, whose header and positions weigh most, and of large ones."""
    run = load_model().trace("The cat sleeps.")
    for address in ("source/ids", "memory", WEIGHTS, "output/logits"):
        written = len(csv_bytes(run, address))
        assert file_sizes(run, address).csv == pytest.approx(written, rel=0.1), address


def test_file_names_have_no_folders() -> None:
    assert file_stem(WEIGHTS) == "decoder.0.cross_attention.weights"


def test_every_table_is_written_with_the_mark_by_one_function() -> None:
    writers = [
        path for path in python_files("app", "core") if ".to_csv(" in path.read_text("utf-8")
    ]
    assert writers == [ROOT / "core" / "analysis" / "export.py"]
