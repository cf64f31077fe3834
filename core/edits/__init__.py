"""Experiments: masks, heads, concepts and tensors that are other than in the plain run."""

from core.edits import concepts, conventions, heads, masks, tensors
from core.edits.experiment import Experiment, run, setting
from core.edits.history import Comparison, History, compare

# Every kind of switch is imported here, so that a link or a file can name it.
__all__ = [
    "Comparison", "Experiment", "History", "compare", "concepts", "conventions", "heads", "masks",
    "run", "setting", "tensors",
]  # fmt: skip
