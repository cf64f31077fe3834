"""§5.4 Residual dropout. It belongs to the run, not to the module: the tape carries the seed.

`module.train()` and `module.eval()` therefore change nothing, and no session can switch another
session's model into training mode.
"""

import torch
from torch import Tensor

from glassformer.core.trace.tape import Tape


def dropout(x: Tensor, rate: float, tape: Tape) -> Tensor:
    """Zeroes a share `rate` of x and scales the rest by 1 / (1 − rate); x of any shape.

    Which entries were kept is recorded as `kept` (bool, the shape of x).
    """
    if not tape.drops or rate == 0:
        return x
    drawn = torch.rand(x.shape, device=x.device, generator=tape.generator(x.device))
    kept = tape("kept", drawn >= rate)
    return x * kept / (1 - rate)
