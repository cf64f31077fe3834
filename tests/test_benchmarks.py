"""Whether two checkouts are compared number by number."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Self

import pytest
import torch

from glassformer.core.trace.tape import Edit
from glassformer.core.weights.model_folder import FAMILIES
from tests.benchmarks import gpu
from tests.benchmarks.against import compare, read_values
from tests.benchmarks.report import Table
from tests.fake_device import DEVICE, Copied, fake_device, on_device

HALL = "## Hall\n\n| sessions | p50 s | RSS MB | goal |\n| --- | ---: | ---: | ---: |\n"


def written(p50: str, memory: str) -> str:
    return f"# Measurements\n\n{HALL}| 30 | {p50} | {memory} | p50 ≤ 0.10 met |\n\n- a note of 5\n"


def test_what_a_checkout_writes_is_read_again() -> None:
    table = Table("Keys", ("tokens", "keys", "p50 ms", "goal"))
    table.add("16", "one | two", "1,042 (40–44)", "≤ 100 MISSED")
    assert read_values(table.markdown()) == {("Keys", "16 · one \\| two", "p50 ms"): 1042.0}
    assert read_values(written("0.04", "437 → 573")) == {
        ("Hall", "30", "p50 s"): 0.04,
        ("Hall", "30", "RSS MB"): 573.0,
    }


def test_the_ratio_is_here_by_there_of_the_medians() -> None:
    there = [read_values(written(p50, "1 → 500")) for p50 in ("0.02", "0.04", "9")]
    here = [read_values(written("0.06", "1 → 400"))] * 3
    table = compare("abc", there, here)
    assert table.rows == [
        ("Hall · 30 · p50 s", "0.04", "0.06", "1.50"),
        ("Hall · 30 · RSS MB", "500", "400", "0.80"),
    ]


def test_what_only_one_measured_is_said() -> None:
    table = compare("abc", [read_values(written("0.02", "1 → 5"))], [{}])
    assert not table.rows
    assert table.notes[0] == "2 measurements of one of the two alone are left out"


@pytest.mark.parametrize("reference", ["no-such-commit"])
def test_a_commit_that_is_not_there_ends_in_a_sentence(reference: str) -> None:
    command = [sys.executable, "-m", "tests.benchmarks", "against", "--ref", reference]
    root = Path(__file__).parents[1]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "No commit to compare with" in done.stderr
    assert "Traceback" not in done.stderr


class Crossing:
    """What crosses from the pretended device, in numbers of four bytes."""

    def __enter__(self) -> Self:
        Copied.numbers = 0
        return self

    def __exit__(self, *_: object) -> None:
        self.total = 4 * Copied.numbers


def test_a_gpu_is_compared_with_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    few = {name: gpu.configs()[name] for name in ("gpt2", "t5")}
    small = {name: replace(each, d_model=24, n_heads=2, d_ff=16, head_width=0) for name, each in
             few.items()}  # fmt: skip
    monkeypatch.setattr(gpu, "configs", lambda: small)
    monkeypatch.setattr(gpu, "SIZES", small)
    monkeypatch.setattr(gpu, "TOKENS", (8, 16))
    monkeypatch.setattr(gpu, "sent", lambda model, _: on_device(model))
    monkeypatch.setattr(gpu, "Crossing", Crossing)
    with fake_device():
        compared = gpu.families(DEVICE)
        crossed = gpu.copied(DEVICE)
    assert [row[0] for row in compared.rows] == [*small]
    assert all(row[-1].endswith("met") for row in compared.rows)
    assert all(int(row[1]) > 20 for row in compared.rows)
    for _, tokens, _, total, own in crossed.rows:
        assert int(own.replace(",", "")) == 4 * int(tokens) ** 2
        assert 1 <= int(total.replace(",", "")) / int(own.replace(",", "")) <= 4


def test_what_differs_from_the_cpu_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    config = replace(gpu.configs()["gpt2"], d_model=24, n_heads=2, d_ff=16)
    monkeypatch.setattr(gpu, "configs", lambda: {"gpt2": config})

    class Wrong(gpu.Recorder):
        made = 0

        def __init__(self) -> None:
            super().__init__(
                [Edit("decoder/1/self_attention/scores", lambda x, by=Wrong.made: x + by)]
            )
            Wrong.made += 1

    monkeypatch.setattr(gpu, "Recorder", Wrong)
    ((*_, address, goal),) = gpu.families(torch.device("cpu")).rows
    assert goal.endswith("MISSED")
    assert address.startswith("decoder/1")


def test_every_family_is_among_those_compared() -> None:
    assert gpu.configs().keys() == {"the paper's", *FAMILIES}


def test_a_gpu_needs_little_beside_it() -> None:
    missing = ("rich", "streamlit", "plotly", "playwright", "orjson", "pytest", "transformers")
    code = f"import sys; sys.modules |= dict.fromkeys({missing}); import tests.benchmarks.gpu"
    root = Path(__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True)
    assert not done.stderr
