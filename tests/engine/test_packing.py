"""What travels is what was sent, bit for bit; what was not packed here is refused."""

from dataclasses import fields

import numpy as np
import pytest
import torch

from glassformer.app.runs.engine.packing import pack_value, unpack_value
from glassformer.core.trace.trace import Trace
from tests.seeded_runs import seeded_run


def assert_same_run(found: Trace, run: Trace) -> None:
    """Every field and every bit, and the layout in memory, which decides on later bits."""
    assert list(found.tensors) == list(run.tensors)
    for address, tensor in run.tensors.items():
        own = found.tensors[address]
        assert own.dtype == tensor.dtype and own.stride() == tensor.stride(), address
        assert torch.equal(own.view(torch.uint8), tensor.view(torch.uint8)), address
    for each in fields(run):
        if each.name not in ("tensors", "generator"):
            assert getattr(found, each.name) == getattr(run, each.name), each.name


@pytest.mark.parametrize(
    "layers", [{}, {"encoder_layers": 0}, {"decoder_layers": 0}], ids=["both", "decoder", "encoder"]
)
def test_a_run_travels_bit_for_bit(layers: dict[str, int]) -> None:
    run = seeded_run(dropout_seed=1, **layers)[0]
    assert_same_run(unpack_value(pack_value(run)), run)


def test_what_shares_memory_shares_it_again_and_no_more_is_sent() -> None:
    table = torch.arange(10_000.0)
    pair = table[10:20], table[15:25]
    data = pack_value(pair)
    found = unpack_value(data)
    assert all(map(torch.equal, found, pair)) and len(data) < 1_000
    found[0][5] = -1.0
    assert found[1][0] == -1.0


@pytest.mark.parametrize(
    "value",
    [
        torch.arange(6).view(2, 3).t(), torch.zeros(2, 1).expand(2, 5), torch.zeros(0, 3),
        torch.tensor(2.5), torch.tensor([0.1], dtype=torch.bfloat16), torch.tensor([True]),
        torch.tensor([float("nan"), -0.0]),
    ],
)  # fmt: skip
def test_layouts(value: torch.Tensor) -> None:
    found = unpack_value(pack_value(value))
    assert found.shape == value.shape and found.stride() == value.stride()
    same = torch.equal(
        found.contiguous().view(-1).view(torch.uint8), value.contiguous().view(-1).view(torch.uint8)
    )
    assert same and found.dtype == value.dtype


def test_values() -> None:
    value = ({"a": (1, 0.1, None, True), 3: "字\ud800"}, float("inf"), ())
    assert unpack_value(pack_value(value)) == value
    array = np.arange(6, dtype=np.float32).reshape(2, 3).T
    found = unpack_value(pack_value(array))
    assert isinstance(found, np.ndarray) and np.array_equal(found, array)
    with pytest.raises(TypeError):
        pack_value((object(),))


@pytest.mark.parametrize("change", [b"", b"hello", b"\xff" * 100])
def test_other_bytes_are_refused(change: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        unpack_value(change)


def test_a_class_that_is_not_named_is_not_made() -> None:
    data = pack_value(seeded_run()[0])
    with pytest.raises(ValueError, match="Other"):
        unpack_value(data.replace(b'\\"$\\": \\"Trace\\"', b'\\"$\\": \\"Other\\"'))
