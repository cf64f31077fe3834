"""What many tests need: a small model with every kind of part, and a pair of sentences in ids."""

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import settings
from torch import Tensor

from glassformer.core.config import ModelConfig
from glassformer.core.model.transformer import Transformer
from tests import durations
from tests.other_rounding import sum_in_parts

settings.register_profile("steady", deadline=None, derandomize=True)  # no test is timed
settings.load_profile("steady")

SLOW = ("browser", "training")  # folders that begin first: no process is left with them at the end

# The rooms of a test are not those of whoever runs it; servers that tests start take it over.
_rooms = tempfile.mkdtemp(prefix="glassformer-hall-")
os.environ["GLASSFORMER_HALL_FOLDER"] = _rooms
atexit.register(shutil.rmtree, _rooms, ignore_errors=True)

# On a busy machine several are slower, and these models are small.
torch.set_num_threads(int(os.environ.get("TEST_THREADS", "1")))
if os.environ.get("OTHER_ROUNDING"):
    sum_in_parts()

SMALL: dict[str, Any] = {
    "vocabulary_size": 30,
    "d_model": 16,
    "n_heads": 4,
    "encoder_layers": 2,
    "decoder_layers": 3,
    "d_ff": 24,
}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: room(item) not in SLOW)
    if third := os.environ.get("THIRD"):
        left_out = beyond_a_third(items, int(third))
        config.hook.pytest_deselected(items=[items[at] for at in left_out])
        items[:] = [item for at, item in enumerate(items) if at not in left_out]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    durations.add(report)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for line in durations.tell():
        terminalreporter.write_line(line)


def room(item: pytest.Item) -> str:
    return item.path.relative_to(Path(__file__).parent).parts[0]


def beyond_a_third(items: list[pytest.Item], third: int) -> set[int]:
    """The places of those that `make test` leaves to the next commits.

    A test that a browser does again and again with other values does it with each third of them,
    and at least with one; all other tests are always done.
    """
    sweeps: dict[str, list[int]] = {}
    for at, item in enumerate(items):
        if room(item) == "browser" and hasattr(item, "callspec"):
            sweeps.setdefault(item.nodeid.partition("[")[0], []).append(at)
    return {
        at
        for places in sweeps.values()
        for number, at in enumerate(places)
        if number % min(3, len(places)) != third % min(3, len(places))
    }


@pytest.fixture
def small_config() -> Callable[..., ModelConfig]:
    """A maker of small configs: `small_config(norm_place="pre")`."""
    return lambda **changes: ModelConfig(**{**SMALL, **changes})


@pytest.fixture
def small_model(small_config: Callable[..., ModelConfig]) -> Callable[..., Transformer]:
    """A maker of small seeded models whose norms and biases are not at their start values."""

    def make(**changes: Any) -> Transformer:
        torch.manual_seed(0)
        model = Transformer(small_config(**changes)).requires_grad_(False)
        for parameter in model.parameters():
            parameter += 0.1 * torch.randn_like(parameter)
        return model

    return make


@pytest.fixture
def source_ids() -> Tensor:
    return torch.tensor([[5, 6, 7, 6, 2]])  # (1, S); one word twice


@pytest.fixture
def target_ids() -> Tensor:
    return torch.tensor([[4, 9, 10, 11]])  # (1, T)
