"""A tensor leads back to the step that made its numbers."""

import pytest

from glassformer.core.config import ModelConfig
from glassformer.core.explain.steps.steps import maker_of, steps_of
from glassformer.core.explain.steps.wires import Wire

SIZES = {"vocabulary_size": 9, "d_model": 16, "n_heads": 4, "encoder_layers": 2}


@pytest.mark.parametrize(
    ("wire", "maker"),
    [
        (Wire("encoder/0/self_attention/q", "joined"), "encoder.0.self_attention.project"),
        (Wire("encoder/0/self_attention/q"), "encoder.0.self_attention.split"),
        (Wire("encoder/0/self_attention_residual/branch_input"), "source.sum"),
        (Wire("encoder/0/self_attention_residual/stream"), "source.sum"),
        (Wire("encoder/1/self_attention_residual/stream"), "encoder.0.feed_forward.norm"),
        (Wire("decoder/0/self_attention_residual/stream"), "target.sum"),
        (Wire("decoder/1/cross_attention/memory"), "memory"),
        (Wire("memory"), "memory"),
        (Wire("source/ids"), None),
        (Wire("output/logits"), "output.logits"),
    ],
)
def test_the_maker_of_a_wire(wire: Wire, maker: str | None) -> None:
    step = maker_of(steps_of(ModelConfig(**SIZES)), wire)  # type: ignore[arg-type]
    assert (step.id if step else None) == maker


def test_every_input_but_the_ids_was_made_before() -> None:
    for place in ("post", "pre"):
        steps = steps_of(ModelConfig(**SIZES, norm_place=place), True)  # type: ignore[arg-type]
        for at, step in enumerate(steps):
            for wire in step.inputs:
                maker = maker_of(steps, wire)
                assert wire.address.endswith("/ids") or (
                    maker is not None and steps.index(maker) < at
                ), (step.id, wire)
