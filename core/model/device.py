"""Where the arithmetic runs: CUDA, else Apple's MPS, else the CPU.

What needs float64 runs on the CPU on any machine: MPS has none.
"""

import torch
from torch import Tensor

from glassformer.core.errors import GlassformerError
from glassformer.core.settings import read_settings


def choose_device() -> torch.device:
    """The best device here; the environment variable GLASSFORMER_DEVICE overrides.

    Raises `device` for one that this machine does not have, `setting` for one that nobody has.
    """
    if wanted := read_settings().device:
        try:
            return torch.empty(0, device=wanted).device
        except (RuntimeError, AssertionError, NotImplementedError) as error:
            raise GlassformerError("device", given=wanted) from error
    if torch.cuda.is_available():
        return torch.device("cuda")
    if torch.backends.mps.is_available():
        return torch.device("mps")
    return torch.device("cpu")


def to_float64(tensor: Tensor) -> Tensor:
    """The same numbers as float64, on the CPU; cut first what is not needed."""
    return tensor.detach().cpu().double()
