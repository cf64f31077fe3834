"""Which numbers of an attention map say something, and which only fill a forbidden cell."""

from __future__ import annotations

import numpy as np
from torch import Tensor

from core.trace.sites import site_at
from core.trace.tables import as_numpy
from core.trace.trace import Trace


def forbidden_left_out(trace: Trace, address: str) -> np.ndarray | None:
    """Where the numbers of an attention map say something; None where all of them do.

    As `telling` has it, copied to the host whole.
    """
    found = telling(trace, address)
    return None if found is None else as_numpy(found)


def telling(trace: Trace, address: str) -> Tensor | None:
    """Where the numbers of an attention map say something, where the model is.

    A cell says nothing where the mask forbids it: its masked score is a fill and its weight 0.
    A forbidden weight that is not 0 (a row in which everything is forbidden) does say something.
    """
    site = site_at(address)
    if site.group != "attention" or site.name not in ("mask", "masked", "weights"):
        return None
    mask = trace[f"{address.rpartition('/')[0]}/mask"]
    if site.name == "weights":
        mask = mask | (trace[address] != 0)
    return None if mask.all() else mask


def fills_left_out(trace: Trace, address: str) -> np.ndarray | None:
    """False where the attention mask wrote its fill; None for a tensor without fills.

    The zeros that become of them in the weights are numbers like any other.
    """
    return forbidden_left_out(trace, address) if trace.site(address).name == "masked" else None
