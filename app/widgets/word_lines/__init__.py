"""Two columns of words joined by attention lines."""

from app.widgets.word_lines.chips import Chip, output_chips, source_chips
from app.widgets.word_lines.word_lines import NO_STEP, Pin, word_lines

__all__ = ["NO_STEP", "Chip", "Pin", "output_chips", "source_chips", "word_lines"]
