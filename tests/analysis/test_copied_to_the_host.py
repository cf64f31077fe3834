"""On a device of its own memory a view copies what it shows, not the tensor that it is cut from."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from glassformer.core.analysis.attention_cell import cell_of_heads, cell_terms
from glassformer.core.analysis.attention_views import head_map
from glassformer.core.analysis.choices import top_words
from glassformer.core.analysis.tensor_slice import cut_sheet, plan_sheet
from glassformer.core.analysis.vectors import column_at, row_at, rows_at
from glassformer.core.trace.trace import Trace
from tests.fake_device import DEVICE, Copied, fake_device
from tests.seeded_runs import seeded_run

T, H, K, F, V = 6, 2, 9, 20, 15  # of the run's decoder
SELF, CROSS = "decoder/1/self_attention", "decoder/1/cross_attention"
HIDDEN = "decoder/0/feed_forward/activation"


@cache
def there() -> Trace:
    """The run, its tensors on the pretended device."""
    trace, _ = seeded_run()
    return replace(trace, tensors={name: each.to(DEVICE) for name, each in trace.tensors.items()})


@pytest.fixture(autouse=True)
def _device() -> Iterator[None]:
    with fake_device():
        there()
        Copied.numbers = 0
        yield


def pinned(address: str, **pins: int) -> np.ndarray:
    return cut_sheet(there(), address, plan_sheet(there(), address, pins=pins)).values


VIEWS: dict[str, tuple[Callable[[], object], int]] = {
    "one head of a map": (lambda: pinned(f"{SELF}/scores", head=1), T * T),
    "one head of the weights, and what is masked": (
        lambda: pinned(f"{SELF}/weights", head=1), 2 * T * T + 1
    ),
    "one head's queries": (lambda: pinned(f"{SELF}/q", head=0), T * K),
    "head_map": (lambda: head_map(there(), "decoder", 1, 0, "scores"), 3 * T * T),
    "terms": (lambda: cell_terms(there(), "decoder", 1, 0, 2, 1), 2 * K + T + 5),
    "cell_of_heads": (lambda: cell_of_heads(there(), "decoder", 1, "masked", 2, 1), 2 * H),
    "row_at": (lambda: row_at(there(), HIDDEN, 3), F),
    "column_at": (lambda: column_at(there(), HIDDEN, 3), T),
    "top_words": (lambda: top_words(there(), 2), 2 * V),
}  # fmt: skip


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_copies_what_it_shows(name: str) -> None:
    view, most = VIEWS[name]
    view()
    assert 0 < Copied.numbers <= most, f"{Copied.numbers} numbers, {most} are shown"


def test_what_is_cut_first_is_the_same() -> None:
    here = seeded_run()[0]
    assert np.array_equal(row_at(there(), HIDDEN, 3), rows_at(here, HIDDEN)[3])
    assert np.array_equal(column_at(there(), HIDDEN, 3), rows_at(here, HIDDEN)[:, 3])
    assert np.array_equal(pinned(f"{CROSS}/weights", head=1), here[f"{CROSS}/weights"][0, 1])
