"""Where the arithmetic runs: CUDA, else Apple's MPS, else the CPU."""

from __future__ import annotations

import torch

from core.errors import GlassformerError
from core.settings import read_settings


def choose_device() -> torch.device:
    """The best device here; the environment variable GLASSFORMER_DEVICE overrides.

    Raises `GlassformerError("device", …)` for a device this machine does not have, and "setting"
    for one that nobody has.
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
