"""All sweeps together against the single ones."""

import pytest
import torch

from core.checkpoints import load_model
from core.edits.sweep import sweep
from core.edits.tracing import PARTS, Tracing, causal_tracing
from core.trace.sites import addresses
from core.trace.trace import Trace
from core.translator import Translator


@pytest.fixture(scope="module")
def model() -> Translator:
    return load_model()


@pytest.fixture(scope="module")
def both(model: Translator) -> tuple[Trace, Trace]:
    return model.trace("I have a cat"), model.trace("I have a dog")


def test_every_sweep_is_in_its_place(model: Translator, both: tuple[Trace, Trace]) -> None:
    steps = list(causal_tracing(model, *both))
    found = steps[-1]
    assert [each.done for each in steps] == list(range(1, found.total + 1))
    known = list(addresses(model.config))
    for side in ("encoder", "decoder"):
        grid = found.grid(side)  # type: ignore[arg-type]
        assert grid is not None
        assert sorted(grid.addresses, key=known.index) == list(grid.addresses)
        for part in PARTS:
            if part[0] != side:
                continue
            single = list(sweep(model, *both, None, *part))[-1]
            for address, row, chance in zip(
                single.addresses, single.restored, single.probabilities, strict=True
            ):
                place = grid.addresses.index(address)
                torch.testing.assert_close(grid.restored[place], row, rtol=0, atol=1e-4)
                torch.testing.assert_close(grid.probabilities[place], chance, rtol=0, atol=1e-5)
    encoder, decoder = (found.grid(side) for side in ("encoder", "decoder"))  # type: ignore[arg-type]
    assert encoder is not None and decoder is not None
    assert len(encoder.addresses) + len(decoder.addresses) == found.total
    assert encoder.tokens == both[0].source_tokens and decoder.tokens == both[0].target_tokens


def test_what_was_interrupted_goes_on(model: Translator, both: tuple[Trace, Trace]) -> None:
    steps = list(causal_tracing(model, *both))
    stopped = steps[3]  # one sweep whole, the second begun
    again = list(causal_tracing(model, *both, so_far=stopped))
    whole = len([each for each in stopped.sweeps.values() if each.done == each.total])
    assert whole == 1 and len(again) < len(steps)
    assert set(again[-1].sweeps) == set(PARTS) and again[-1].done == steps[-1].done
    finished = list(causal_tracing(model, *both, so_far=again[-1]))
    assert len(finished) == 1 and finished[0].done == finished[0].total


def test_before_the_first_there_is_nothing(model: Translator) -> None:
    assert Tracing(model.config).grid("encoder") is None
