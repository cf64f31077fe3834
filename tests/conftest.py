"""What many tests need: a small model with every kind of part, and a pair of sentences in ids."""

import atexit
import gc
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from hypothesis import settings
from torch import Tensor

from glassformer.core.config import ModelConfig
from glassformer.core.model.transformer import Transformer
from tests import durations, tiers
from tests.other_rounding import sum_in_parts

settings.register_profile("steady", deadline=None, derandomize=True)  # no test is timed
settings.load_profile("steady")

# The rooms of a test are not those of whoever runs it; servers that tests start take it over.
_rooms = tempfile.mkdtemp(prefix="glassformer-hall-")
os.environ["GLASSFORMER_HALL_FOLDER"] = _rooms
os.environ.pop("GLASSFORMER_STORE", None)
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


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Nothing of what is collected is garbage, and looking for some takes a third of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()  # nor is it looked through while the tests run
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    by_id = {item.nodeid: item for item in items}
    later = set[str]()
    if sixth := os.environ.get("SIXTH"):
        visits = {name for name, item in by_id.items() if item.get_closest_marker("visit")}
        later = tiers.left_out(by_id, visits, int(sixth))
        config.hook.pytest_deselected(items=[by_id[name] for name in later])
    now = (name for name in by_id if name not in later)
    items[:] = [by_id[name] for name in tiers.slowest_first(now, durations.known())]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    durations.add(report)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for line in durations.tell():
        terminalreporter.write_line(line)


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
