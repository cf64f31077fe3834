"""A run whose tensors a test chooses itself, so that every number on screen is known."""

from torch import Tensor

from glassformer.core.config import ModelConfig
from glassformer.core.trace.trace import Trace

WORDS = ("the", "<b>x</b>", "the", "<eos>")


def hand_made(
    tensors: dict[str, Tensor],
    source: tuple[str, ...] = WORDS,
    target: tuple[str, ...] = ("<zh>", "猫", "$x$"),
    vocabulary: tuple[str, ...] = ("<pad>", "<unk>", "<eos>", "<en>", "<zh>", "猫"),
) -> Trace:
    """A trace of these tensors: 2 + 2 layers, 2 heads, width 4."""
    config = ModelConfig(
        vocabulary_size=len(vocabulary),
        d_model=4,
        n_heads=2,
        encoder_layers=2,
        decoder_layers=2,
        d_ff=6,
    )
    return Trace(
        config=config,
        tensors=tensors,
        source_text="the <b>x</b> the",
        output_text="猫$x$",
        source_tokens=source,
        source_pieces=source,
        target_tokens=target,
        target_pieces=target,
        output_tokens=(*target[1:], "<eos>"),
        output_pieces=(*target[1:], "<eos>"),
        vocabulary=vocabulary,
        direction="en-zh",
    )
