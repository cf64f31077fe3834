"""How large the drawing is: the fewer units it is wide, the larger its type on the screen."""

from __future__ import annotations

from dataclasses import dataclass

from core.config import ModelConfig
from core.reading.blocks import Stack

CARD, GUTTER = 262.0, 18.0  # the open layer, and the gap to the layers beside it
SLAB_GAP, LEAST_SLAB = 3.0, 10.0
EDGE, MIDDLE = 6.0, 36.0  # outside the halves, and between them
WIDTH = 860.0  # units at 100%: over half of the page
LEAST_SIDE = 300.0  # units of one half: positions beside the stream need them
ROOMY = 840.0  # from this width on shapes have letters, and the chosen words the larger half


@dataclass(frozen=True)
class Size:
    """Width of the drawing and heights of its rows, in units."""

    width: float
    block: float = 38.0
    norm: float = 30.0
    branch: float = 34.0  # below a sub-layer: the residual branches off, query, key, value part
    legend: bool = True
    token_rows: int = 2
    output_rows: int = 1

    @property
    def letters(self) -> bool:
        """Whether shapes have room for their letters."""
        return self.width >= ROOMY

    @property
    def end(self) -> float:
        """The width of the blocks above the stacks."""
        return 150.0 if self.letters else 116.0

    @property
    def sides(self) -> dict[Stack, tuple[float, float]]:
        """Left and right edge of both halves; the decoder has the chosen words above it."""
        half = (self.width - 2 * EDGE - MIDDLE) / 2 - (12 if self.letters else 0)
        decoder = EDGE + half + MIDDLE
        return {"encoder": (EDGE, EDGE + half), "decoder": (decoder, self.width - EDGE)}

    @property
    def corridor(self) -> float:
        """Where the memory goes down between the halves."""
        return self.sides["encoder"][1] + MIDDLE / 2


def size_of(config: ModelConfig, percent: int) -> Size:
    """The size for a reader's type size in percent, whether or not a block is open.

    Larger type takes the legend first, then the letters of the shapes; the layers set an end.
    """
    wanted = WIDTH * 100 / max(percent, 100)
    layers = max(config.encoder_layers, config.decoder_layers)
    slabs = (LEAST_SLAB + SLAB_GAP) * (layers - 1)
    least = 2 * max(CARD + GUTTER * min(layers - 1, 2) + slabs, LEAST_SIDE) + MIDDLE + 2 * EDGE
    if least > ROOMY - 24:
        least += 24  # so many layers that the encoder needs what the decoder would take
    width = max(wanted, least)
    if percent > 100:
        return Size(width, 30.0, 22.0, 26.0, legend=False, token_rows=3)
    return Size(width)
